/**
 * The spellings of a text. A text in a URL, in JSON, HTML or Markdown is escaped, perhaps several times. Each layer is
 * the text with one more level unescaped, and knows the original positions of its characters.
 */

/** The canonical spelling of a text: lower case, composed accents. */
export interface Layer {
  readonly text: string
  /** The start and end of each unit in the original text; undefined: the same positions. */
  readonly places: { readonly starts: ReadonlyArray<number>; readonly ends: ReadonlyArray<number> } | undefined
}

/** The maximum of nested escape levels. */
const layersMax = 6

export const layersOf = (text: string): ReadonlyArray<Layer> => {
  const written: Layer = { text, places: undefined }
  const layers = [folded(written)]
  for (const read of readings(text)) {
    let layer = written
    for (let depth = 0; depth < layersMax; depth++) {
      const next = unescaped({ ...layer, text: read(layer.text) })
      if (next === undefined) break
      layers.push(folded(next))
      layer = next
    }
  }
  return layers
}

/** Only the texts of these layers: without positions they take a fraction of the time. */
export function* spellingsOf(text: string): Generator<string> {
  yield foldedText(text)
  for (const read of readings(text)) {
    let spelling = text
    for (let depth = 0; depth < layersMax && /[%\\&]/.test(spelling); depth++) {
      const next = unescapedText(read(spelling))
      if (next === spelling) break
      yield foldedText(next)
      spelling = next
    }
  }
}

/** A plus may be literal, or a form's space. */
const readings = (text: string): ReadonlyArray<(text: string) => string> =>
  text.includes("%") && /\+|%2b/i.test(text) ? [asWritten, spacesOfForms] : [asWritten]
const asWritten = (text: string): string => text

const unescapedText = (text: string): string =>
  text.replace(escape, (written) => {
    const pieces = piecesOf(written)
    return pieces.length === 1 ? pieces[0]!.text : pieces.map((piece) => piece.text).join("")
  })
const foldedText = (text: string): string => (/[A-Z]|\P{ASCII}/u.test(text) ? foldText(text) : text)

/**
 * A form writes a space as a plus, and a plus as %2B. It escapes each at-sign, so a value that has one is no form's.
 */
const spacesOfForms = (text: string): string =>
  text.replace(/=[^&#@\uFF20\\\s"<>]*/g, (value) => {
    const end = value.lastIndexOf("%")
    return end === -1 ? value : value.slice(0, end).replaceAll("+", " ") + value.slice(end)
  })

/** With all that is escaped undone. */
export const meaningOf = (text: string): string => {
  let layer: Layer = { text, places: undefined }
  for (let depth = 0; depth < layersMax; depth++) layer = unescaped(layer) ?? layer
  return layer.text
}

/** True: an escape spans both texts, so that they cannot be treated separately. */
export const straddles = (before: string, after: string): boolean => {
  const end = before.slice(-8)
  return [...(end + after).matchAll(escape)].some(
    ({ 0: { length }, index }) => index < end.length && index + length > end.length
  )
}

export const sourceOf = ({ places }: Layer, start: number, end: number) => ({
  start: places?.starts[start] ?? start,
  end: places?.ends[end - 1] ?? end
})

// Escapes ----------------------------------------------------------------------------

