/**
 * A buyer is identified by a whole email address. The only code that decides whether a text contains an address, and
 * removes exactly that address, in any spelling: capitals, an internationalized host, percent-encoding, JSON or HTML
 * escapes, and any nesting of these. Pure, and total on any text.
 */
import { foldText, type Layer, layersOf, meaningOf, sourceOf, spellingsOf, straddles } from "./spelling.ts"

/** The placeholder for erased text. */
export const erasedText = "[erased]"

/** The placeholder for the hidden address of another person. */
export const otherText = "[another address]"

export interface WholeAddress {
  /** Whether this is the same address, in any spelling. */
  readonly is: (other: string | null | undefined) => boolean
  /** Whether the text contains it. `others`: addresses of its row, of which this may be a part. */
  readonly isIn: (text: string, others?: ReadonlyArray<string>) => boolean
  /** The text without it. */
  readonly without: (text: string, others?: ReadonlyArray<string>) => string
  /** Whether the text contains another address. */
  readonly isBesideOthers: (text: string) => boolean
  /** The text without other addresses. */
  readonly withoutOthers: (text: string) => string
}

/**
 * A prefilter for Postgres. A text that does not match contains no address in any spelling: each has an at-sign or an
 * escape. It narrows the rows to read, and `isIn` decides.
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
 * The spellings of an address that Postgres' `lower` keeps distinct: a column is looked up by each. Other spellings are
 * found by scanning rows.
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

/** `host`: its DNS labels. Undefined: the text is not an address. */
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

/** A label in DNS form. An impossible one is unchanged. */
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
/**
 * After one of these there is no host, or the host is spelled differently: addresses that differ there are distinct.
 */
const endsHost = /[/?#\\%[\]:\s]/
const labels = new Map<string, string>()
const labelsMax = 10_000

// Where an address stands ------------------------------------------------------------

const rangesOf = (text: string, wanted: Parts): ReadonlyArray<Range> => {
  if (wanted.host === undefined || wanted.local === "" || !mayHold.test(text)) return []
  // For nearly all texts this is the whole answer.
  if (!someOf(spellingsOf(text), (one) => one.includes(`${wanted.local}@`) || one.includes(`${wanted.local}"@`)))
    return []
  // A text that is an address as a whole is that address, whatever its scripts.
  const isOne = aloneIsOne.test(text.trim())
  return layersOf(text).flatMap((layer) => rangesIn(layer, wanted, isOne))
}

const someOf = (texts: Iterable<string>, isOne: (text: string) => boolean): boolean => {
  for (const text of texts) if (isOne(text)) return true
  return false
}

/** No address contains such a character, also not in full width. A full-width full stop may be its dot. */
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

/** The start of the local part before the at-sign; it may be quoted. */
const localBefore = (text: string, at: number, local: string): number | undefined => {
  if (text.endsWith(local, at)) return at - local.length
  return text.endsWith(`"${local}"`, at) ? at - local.length - 2 : undefined
}

/** The end of the host that starts here. */
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
  // As long as possible; and as long as it is in one script, for scripts without spaces.
  for (const pattern of [longestLabel, latinLabel]) {
    pattern.lastIndex = from
    const run = pattern.exec(text)?.[0]
    if (run !== undefined && labelOf(run) === label) return run.length
  }
  // An impossible host is kept as written.
  return text.startsWith(label, from) ? label.length : undefined
}
const longestLabel = /[\p{L}\p{N}\p{M}](?:-*[\p{L}\p{N}\p{M}])*/uy
const latinLabel = /[a-z0-9](?:-*[a-z0-9])*/y

/** Scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u
const isWord = /[\p{L}\p{N}\p{M}]/u

const isWholeBefore = (text: string, start: number, isOne: boolean): boolean => {
  if (start === 0) return true
  // The character before it may itself be part of an escape, such as that of a space.
  const before = meaningOf(text.slice(Math.max(0, start - contextMax), start))
  const last = Array.from(before.slice(-4))
  const [previous, character] = [last.at(-2) ?? "", last.at(-1) ?? ""]
  if (straddles(before, text.slice(start, start + 10))) return false
  if (isWord.test(character)) {
    return !isOne && unspaced.test(character) && !unspaced.test(String.fromCodePoint(text.codePointAt(start)!))
  }
  if (/[.+\-_]/.test(character)) return false
  // Characters that belong to an address if they follow a part of it, such as in o'brien@.
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

/** Enough for a character with several levels of escapes. */
const contextMax = 64

// Any address ------------------------------------------------------------------------

const label = String.raw`[\p{L}\p{N}\p{M}_-]+`
const local = String.raw`[\p{L}\p{N}\p{M}.+\-_'!*~$%&#]`
// It starts only at the start of a run of such characters, so that a long text without an address is scanned once.
const anyAddress = new RegExp(String.raw`(?<!${local})${local}+@${label}(?:\.${label})+`, "gu")

const anyIn = (layer: Layer): ReadonlyArray<Range> =>
  [...layer.text.matchAll(anyAddress)].map(({ 0: { length }, index }) => sourceOf(layer, index, index + length))

// ------------------------------------------------------------------------------------

/** Merges overlapping ranges of several spellings. */
const replaced = (text: string, ranges: ReadonlyArray<Range>, by: string): string => {
  if (ranges.length === 0) return text
  let [after, place] = ["", 0]
  for (const { end, start } of ranges.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (start >= place) after += text.slice(place, start) + by
    place = Math.max(place, end)
  }
  return after + text.slice(place)
}
