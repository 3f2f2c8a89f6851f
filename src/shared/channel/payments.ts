/** Questions to a channel about payments and refunds, and its answers. */
import type { Account } from "@coffer/model/Account"
import { ChannelName, PaymentId, type RefundNo, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { PaidCard, PaymentMethod } from "@coffer/model/PaymentMethod"
import { PaymentAttempt } from "@coffer/rules/order/Order"
import { Schema } from "effect"
import type { Described } from "../../platform/commit/Change.ts"

/** A successful payment in the channel's words. */
export const ChannelPayment = Schema.Struct({
  channel: ChannelName,
  paymentId: PaymentId,
  method: PaymentMethod,
  /** Null where no card was charged. */
  card: Schema.NullOr(PaidCard),
  amount: Minor,
  currency: Currency,
  paidAt: Schema.DateTimeUtc,
  /** Until when the method allows refunds; null for ever (spec: Order, refundable_until). */
  refundableUntil: Schema.NullOr(Schema.DateTimeUtc),
  /** The amount is only held, until then; or it was held, and is captured now. Missing where it was charged at once. */
  hold: Schema.optionalKey(Schema.Union([Schema.Struct({ captureBy: Schema.DateTimeUtc }), Schema.Literal("captured")]))
})
export type ChannelPayment = typeof ChannelPayment.Type

/** A report of the channel about an order. It comes once or many times. */
export const ChannelReport = Schema.TaggedUnion({
  Succeeded: { payment: ChannelPayment },
  /** One attempt has failed; the buyer may try again. */
  Attempted: { attempt: PaymentAttempt },
  /** The channel holds nothing any more for this payment. */
  Released: { paymentId: PaymentId },
  /** The final report, with its attempt: this order will not be paid. */
  Failed: { attempt: PaymentAttempt }
})
export type ChannelReport = typeof ChannelReport.Type

/** The answer to "close this checkout". */
export type CancelReport =
  | { readonly _tag: "Cancelled" }
  | { readonly _tag: "AlreadyPaid"; readonly payment: ChannelPayment }
  | { readonly _tag: "BuyerBusy" }

/** The answer to "give this payment back". */
export type ReturnAnswer =
  | { readonly _tag: "Taken" }
  /** The channel will never return it; a retry is useless. */
  | { readonly _tag: "Refused"; readonly reason: string }

/** The answer to "capture this amount of the hold". */
export type CaptureAnswer =
  | { readonly _tag: "Captured"; readonly payment: ChannelPayment }
  /** It will be captured later, or whether it was is unknown; ask again. */
  | { readonly _tag: "Pending" }
  /** It was not captured, and the hold stays. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** The channel holds nothing any more. */
  | { readonly _tag: "Gone" }

/**
 * The answer to "release this hold". Captured: it was captured before, perhaps by others at the channel. Pending: it is
 * asked again with the same key.
 */
export type ReleaseAnswer = Extract<CaptureAnswer, { readonly _tag: "Captured" | "Pending" | "Gone" }>

/** A hold at a channel, and our key of the request about it. */
export interface HoldAt extends Checkout {
  readonly channel: ChannelName
  readonly paymentId: PaymentId
  readonly key: string
}

export interface Checkout extends Account {
  readonly tradeNo: TradeNo
}

/**
 * The channel did not do it. `closed`: it was not asked, since this installation makes no outside calls. `crowded`: it
 * is overloaded. `key`: it does not accept the operator's key. `refused`: it refuses for now; a later retry may
 * succeed. `unknown`: it was asked to cancel, and the outcome is unknown; the caller retries, and has changed nothing.
 * Left out: it gave no answer, and certainly did nothing.
 */
export class ChannelUnreachable extends Schema.TaggedError<ChannelUnreachable>()("ChannelUnreachable", {
  because: Schema.optionalKey(Schema.Literals(["closed", "crowded", "key", "refused", "unknown"])),
  /** The channel's own words. */
  channelWords: Schema.optionalKey(Schema.String),
  /** The channel is overloaded: when to retry. */
  retryAfterMillis: Schema.optionalKey(Schema.Number)
}) {}

export interface RefundRequest extends Account {
  readonly refundNo: RefundNo
  readonly channel: ChannelName
  readonly paymentId: PaymentId
  readonly amount: Minor
  readonly currency: Currency
}

export type RefundAnswer =
  /** `books`: rows of a channel that keeps its books in our database. The buyer is paid when they are committed. */
  | { readonly _tag: "Succeeded"; readonly books?: Described }
  /** It will settle later; ask again. */
  | { readonly _tag: "Pending" }
  | { readonly _tag: "Refused"; readonly reason: string }
