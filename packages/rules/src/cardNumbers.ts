/**
 * Finds card numbers in texts by their form: 13 to 19 digits that pass Luhn's check, in one piece or in groups (spec:
 * API log; silences: A3). Pure, and linear in the text's length.
 */

export const cardDigitsMin = 13
export const cardDigitsMax = 19

/** For digits only: whether the check digit is correct, and a network issues such numbers. */
export const isCardNumber = (digits: string): boolean => numberIn(numbersOf([digits]), 0) === 1

/**
 * `text` with `replacement` for each card number in it. Everything else stays unchanged, including digits of other
 * scripts.
 */
export const cutCardNumbers = (text: string, replacement: string): string => {
  // Has one character for each character of the text.
  const ascii = asciiOf(text)
  if (!mayHold(ascii)) return text
  let kept = ""
  let done = 0
  for (const { 0: run, index: at } of ascii.matchAll(candidates)) {
    if (run.startsWith("%")) continue
    for (const [begin, end] of cardsIn(ascii, run, at)) {
      kept += text.slice(done, begin) + replacement
      done = end
    }
  }
  return kept + text.slice(done)
}

/**
 * Full-width digits and those of other scripts are digits to a reader, and keyboards produce them. Those beyond the
 * basic plane, which take two units each, are ignored.
 */
const asciiOf = (text: string): string =>
  beyondAscii.test(text) ? text.replace(otherDigits, (digit) => digitOf(digit.charCodeAt(0))) : text

const beyondAscii = /[\u0660-\uffff]/
const otherDigits = /(?=[\u0660-\uffff])\p{Nd}/gu

/** The ten digits of a script are adjacent, with no other digit next to them. There are some 370. */
const digitOf = (code: number): string => {
  const known = otherDigitsKnown.get(code)
  if (known !== undefined) return known
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCharCode(code - value - 1))) value++
  otherDigitsKnown.set(code, String(value))
  return String(value)
}
const otherDigitsKnown = new Map<number, string>()

/**
 * Whether there are enough digits separated only by characters that may occur in a number. Most texts are done here.
 */
const mayHold = (text: string): boolean => {
  if (text.length < cardDigitsMin) return false
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) {
      if (++digits === cardDigitsMin) return true
    } else if (!isBetween(code)) digits = 0
  }
  return false
}

/** Space, tab, line break, `+`, `-`, `.`, `/`, `_`, `,`, `%` (an escape), the D of `%2D`, and whatever is not ASCII. */
const isBetween = (code: number): boolean =>
  (code >= 9 && code <= 13) ||
  code === 32 ||
  (code >= 43 && code <= 47) ||
  code === 95 ||
  code === 37 ||
  code === 68 ||
  code === 100 ||
  code > 127

/**
 * The separators between two digits of a number, also in a form or a URL. An escape before a number is skipped as a
 * whole: its digits are not part of a number.
 */
const separators = "(?:[\\s+\\u2010-\\u2015\\u200b./_,-]|%20|%2[DdEeFf]|%09){0,3}"
const candidates = new RegExp(`%[0-9A-Fa-f]{2}|\\d(?:${separators}\\d){${cardDigitsMin - 1},}`, "g")
const groupOf = /%[0-9A-Fa-f]{2}|\d+/g

/**
 * The positions of card numbers in a run. A number starts and ends at group boundaries; of several candidates the
 * longest counts.
 */
const cardsIn = (text: string, run: string, at: number): ReadonlyArray<readonly [begin: number, end: number]> => {
  const groups = Array.from(run.matchAll(groupOf), ({ 0: digits, index }) => ({ digits, index })).filter(
    ({ digits }) => !digits.startsWith("%")
  )
  const numbers = numbersOf(groups.map(({ digits }) => digits))
  const cards: Array<readonly [number, number]> = []
  for (let first = 0; first < groups.length; first++) {
    const begin = at + groups[first]!.index
    const after = numberIn(numbers, first)
    if (after === undefined || isPartOfId(text, begin)) continue
    const last = groups[after - 1]!
    cards.push([begin, at + last.index + last.digits.length])
    first = after - 1
  }
  return cards
}

/**
 * Whether a network issues numbers with this prefix. None starts with 0, and Unix times and dates start with 1, 20 and
 * 21: `1767225600000`, `20261122142413008`. Among those only UATP (1) and JCB (1800, 2131) are cards, with 15 digits,
 * which no time has. A field with the name of a card field is redacted whatever its value (`redaction.ts`).
 */
const isIssued = (head: string, length: number): boolean =>
  /^(?:2[2-7]|[3-9])/.test(head) || (length === 15 && /^(?:1|2131)/.test(head))

/**
 * Consecutive groups of digits, with prefix sums for Luhn: in `even` digits with an even index count double, in `odd`
 * the others. So the sum of any range is one subtraction.
 */
interface Numbers {
  readonly digits: string
  /** The first digit of each group, and the end. */
  readonly begins: ReadonlyArray<number>
  readonly even: ReadonlyArray<number>
  readonly odd: ReadonlyArray<number>
}

const numbersOf = (groups: ReadonlyArray<string>): Numbers => {
  const digits = groups.join("")
  const begins = [0]
  for (const { length } of groups) begins.push(begins.at(-1)! + length)
  const even = [0]
  const odd = [0]
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(index) - 48
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
    even.push(even[index]! + (index % 2 === 0 ? doubled : digit))
    odd.push(odd[index]! + (index % 2 === 0 ? digit : doubled))
  }
  return { digits, begins, even, odd }
}

/** The group after the longest number that begins with this one. */
const numberIn = ({ begins, digits, even, odd }: Numbers, first: number): number | undefined => {
  const begin = begins[first]!
  const head = digits.slice(begin, begin + 4)
  let found: number | undefined
  for (let after = first + 1; after < begins.length; after++) {
    const end = begins[after]!
    const length = end - begin
    if (length > cardDigitsMax) break
    if (length < cardDigitsMin) continue
    // The last digit counts once, the one before it twice.
    const sums = end % 2 === 0 ? even : odd
    if ((sums[end]! - sums[begin]!) % 10 === 0 && isIssued(head, length)) found = after
  }
  return found
}

/** Our own ids are a prefix, `_`, and 26 characters of Crockford's base 32. */
const idLength = 26
const isPartOfId = (text: string, at: number): boolean => {
  let start = at
  while (at - start < idLength && isBase32(text, start - 1)) start--
  if (text[start - 1] !== "_") return false
  let end = at
  while (end - start <= idLength && isBase32(text, end)) end++
  return end - start === idLength
}
const isBase32 = (text: string, at: number): boolean => /^[0-9A-HJKMNP-TV-Z]$/.test(text[at] ?? "")
