/**
 * Stored JSON without the words that tell of a buyer (docs/decisions/0103). Numbers, amounts, states and
 * times stay. Pure, and total on whatever a merchant may have sent.
 */
import { textNames } from "@coffer/model/Evidence"
import { linkKey } from "@coffer/model/Metadata"

/** Stands where something was erased. */
export const erasedText = "[erased]"

/** Deeper values are not looked at, so they are erased. */
const depthMax = 64

/**
 * An address as it may stand in a text: in upper or lower case, and as a part of an address on the web. The pattern
 * means the same to Postgres.
 */
export const addressPattern = (email: string): string =>
  Array.from(email.toLowerCase(), (character) => {
    const encoded = encodeURIComponent(character)
    const own = /[a-z0-9]/.test(character) || character.codePointAt(0)! > 127 ? character : `\\${character}`
    return encoded === character ? own : `(${own}|${encoded})`
  }).join("")

export interface Buyer {
  /** Undefined where one order is erased, and not a buyer's address. */
  readonly email: string | undefined
  /** True: this is a number of an order that was erased, or of something that belongs to one. */
  readonly isErased: (number: string) => boolean
}

export interface Eraser {
  /** The text without the address. */
  readonly text: (text: string) => string
  /** A JSON value of ours: an object that has an erased number loses what tells of the buyer. */
  readonly answer: (value: unknown, isOwn?: boolean) => unknown
  /** A body about an erased object, as a merchant sent it: all that is not known to be a number or a word of ours. */
  readonly request: (value: unknown) => unknown
}

export const makeEraser = ({ email, isErased }: Buyer): Eraser => {
  const pattern = email === undefined ? undefined : new RegExp(addressPattern(email), "gi")
  const text = (value: string) => (pattern === undefined ? value : value.replace(pattern, erasedText))

  const answer = (value: unknown, isOwn: boolean, depth: number): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value !== "object" || value === null) return value
    if (depth > depthMax) return erasedText
    if (Array.isArray(value)) return value.map((item) => answer(item, isOwn, depth + 1))
    const fields = Object.entries(value)
    const own = isOwn || fields.some(([name, field]) => numberNames.has(name) && isErasedNumber(field))
    return Object.fromEntries(
      fields.map(([name, field]) => [
        text(name),
        own && isPersonal(name, value) ? blank(name, field) : answer(field, own, depth + 1)
      ])
    )
  }
  const isErasedNumber = (field: unknown) => typeof field === "string" && isErased(field)

  const blank = (name: string, value: unknown, depth = 0): unknown => {
    if (value === null || typeof value === "boolean" || name === linkKey) return value
    if (typeof value !== "object" || depth > depthMax) return erasedText
    if (Array.isArray(value)) return value.map((item) => blank("", item, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), blank(key, item, depth + 1)]))
  }

  const request = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return blank("", value)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        text(name),
        keptNames.has(name) ? answer(field, false, 0) : blank(name, field)
      ])
    )
  }

  return { text, answer: (value, isOwn = false) => answer(value, isOwn, 0), request }
}

/** Fields whose value may say that an object belongs to an erased order. */
const numberNames: ReadonlySet<string> = new Set([
  "trade_no",
  "out_trade_no",
  "refund_no",
  "dispute_no",
  "event_id",
  "id"
])

const personalNames: ReadonlySet<string> = new Set([
  "metadata",
  "receipt_email",
  "email",
  "recipient",
  "card",
  "paid_card",
  "subject",
  "receipt_failure_reason",
  "response_excerpt",
  "note",
  "problem",
  "evidence",
  "files",
  ...textNames
])

/** A dispute's reason is a word of the bank, a refund's the merchant's own text. */
const isPersonal = (name: string, object: object): boolean =>
  personalNames.has(name) || (name === "reason" && !("dispute_no" in object))

/** Fields of requests that hold a number, an amount or one of our words. */
const keptNames: ReadonlySet<string> = new Set([
  "trade_no",
  "out_trade_no",
  "refund_no",
  "out_refund_no",
  "amount",
  "currency",
  "payment_method",
  "locale",
  "notify_url",
  "return_url",
  "outcome"
])
