/**
 * Adyen's notices (its "standard webhooks"), checked and read (docs/decisions/0279). The signature covers the numbers,
 * the reference, the money, the code and whether it succeeded. The other fields are not signed: they never move money,
 * and only say how a payment looks to people. Pure.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { DateTime, Option, Predicate, Schema } from "effect"

const text = (max: number) => Schema.String.check(Schema.isMaxLength(max))
const number = Schema.String.check(Schema.isPattern(/^[\w.-]{1,255}$/))

const Amount = Schema.Struct({
  value: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  currency: Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/))
})

const Item = Schema.Struct({
  pspReference: number,
  originalReference: Schema.optionalKey(Schema.NullOr(text(255))),
  merchantAccountCode: text(255),
  merchantReference: text(255),
  amount: Amount,
  eventCode: Schema.String.check(Schema.isPattern(/^[A-Z_]{1,64}$/)),
  success: Schema.Literals(["true", "false"]),
  eventDate: text(64),
  paymentMethod: Schema.optionalKey(Schema.NullOr(Schema.String)),
  reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  additionalData: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
})
export type Item = typeof Item.Type

const Batch = Schema.Struct({
  live: Schema.Literals(["true", "false"]),
  notificationItems: Schema.Array(Schema.Struct({ NotificationRequestItem: Item }))
})

/** More would be no batch of Adyen, which sends one and seldom a few. */
const itemsMax = 100

const decodeBatch = Schema.decodeUnknownOption(Batch)

/** Looked at first: a body of half a megabyte has thousands of empty notices. */
const isShort = (body: unknown): boolean =>
  Predicate.hasProperty(body, "notificationItems") &&
  Array.isArray(body.notificationItems) &&
  body.notificationItems.length <= itemsMax

/** The notices of a body; none if it is no batch. */
export const readBatch = (body: unknown): Option.Option<{ readonly isLive: boolean; readonly items: Array<Item> }> =>
  Option.filter(
    Option.map(isShort(body) ? decodeBatch(body) : Option.none(), ({ live, notificationItems }) => ({
      isLive: live === "true",
      items: notificationItems.map((each) => each.NotificationRequestItem)
    })),
    ({ items }) => items.length > 0
  )

/** What the signature covers, in its order. */
export const signedText = (item: Item): string =>
  [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccountCode,
    item.merchantReference,
    String(item.amount.value),
    item.amount.currency,
    item.eventCode,
    item.success
  ].join(":")

/** `keys`: as hexadecimal digits. */
export const isSigned = (item: Item, keys: ReadonlyArray<string>): boolean => {
  const signature = Buffer.from(String(item.additionalData?.["hmacSignature"] ?? ""), "base64")
  return keys.some((key) => {
    const own = createHmac("sha256", Buffer.from(key, "hex")).update(signedText(item)).digest()
    return signature.length === own.length && timingSafeEqual(signature, own)
  })
}

/** A notice as it is stored. Its id is the same for each copy. */
export interface Notice {
  readonly code: string
  readonly pspReference: string
  readonly originalReference: string | null
  readonly reference: string
  readonly succeeded: boolean
  readonly amount: number
  readonly currency: string
  readonly method: string | null
  readonly cardLast4: string | null
  readonly reason: string | null
  readonly answerBy: DateTime.Utc | null
  readonly linkId: string | null
  readonly eventAt: DateTime.Utc
}

const timeOf = (written: unknown): DateTime.Utc | null =>
  typeof written === "string" ? Option.getOrNull(Option.map(DateTime.make(written), DateTime.toUtc)) : null

/** A field that is not signed, if it looks as it should. */
const shown = (pattern: RegExp, value: unknown): string | null =>
  typeof value === "string" && pattern.test(value) ? value : null

export const noticeOf = (item: Item, now: DateTime.Utc): Notice => {
  const { additionalData: more } = item
  const succeeded = item.success === "true"
  return {
    code: item.eventCode,
    pspReference: item.pspReference,
    originalReference: item.originalReference == null || item.originalReference === "" ? null : item.originalReference,
    reference: item.merchantReference,
    succeeded,
    amount: item.amount.value,
    currency: item.amount.currency,
    method: shown(/^\w{1,64}$/, item.paymentMethod),
    cardLast4: shown(/^\d{4}$/, more?.["cardSummary"]),
    // Of a payment it holds the card's digits and date.
    reason: succeeded && item.eventCode === "AUTHORISATION" ? null : shown(/^[^\p{C}]{1,255}$/u, item.reason),
    answerBy: timeOf(more?.["defensePeriodEndsAt"]),
    linkId: shown(/^\w{1,64}$/, more?.["paymentLinkId"] ?? more?.["checkout.linkId"]),
    // A clock that is ahead would make the payment one of the future.
    eventAt: DateTime.min(timeOf(item.eventDate) ?? now, now)
  }
}
