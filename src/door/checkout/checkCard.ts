/**
 * Checks a card for the sandbox: answers mistaken fields, that the number is not a test card, or the bank's answer.
 * Pure. The result has no more of the number than its last four digits (docs/architecture.md, section 7).
 */
import type { PaidCard } from "@coffer/model/PaymentMethod"

export interface CardEntry {
  readonly number: string
  readonly expiry: string
  readonly cvc: string
}

export type CardField = keyof CardEntry
export type CardCheck =
  /** `empty`: the fields that are empty. */
  | { readonly _tag: "Mistaken"; readonly fields: ReadonlySet<CardField>; readonly empty: ReadonlySet<CardField> }
  | { readonly _tag: "NotATestCard" }
  | { readonly _tag: "TestCard"; readonly outcome: CardOutcome; readonly card: PaidCard }

/**
 * The test cards, all of them Visa's, and how the bank answers each. `redirect` asks for 3DS; `processing` reports the
 * payment later.
 */
export const testCards = {
  "4242424242424242": "succeed",
  "4000000000000002": "declined",
  "4000000000009995": "insufficientFunds",
  "4000000000000069": "cardExpired",
  "4000000000009979": "callBank",
  "4000002760003184": "redirect",
  "4000000000000077": "processing"
} as const
export type CardOutcome = (typeof testCards)[keyof typeof testCards]

/** `now`: the year and the month, from 1. */
export const checkCard = (entry: CardEntry, now: { readonly year: number; readonly month: number }): CardCheck => {
  const number = normalizeDigits(entry.number).replace(/[\s-]/g, "")
  const fields = new Set<CardField>()
  if (!/^\d{12,19}$/.test(number) || !isLuhn(number)) fields.add("number")
  if (!isValidExpiry(entry.expiry, now)) fields.add("expiry")
  if (!/^\d{3,4}$/.test(normalizeDigits(entry.cvc))) fields.add("cvc")
  if (fields.size > 0) {
    return {
      _tag: "Mistaken",
      fields,
      empty: new Set([...fields].filter((name) => normalizeDigits(entry[name]) === ""))
    }
  }
  return Object.hasOwn(testCards, number)
    ? {
        _tag: "TestCard",
        outcome: testCards[number as keyof typeof testCards],
        card: { brand: "visa", last4: number.slice(-4) }
      }
    : { _tag: "NotATestCard" }
}

/**
 * A card is valid until the end of the month on it. The digits are enough, as a phone's numeric keys have no slash:
 * `1234` is December 2034.
 */
export const isValidExpiry = (text: string, now: { readonly year: number; readonly month: number }): boolean => {
  const written = normalizeDigits(text)
  const [, month, year] =
    /^(\d{1,2})\s*[\s/.-]\s*(?:20)?(\d{2})$/.exec(written) ?? /^(\d{2})(?:20)?(\d{2})$/.exec(written) ?? []
  if (month === undefined || year === undefined) return false
  const [lastMonth, lastYear] = [Number(month), 2000 + Number(year)]
  if (lastMonth < 1 || lastMonth > 12) return false
  return lastYear > now.year || (lastYear === now.year && lastMonth >= now.month)
}

/** Normalizes the full-width digits of Chinese keyboards. */
const normalizeDigits = (text: string): string => text.normalize("NFKC").trim()

/** Checks the Luhn digit of ISO/IEC 7812, which detects a mistyped digit and most swapped neighbours. */
const isLuhn = (digits: string): boolean => {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
