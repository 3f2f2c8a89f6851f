/**
 * Branded identifiers, and how ours are made. A brand costs nothing at run time and makes `refund(tradeNo, refundNo)`
 * with swapped arguments a type error.
 */
import { DateTime, Schema } from "effect"
import { outTradeNoLengthMax } from "./Limits.ts"
import { OneLine } from "./Text.ts"

/** Determined only by the API key (spec: General rules, 1). */
export const Mode = Schema.Literals(["sandbox", "live"])
export type Mode = typeof Mode.Type

/** Platform transaction number. Prefix `TRD_SB_` in sandbox, `TRD_` in live (spec: Order). */
export const TradeNo = Schema.String.check(Schema.isPattern(/^TRD_(SB_)?[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("TradeNo")
)
export type TradeNo = typeof TradeNo.Type

/**
 * Merchant order number. `NewOutTradeNo` checks once what a merchant may send: a row that was written under another
 * rule can still be read.
 */
export const OutTradeNo = Schema.String.pipe(Schema.brand("OutTradeNo"))
export type OutTradeNo = typeof OutTradeNo.Type

/** 1 to 128 characters (spec: Limits). The prefix `plink_` is the links' own (silences: O5). */
export const NewOutTradeNo = OneLine(1, outTradeNoLengthMax)
  .check(
    Schema.isPattern(/^(?!plink_)/, { expected: "a number that does not begin with plink_: use a number of your own" })
  )
  .pipe(Schema.brand("OutTradeNo"))

export const MerchantId = Schema.String.check(Schema.isPattern(/^mer_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("MerchantId")
)
export type MerchantId = typeof MerchantId.Type

/** Upstream channel payment number (spec: Order, payment_id). */
export const PaymentId = Schema.String.check(Schema.isMinLength(1)).pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** The channel of a payment, a refund or a dispute: the name of its folder in `src/channels`. */
export const ChannelName = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_]{0,31}$/)).pipe(
  Schema.brand("ChannelName")
)
export type ChannelName = typeof ChannelName.Type