const escape = new RegExp(
  [
    /(?:%[0-9a-f]{2})+|%u[0-9a-f]{4}/,
    /\\u\{[0-9a-f]{1,6}\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["'\\/bfnrt@._+-]/,
    /&#x[0-9a-f]{1,6};?|&#[0-9]{1,7};?|&[a-z]{2,8};/
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi"
)

const escapedBy: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  commat: "@",
  period: ".",
  lowbar: "_",
  plus: "+",
  hyphen: "-",
  dash: "-",
  percnt: "%",
  equals: "=",
  sol: "/",
  bsol: "\\",
  num: "#",
  excl: "!"
}

interface Piece {
  readonly text: string
  /** How much of the original text it covers. */
  readonly length: number
}

/** Undoes one level of escapes; undefined if there are none. */
const unescaped = (layer: Layer): Layer | undefined => {
  const { text } = layer
  if (!/[%\\&]/.test(text)) return undefined
  let [result, place, isChanged] = ["", 0, false]
  const starts: Array<number> = []
  const ends: Array<number> = []
  const add = (piece: string, from: number, to: number) => {
    const { end, start } = sourceOf(layer, from, to)
    for (let unit = 0; unit < piece.length; unit++) {
      starts.push(start)
      ends.push(end)
    }
    result += piece
  }
  const keep = (to: number) => {
    for (; place < to; place++) add(text[place]!, place, place + 1)
  }
  for (const { 0: written, index } of text.matchAll(escape)) {
    keep(index)
    for (const piece of piecesOf(written)) {
      add(piece.text, place, place + piece.length)
      isChanged ||= piece.text.length !== piece.length
      place += piece.length
    }
  }
  keep(text.length)
  return isChanged ? { text: result, places: { starts, ends } } : undefined
}

const piecesOf = (written: string): ReadonlyArray<Piece> => {
  if (/^%[0-9a-f]{2}/i.test(written)) return bytesOf(written)
  const one = (text: string | undefined) => [{ text: text ?? written, length: written.length }]
  const kind = written.slice(0, 2).toLowerCase()
  if (kind === "%u" || kind === "\\u" || kind === "\\x") return one(letter(written.replace(/[^0-9a-f]/gi, ""), 16))
  if (kind === "&#") {
    return /^&#x/i.test(written)
      ? one(letter(written.replace(/^&#x|;/gi, ""), 16))
      : one(letter(written.replace(/\D/g, ""), 10))
  }
  if (written.startsWith("&")) return one(entities[written.slice(1, -1).toLowerCase()])
  return one(escapedBy[written[1]!] ?? written[1])
}

const letter = (digits: string, radix: number): string | undefined => {
  const code = Number.parseInt(digits, radix)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined
}

/** Bytes are UTF-8; one that is not is a letter of Latin 1, as older programs write it. */
const bytesOf = (written: string): ReadonlyArray<Piece> => {
  const bytes = written
    .slice(1)
    .split("%")
    .map((digits) => Number.parseInt(digits, 16))
  const pieces: Array<Piece> = []
  for (let place = 0; place < bytes.length;) {
    const length = lengthOf(bytes, place)
    pieces.push({ text: codeOf(bytes.slice(place, place + length)), length: length * 3 })
    place += length
  }
  return pieces
}

const lengthOf = (bytes: ReadonlyArray<number>, place: number): number => {
  const first = bytes[place]!
  const length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1
  const rest = bytes.slice(place + 1, place + length)
  return first < 0xf8 && rest.length === length - 1 && rest.every((byte) => byte >= 0x80 && byte < 0xc0) ? length : 1
}

const codeOf = (bytes: ReadonlyArray<number>): string => {
  const [first = 0, ...rest] = bytes
  if (rest.length === 0) return String.fromCharCode(first)
  const code = rest.reduce((sum, byte) => sum * 64 + (byte & 0x3f), first & (0x7f >> bytes.length))
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ""
}

// Letters ----------------------------------------------------------------------------

/** In lower case, with composed accents. Only ASCII letters map to ASCII letters. */
export const foldText = (text: string): string => folded({ text, places: undefined }).text

const folded = (layer: Layer): Layer => {
  const joined = /\p{M}/u.test(layer.text) ? withMarks(layer) : layer
  return { text: joined.text.replace(capitals, small), places: joined.places }
}

// Length and positions are kept. The Kelvin sign is not K, and İ is not I: their lower-case letters would be ASCII.
const capitals = /[\p{Changes_When_Lowercased}\uFF20]/gu
const small = (character: string): string => {
  if (character === "\uFF20") return "@"
  const lower = character.toLowerCase()
  const isAscii = character.codePointAt(0)! < 0x80
  return lower.length === character.length && (isAscii || lower.codePointAt(0)! >= 0x80) ? lower : character
}

/** Composes a letter with the marks after it, if Unicode has such a letter. */
const withMarks = (layer: Layer): Layer => {
  let result = ""
  const starts: Array<number> = []
  const ends: Array<number> = []
  for (const { 0: written, index } of layer.text.matchAll(/\P{M}\p{M}+|[^]/gu)) {
    const composed = written.length > 1 ? written.normalize("NFC") : written
    if (composed.length === written.length) {
      for (let unit = 0; unit < written.length; unit++) {
        const { end, start } = sourceOf(layer, index + unit, index + unit + 1)
        starts.push(start)
        ends.push(end)
      }
      result += written
      continue
    }
    const { end, start } = sourceOf(layer, index, index + written.length)
    for (let unit = 0; unit < composed.length; unit++) {
      starts.push(start)
      ends.push(end)
    }
    result += composed
  }
  return { text: result, places: { starts, ends } }
}
