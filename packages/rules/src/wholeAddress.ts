/**
 * A person is a whole e-mail address. The one place that says whether a text holds an address, and that takes exactly
 * the address out of it, whatever the spelling: in capitals, with an internationalized host, percent-encoded, with the
 * escapes of JSON or of HTML, and any of these within each other. Pure, and total on any text.
 */
import { foldText, type Layer, layersOf, meaningOf, sourceOf, spellingsOf, straddles } from "./spelling.ts"

/** Stands where something was erased. */
export const erasedText = "[erased]"

/** Stands where the address of another person is not shown. */
export const otherText = "[another address]"

export interface WholeAddress {
  /** Whether this is the same address, spelled in any way. */
  readonly is: (other: string | null | undefined) => boolean
  /** Whether the text holds it. `others`: addresses that its row belongs to, of which this may be a part. */
  readonly isIn: (text: string, others?: ReadonlyArray<string>) => boolean
  /** The text without it. */
  readonly without: (text: string, others?: ReadonlyArray<string>) => string
  /** Whether the text holds an address that is another one. */
  readonly isBesideOthers: (text: string) => boolean
  /** The text without the addresses that are others. */
  readonly withoutOthers: (text: string) => string
}

/**
 * A pattern for Postgres. A text that it does not match holds no address at all, in no spelling: each has an at-sign,
 * or begins an escape. It narrows what is read, and `isIn` decides.
 */
export const mayHoldAddress = "[@%\\\\&\uFF20]"
const mayHold = new RegExp(mayHoldAddress)

/** Whether the text may hold the address of anybody, in any spelling. */
export const mayNameAnybody = (text: string): boolean =>
  mayHold.test(text) && someOf(spellingsOf(text), (one) => one.includes("@"))

/** The address in the one spelling that all its spellings have in common. */
export const canonicalAddress = (email: string): string => {
  const { host, local } = partsOf(email.trim())
  return host === undefined ? local : `${local}@${host.join(".")}`
}

/**
 * The spellings of one address that Postgres' `lower` leaves apart: a column is looked up by each. Other spellings of
 * a column are found by looking at its rows.
 */
export const addressSpellings = (email: string): ReadonlyArray<string> => [
  ...new Set([foldText(email.trim()), canonicalAddress(email)])
]

export const wholeAddress = (email: string): WholeAddress => {
  const wanted: Parts = partsOf(email.trim())
  const canonical = canonicalAddress(email)
  const is = (other: string | null | undefined) => typeof other === "string" && canonicalAddress(other) === canonical
  const found = (text: string, others: ReadonlyArray<string> = []): ReadonlyArray<Range> => {
    const own = rangesOf(text, wanted)
    if (own.length === 0) return own
    const longer = others.filter((other) => !is(other)).flatMap((other) => rangesOf(text, partsOf(other.trim())))
    return own.filter((range) => !longer.some((other) => other.start <= range.start && other.end >= range.end))
  }
  const othersIn = (text: string): ReadonlyArray<Range> => {
    if (!mayHold.test(text)) return []
    const own = rangesOf(text, wanted)
    return layersOf(text)
      .flatMap((layer) => anyIn(layer))
      .filter((range) => !own.some(({ end, start }) => start < range.end && range.start < end))
  }
  return {
    is,
    isIn: (text, others) => found(text, others).length > 0,
    without: (text, others) => replaced(text, found(text, others), erasedText),
    isBesideOthers: (text) => othersIn(text).length > 0,
    withoutOthers: (text) => replaced(text, othersIn(text), otherText)
  }
}

interface Range {
  readonly start: number
  readonly end: number
}

/** `host`: its labels as DNS has them. Undefined: the text is no address. */
interface Parts {
  readonly local: string
  readonly host: ReadonlyArray<string> | undefined
}

const partsOf = (email: string): Parts => {
  const folded = foldText(email)
  const at = folded.lastIndexOf("@")
  if (at === -1) return { local: folded, host: undefined }
  const local = folded.slice(0, at)
  const quoted = /^"(.+)"$/.exec(local)?.[1] ?? local
  return {
    local: quoted,
    host: folded
      .slice(at + 1)
      .split(dots)
      .map(labelOf)
  }
}

const dots = /[.\u3002\uFF0E\uFF61]/
const isDot = (character: string | undefined) => character !== undefined && dots.test(character)

