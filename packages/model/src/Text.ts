/**
 * The two kinds of text that merchants write, checked where it comes in (silences: G17). A number, a name or a title is
 * one line: it appears in CSV cells, mail headers, logs and lists. Free text may have line breaks and tabs. Neither is
 * changed: it is read back as it was sent. Lengths count Unicode code points (silences: O4, O7).
 */
import { Schema } from "effect"

/** Single-line text, for a number, a name, an address or a title. */
export const OneLine = (min: number, max: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => isOneLine(text, min, max) || problemOf(text, { min, max, breaks: breaksLine }),
      {
        toJsonSchema: () => [{ minLength: min, maxLength: max }, true]
      }
    )
  )

/** Free text between people. */
export const FreeText = (max: number) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => isFreeText(text, max) || problemOf(text, { min: 0, max, breaks: controls }), {
      toJsonSchema: () => [{ maxLength: max }, true]
    })
  )

export const isOneLine = (text: string, min: number, max: number): boolean =>
  isLengthWithin(text, min, max) && isCleanLine(text)

export const isFreeText = (text: string, max: number): boolean => isLengthWithin(text, 0, max) && isClean(text)

/** What a text may be. */
interface TextRule {
  readonly min: number
  readonly max: number
  /** The characters that it may not have. */
  readonly breaks: RegExp
}

/** What is wrong with a text that is not taken, where, and what to do. */
const problemOf = (text: string, { breaks, max, min }: TextRule): string => {
  const line = breaks === breaksLine ? " on one line" : ""
  const found = breaks.exec(text)
  if (found !== null) {
    const at = codePoints(text.slice(0, found.index)) + 1
    return `must be text${line}. Remove the ${controlName(found[0])} at character ${at}`
  }
  if (!text.isWellFormed()) return "must be Unicode text. Remove the half of a surrogate pair"
  const length = codePoints(text)
  if (length < min) return `must have ${min} to ${max} characters${line}. It has ${length}: write more, or leave it out`
  return `must have at most ${max} characters${line}. It has ${length}: shorten it by ${length - max}`
}

const controlName = (found: string): string =>
  /[\r\n\u2028\u2029]/.test(found) ? "line break" : found === "\t" ? "tab" : "control character"

/** Of metadata: what is wrong with a key, or with a value. */
export const lineProblem = (text: string, min: number, max: number) => problemOf(text, { min, max, breaks: breaksLine })
export const freeTextProblem = (text: string, max: number) => problemOf(text, { min: 0, max, breaks: controls })

/** Blank text counts as none: no page or channel can show it as a title (silences: O7). */
export const titleOf = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text.trim() === "" ? null : text

/**
 * Truncates a text for a channel with a limit: at most this many UTF-16 units, of which there are at least as many as
 * code points. It cuts between graphemes, unless a single one is too long.
 */
export const beginningOf = (text: string, max: number): string => {
  if (text.length <= max) return text
  const start = new Intl.Segmenter().segment(text).containing(max)?.index ?? 0
  return text.slice(0, start > 0 ? start : max - (text.codePointAt(max - 1)! > 0xff_ff ? 1 : 0))
}

/** A lone surrogate is not a character, and Postgres cannot store NUL. */
const isCleanLine = (text: string): boolean => !breaksLine.test(text) && text.isWellFormed()
const isClean = (text: string): boolean => !controls.test(text) && text.isWellFormed()

// A form in a browser sends a line break as CR and LF. CR alone is a line break of no system in use.
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\r(?!\n)/

// All control characters, line and paragraph separators, and overrides of the writing direction. Marks and isolates,
// which Arabic and Hebrew need, end with the text and are allowed.
// oxlint-disable-next-line no-control-regex
const breaksLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/

// There are at most as many code points as units and at least half as many, so few texts need counting.
const isLengthWithin = (text: string, min: number, max: number): boolean => {
  if (text.length <= max && text.length >= min * 2) return true
  if (text.length < min || text.length > max * 2) return false
  const length = codePoints(text)
  return length >= min && length <= max
}

const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}