/** Unique per request; equals the `X-Request-Id` header (spec: Response envelope). */
export const RequestId = Schema.String.check(Schema.isPattern(/^req_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("RequestId")
)
export type RequestId = typeof RequestId.Type

export const EventId = Schema.String.check(Schema.isPattern(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("EventId")
)
export type EventId = typeof EventId.Type

export const LedgerId = Schema.String.check(Schema.isPattern(/^LED_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("LedgerId")
)
export type LedgerId = typeof LedgerId.Type

/** Platform refund number. */
export const RefundNo = Schema.String.check(Schema.isPattern(/^rfd_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("RefundNo")
)
export type RefundNo = typeof RefundNo.Type

/** Merchant refund number. */
export const OutRefundNo = Schema.String.pipe(Schema.brand("OutRefundNo"))
export type OutRefundNo = typeof OutRefundNo.Type

/** Length and characters as {@link NewOutTradeNo} (silences: R5). */
export const NewOutRefundNo = OneLine(1, outTradeNoLengthMax).pipe(Schema.brand("OutRefundNo"))

/** Platform dispute number (spec: Dispute). */
export const DisputeNo = Schema.String.check(Schema.isPattern(/^dsp_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("DisputeNo")
)
export type DisputeNo = typeof DisputeNo.Type

export const PayoutNo = Schema.String.check(Schema.isPattern(/^pyt_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("PayoutNo")
)
export type PayoutNo = typeof PayoutNo.Type

/** A webhook endpoint (spec: Webhook endpoint). */
export const EndpointId = Schema.String.check(Schema.isPattern(/^whe_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("EndpointId")
)
export type EndpointId = typeof EndpointId.Type

/** Payment link (spec: Payment link). */
export const LinkId = Schema.String.check(Schema.isPattern(/^plink_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("LinkId")
)
export type LinkId = typeof LinkId.Type

/** A person who runs the installation. */
export const OperatorId = Schema.String.check(Schema.isPattern(/^opr_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("OperatorId")
)
export type OperatorId = typeof OperatorId.Type

/** A person who signs in to the console. */
export const PersonId = Schema.String.check(Schema.isPattern(/^per_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("PersonId")
)
export type PersonId = typeof PersonId.Type

/** A key with scopes. Its number is not a secret. */
export const ApiKeyId = Schema.String.check(Schema.isPattern(/^key_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("ApiKeyId")
)
export type ApiKeyId = typeof ApiKeyId.Type

/** A report that is written as a file. */
export const ReportNo = Schema.String.check(Schema.isPattern(/^rpt_[0-9A-HJKMNP-TV-Z]{26}$/)).pipe(
  Schema.brand("ReportNo")
)
export type ReportNo = typeof ReportNo.Type

/** Apart from the others: an index of the audit log covers those, and acts on keys name their merchant. */
export const apiKeyPrefix = "key_"
export const reportPrefix = "rpt_"

/** A request to erase a buyer. Apart from the others: no act of the audit log has one as its target. */
export const erasurePrefix = "ers_"
export const personPrefix = "per_"
export const sessionPrefix = "ses_"
export const passkeyPrefix = "psk_"
export const savedViewPrefix = "svw_"

/** The prefixes of our own numbers. */
export const prefixes = {
  tradeNo: { sandbox: "TRD_SB_", live: "TRD_" },
  merchant: "mer_",
  payment: "pay_",
  request: "req_",
  event: "evt_",
  ledger: "LED_",
  delivery: "dlv_",
  endpoint: "whe_",
  refund: "rfd_",
  dispute: "dsp_",
  payout: "pyt_",
  straySession: "ssn_",
  link: "plink_",
  mail: "mail_",
  operator: "opr_",
  auditEntry: "aud_"
} as const

// Crockford's base32: no I, L, O, U. Its ASCII order is its numeric order, so ids sort as text by time.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
/** By character code; 0 for characters that are not digits. */
const digitOf = Array.from({ length: 128 }, (_, code) => Math.max(0, alphabet.indexOf(String.fromCharCode(code))))
const timeLength = 10
const bodyLength = 26

/** The character codes of the id under construction. Building a string character by character would create garbage. */
const codes = Array.from({ length: bodyLength }, () => 0)

/** 26 characters: 10 of milliseconds since 1970, 16 of randomness (numbers from 0 to 31). */
export const idBody = (millis: number, random: ArrayLike<number>): string => {
  for (let rest = millis, index = timeLength - 1; index >= 0; index--) {
    codes[index] = alphabet.charCodeAt(rest % 32)
    rest = Math.floor(rest / 32)
  }
  for (let index = timeLength; index < bodyLength; index++) {
    codes[index] = alphabet.charCodeAt(random[index - timeLength]! & 31)
  }
  return String.fromCharCode(...codes)
}

const bodyPattern = new RegExp(`^[${alphabet}]{${bodyLength}}$`)

/** Whether a text is a number of ours with this prefix. */
export const isNumbered = (prefix: string, id: string): boolean =>
  id.startsWith(prefix) && bodyPattern.test(id.slice(prefix.length))

/** The part after the prefix. Bodies of one account's ids have one order, whatever the ids are of. */
export const bodyOf = (id: string): string => id.slice(-bodyLength)

/** When an id was made: milliseconds since 1970. */
export const millisOfId = (id: string): number => {
  const from = Math.max(0, id.length - bodyLength)
  const end = Math.min(from + timeLength, id.length)
  let millis = 0
  for (let index = from; index < end; index++) millis = millis * 32 + (digitOf[id.charCodeAt(index)] ?? 0)
  return millis
}

/** When an object was created. It follows from its id, so that `created_at` has the order of the ids. */
export const createdAtOf = (id: string): DateTime.Utc => DateTime.makeUnsafe(millisOfId(id))

/** The lowest body of ids made at this time or later. */
export const firstIdBody = (millis: number): string => idBody(Math.max(0, millis), [])

/** The next id after `body`, which keeps ids monotonic within a millisecond or a wallet. */
export const idBodyAfter = (body: string): string => {
  for (let index = body.length - 1; index >= 0; index--) {
    const digit = alphabet.indexOf(body[index]!)
    if (digit < 31) return body.slice(0, index) + alphabet[digit + 1]! + "0".repeat(body.length - index - 1)
  }
  return body
}