/** A label as DNS has it. One that no host can have stays as it is. */
const labelOf = (label: string): string => {
  if ((/^[a-z0-9-]*$/.test(label) && !label.startsWith("xn--")) || endsHost.test(label)) return label
  const known = labels.get(label)
  if (known !== undefined) return known
  const url = `http://${label}.x`
  const made = (URL.canParse(url) && new URL(url).hostname.slice(0, -2)) || label
  if (labels.size >= labelsMax) labels.clear()
  labels.set(label, made)
  return made
}
/** Behind one of these is no host any more, or the host is spelled another way: addresses that differ there are two. */
const endsHost = /[/?#\\%[\]:\s]/
const labels = new Map<string, string>()
const labelsMax = 10_000

// Where an address stands ------------------------------------------------------------

const rangesOf = (text: string, wanted: Parts): ReadonlyArray<Range> => {
  if (wanted.host === undefined || wanted.local === "" || !mayHold.test(text)) return []
  // Of nearly all texts this is the whole answer.
  if (!someOf(spellingsOf(text), (one) => one.includes(`${wanted.local}@`) || one.includes(`${wanted.local}"@`)))
    return []
  // A text that is an address as a whole is that one, whatever letters stand side by side in it.
  const isOne = aloneIsOne.test(text.trim())
  return layersOf(text).flatMap((layer) => rangesIn(layer, wanted, isOne))
}

const someOf = (texts: Iterable<string>, isOne: (text: string) => boolean): boolean => {
  for (const text of texts) if (isOne(text)) return true
  return false
}

/** No address has such a sign, also not as wide as a character of Chinese. A full stop of that kind may be its dot. */
const wideSigns = String.raw`\p{Ps}\p{Pe}\p{Pi}\p{Pf}\u2026\u3001\uFF01\uFF0C\uFF1A\uFF1B\uFF1F`
const betweenWords = String.raw`\s@<>(),;:"=&?/|%\\{}[\]${wideSigns}`
const aloneIsOne = new RegExp(
  String.raw`^(?:(?!\u3002)[^${betweenWords}])+@(?:(?!\u3002(?![a-z0-9]))[^${betweenWords}])+$`,
  "iu"
)

const rangesIn = (layer: Layer, { host, local }: Parts, isOne: boolean): ReadonlyArray<Range> => {
  const { text } = layer
  const ranges: Array<Range> = []
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    const start = localBefore(text, at, local)
    if (start === undefined || !isWholeBefore(text, start, isOne)) continue
    const end = hostAfter(text, at + 1, host!)
    if (end !== undefined && isWholeAfter(text, end, isOne)) ranges.push(sourceOf(layer, start, end))
  }
  return ranges
}

/** Where the local part begins that ends at the at-sign; it may be quoted. */
const localBefore = (text: string, at: number, local: string): number | undefined => {
  if (text.endsWith(local, at)) return at - local.length
  return text.endsWith(`"${local}"`, at) ? at - local.length - 2 : undefined
}

/** Where the host ends that begins here. */
const hostAfter = (text: string, from: number, host: ReadonlyArray<string>): number | undefined => {
  let at = from
  for (const [place, label] of host.entries()) {
    if (place > 0 && !isDot(text[at++])) return undefined
    const length = labelLength(text, at, label)
    if (length === undefined) return undefined
    at += length
  }
  return at
}

const labelLength = (text: string, from: number, label: string): number | undefined => {
  // As long as it can be; and as long as it is of one script, where words stand without a space.
  for (const pattern of [longestLabel, latinLabel]) {
    pattern.lastIndex = from
    const run = pattern.exec(text)?.[0]
    if (run !== undefined && labelOf(run) === label) return run.length
  }
  // One that no host can have stands as it was written.
  return text.startsWith(label, from) ? label.length : undefined
}
const longestLabel = /[\p{L}\p{N}\p{M}](?:-*[\p{L}\p{N}\p{M}])*/uy
const latinLabel = /[a-z0-9](?:-*[a-z0-9])*/y

/** Scripts whose words stand side by side, without a space. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
const isWord = /[\p{L}\p{N}\p{M}]/u

const isWholeBefore = (text: string, start: number, isOne: boolean): boolean => {
  if (start === 0) return true
  // A character before it may be an escape itself, such as that of a space.
  const before = meaningOf(text.slice(Math.max(0, start - contextMax), start))
  const last = Array.from(before.slice(-4))
  const [previous, character] = [last.at(-2) ?? "", last.at(-1) ?? ""]
  if (straddles(before, text.slice(start, start + 10))) return false
  if (isWord.test(character)) {
    return !isOne && unspaced.test(character) && !unspaced.test(String.fromCodePoint(text.codePointAt(start)!))
  }
  if (/[.+\-_]/.test(character)) return false
  // These belong to an address where they follow a part of it, such as o'brien@.
  return !/['!*~$%&#]/.test(character) || !/[\p{L}\p{N}\p{M}.+\-_]/u.test(previous)
}

const isWholeAfter = (text: string, end: number, isOne: boolean): boolean => {
  if (end === text.length) return true
  const [character = "", next = ""] = Array.from(meaningOf(text.slice(end, end + contextMax)).slice(0, 4))
  if (isWord.test(character)) {
    return !isOne && unspaced.test(character) && !unspaced.test(text.at(end - 1) ?? "")
  }
  if (character === "-") return !/[\p{L}\p{N}\p{M}-]/u.test(next)
  if (character === "\u3002") return !/[a-z0-9]/i.test(next)
  return !isDot(character) || !isWord.test(next)
}

/** Enough for a character that is escaped several times. */
const contextMax = 64

// Any address ------------------------------------------------------------------------

const label = String.raw`[\p{L}\p{N}\p{M}_-]+`
const local = String.raw`[\p{L}\p{N}\p{M}.+\-_'!*~$%&#]`
// It begins where a run of such characters does, and not at each of them: a long text without an address is read once.
const anyAddress = new RegExp(String.raw`(?<!${local})${local}+@${label}(?:\.${label})+`, "gu")

const anyIn = (layer: Layer): ReadonlyArray<Range> =>
  [...layer.text.matchAll(anyAddress)].map(({ 0: { length }, index }) => sourceOf(layer, index, index + length))

// ------------------------------------------------------------------------------------

/** Ranges of several spellings may overlap: they are one. */
const replaced = (text: string, ranges: ReadonlyArray<Range>, by: string): string => {
  if (ranges.length === 0) return text
  let [after, place] = ["", 0]
  for (const { end, start } of ranges.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (start >= place) after += text.slice(place, start) + by
    place = Math.max(place, end)
  }
  return after + text.slice(place)
}
