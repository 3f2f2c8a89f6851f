/**
 * Removes a buyer's words from stored JSON (docs/decisions/0103), and other buyers' words from an archive. Numbers,
 * amounts, states and times stay. Pure, and total on anything that a merchant may have sent.
 */
import { textNames } from "@coffer/model/Evidence"
import { linkKey } from "@coffer/model/Metadata"
import { archivedColumns, type Words } from "@coffer/resources/Resource"
import { tables } from "@coffer/resources/tables"
import { erasedText, mayNameAnybody, otherText, wholeAddress } from "./wholeAddress.ts"

export { erasedText }

/** Deeper values are not inspected, so they are erased. */
const depthMax = 64

export interface Buyer {
  /** Undefined where one order is erased, and not a buyer's address. */
  readonly email: string | undefined
  /** Whether this is the number of an erased order, or of an object that belongs to one. */
  readonly isErased: (number: string) => boolean
}

export interface Eraser {
  /** The text without the address. `others`: addresses by which its object is known. */
  readonly text: (text: string, others?: ReadonlyArray<string>) => string
  /** For our own JSON: an object with an erased number loses the buyer's words. */
  readonly answer: (value: unknown, isOwn?: boolean, others?: ReadonlyArray<string>) => unknown
  /** For a merchant's body about an erased object: loses everything except known numbers and our own words. */
  readonly request: (value: unknown) => unknown
}

type Fields = Readonly<Record<string, unknown>>

export const makeEraser = ({ email, isErased }: Buyer): Eraser => {
  const address = email === undefined ? undefined : wholeAddress(email)
  const text = (value: string, others: ReadonlyArray<string> = []) => address?.without(value, others) ?? value

  const answer = (value: unknown, isOwn: boolean, others: ReadonlyArray<string>, depth: number): unknown => {
    if (typeof value === "string") return text(value, others)
    if (typeof value !== "object" || value === null) return value
    if (depth > depthMax) return erasedText
    if (Array.isArray(value)) return value.map((item) => answer(item, isOwn, others, depth + 1))
    const known = [...others, ...addressesOf(value as Fields)]
    const own = isOwn || hasNumber(value as Fields, isErased)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        text(name, known),
        own && isPersonal(name, value) ? blank(name, field) : answer(field, own, known, depth + 1)
      ])
    )
  }

  const blank = (name: string, value: unknown, depth = 0): unknown => {
    // As in the row of an erased order.
    if (nulledNames.has(name)) return null
    if (name === keyName && typeof value === "string") return withoutAnyAddress(value)
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
        keptNames.has(name) ? answer(field, false, [], 0) : blank(name, field)
      ])
    )
  }

  return { text, answer: (value, isOwn = false, others = []) => answer(value, isOwn, others, 0), request }
}

// For an archive --------------------------------------------------------------------

/** The placeholder in an archive for the words of another buyer's object. */
export const unshownText = "[not shown]"

export interface Archivist {
  /** The text without the addresses of others. */
  readonly text: (text: string) => string
  /** For our own JSON: of another buyer's object only this buyer's address is kept. */
  readonly answer: (value: unknown, isOwn?: boolean) => unknown
  /** For a merchant's body. */
  readonly request: (value: unknown, isOwn?: boolean) => unknown
}

/** The archive of a buyer has nothing that the erasure of another buyer would remove. */
export const makeArchivist = (email: string, isOwnNumber: (number: string) => boolean): Archivist => {
  const address = wholeAddress(email)
  const isOwnObject = (value: Fields, isOwn: boolean) => {
    const named = addressesOf(value)
    if (named.some((one) => address.is(one))) return true
    return named.length === 0 && (isOwn || hasNumber(value, isOwnNumber))
  }

  const answer = (value: unknown, isOwn: boolean, depth: number): unknown => {
    if (typeof value === "string") return address.withoutOthers(value)
    if (typeof value !== "object" || value === null) return value
    if (depth > depthMax) return unshownText
    if (Array.isArray(value)) return value.map((item) => answer(item, isOwn, depth + 1))
    const own = isOwnObject(value as Fields, isOwn)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        address.withoutOthers(name),
        !own && isPersonal(name, value) ? addressAlone(field, 0) : answer(field, own, depth + 1)
      ])
    )
  }

  const addressAlone = (value: unknown, depth: number): unknown => {
    if (value === null || typeof value === "boolean") return value
    if (typeof value === "string" && address.isIn(value)) return email
    if (typeof value !== "object" || depth > depthMax) return unshownText
    if (Array.isArray(value)) return value.map((item) => addressAlone(item, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [address.withoutOthers(key), addressAlone(item, depth + 1)])
    )
  }

  const request = (value: unknown, isOwn: boolean): unknown => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return addressAlone(value, 0)
    const own = isOwnObject(value as Fields, isOwn)
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        address.withoutOthers(name),
        own || keptNames.has(name) ? answer(field, own, 0) : addressAlone(field, 0)
      ])
    )
  }

  return {
    text: address.withoutOthers,
    answer: (value, isOwn = false) => answer(value, isOwn, 0),
    request: (value, isOwn = false) => request(value, isOwn)
  }
}

export { otherText }

// Names -----------------------------------------------------------------------------

/** Fields that hold one address, and nothing else. */
const addressNames = ["receipt_email", "email", "recipient"] as const
const addressesOf = (value: Fields): ReadonlyArray<string> =>
  addressNames.flatMap((name) => {
    const field = value[name]
    return typeof field === "string" && field.includes("@") ? [field] : []
  })

const hasNumber = (value: Fields, isOne: (number: string) => boolean): boolean =>
  Object.entries(value).some(([name, field]) => numberNames.has(name) && typeof field === "string" && isOne(field))

/**
 * The fields that merchants see and that are declared to hold this: columns, and fields made by a view. JSON with parts
 * of different meaning is handled part by part.
 */
const columnsOf = (held: Words): ReadonlyArray<string> =>
  tables.flatMap((table) =>
    Object.entries({ ...archivedColumns(table), ...table.fields }).flatMap(([name, { shape, words }]) =>
      words === held && shape !== "objects" && typeof shape !== "object" ? [name] : []
    )
  )

/** Fields that an erased order has no more. */
const nulledNames: ReadonlySet<string> = new Set(columnsOf("address"))

/** Fields whose value may say that an object belongs to an erased order. */
const numberNames: ReadonlySet<string> = new Set([
  "trade_no",
  "out_trade_no",
  "refund_no",
  "dispute_no",
  "event_id",
  "id"
])

/** Shops build it from an address with a prefix, such as `cart-`. Most do not contain one. */
const keyName = "idempotency_key"
export const withoutAnyAddress = (key: string): string => (mayNameAnybody(key) ? erasedText : key)

/** The declared fields, those with another name on the wire, and those without a column. */
const personalNames: ReadonlySet<string> = new Set([
  ...nulledNames,
  ...columnsOf("words"),
  keyName,
  "email",
  "response_excerpt",
  "note",
  "problem",
  ...textNames
])

/** A dispute's reason is the bank's code, a refund's is the merchant's own text. The error of a call is a code. */
const isPersonal = (name: string, object: object): boolean =>
  personalNames.has(name) &&
  !(name === "reason" && "dispute_no" in object) &&
  !(name === "error" && !("recipient" in object))

/** Request fields that hold a number, an amount or one of our own words. */
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
