/**
 * The refund: its states, the commands it accepts and the facts it records (spec: Refund; States and transitions,
 * Refund). `order/decide.ts` says what an order allows; `consequences.ts` says what a fact moves.
 *
 * Two states are ours. `reserved`: the amount is promised and the channel is being asked. `void`: the channel surely
 * did nothing and the merchant was told so; there is no such refund any more.
 */
import { ChannelName, MerchantId, Mode, OutRefundNo, PaymentId, RefundNo, TradeNo } from "@coffer/model/Ids"
import { Metadata, MetadataPatch } from "@coffer/model/Metadata"
import { Currency, Minor } from "@coffer/model/Money"
import { Schema } from "effect"

/** The terms of the refund; none of them ever changes. */
export const terms = {
  refundNo: RefundNo,
  outRefundNo: OutRefundNo,
  tradeNo: TradeNo,
  merchantId: MerchantId,
  mode: Mode,
  /** The payment's channel, which is asked to pay it back. */
  channel: ChannelName,
  /** The payment that is paid back, by the channel's number. */
  paymentId: PaymentId,
  amount: Minor,
  /** As it was asked for: null means all that remained. A repeat has to ask for the same (silences: R4). */
  requestedAmount: Schema.NullOr(Minor),
  currency: Currency,
  reason: Schema.NullOr(Schema.String),
  /** Where the order wants its events, and so those of its refunds. */
  notifyUrl: Schema.NullOr(Schema.String),
  /** The idempotency claim that the request held, when it named no number. */
  request: Schema.NullOr(Schema.String),
  /** The run of the program that reserved it and asks the channel; null: unknown. */
  run: Schema.NullOr(Schema.Int),
  createdAt: Schema.DateTimeUtc
}

const notes = { metadata: Metadata, updatedAt: Schema.DateTimeUtc }

export const Refund = Schema.Union([
  Schema.Struct({ status: Schema.tag("reserved"), ...terms, ...notes }),
  Schema.Struct({ status: Schema.tag("pending"), ...terms, ...notes }),
  Schema.Struct({ status: Schema.tag("succeeded"), ...terms, ...notes, settledAt: Schema.DateTimeUtc }),
  Schema.Struct({ status: Schema.tag("failed"), ...terms, ...notes, failureReason: Schema.String }),
  Schema.Struct({ status: Schema.tag("void"), ...terms, ...notes })
]).pipe(Schema.toTaggedUnion("status"))
export type Refund = typeof Refund.Type

export const RefundCommand = Schema.TaggedUnion({
  /** The channel paid the buyer. */
  Confirm: { at: Schema.DateTimeUtc },
  /** The channel will settle later, or it is unknown what it did: ask again. */
  Await: { at: Schema.DateTimeUtc },
  /** Asked for the first time, the channel surely did nothing. */
  Abandon: { at: Schema.DateTimeUtc },
  /** The channel will not pay the buyer, or took the money back after it had. */
  Reject: { at: Schema.DateTimeUtc, reason: Schema.String },
  /** The merchant's own notes, merged into what is there. */
  Annotate: { at: Schema.DateTimeUtc, patch: MetadataPatch }
})
export type RefundCommand = typeof RefundCommand.Type

export const RefundEvent = Schema.TaggedUnion({
  RefundSucceeded: { at: Schema.DateTimeUtc },
  RefundAccepted: { at: Schema.DateTimeUtc },
  RefundAbandoned: { at: Schema.DateTimeUtc },
  RefundFailed: { at: Schema.DateTimeUtc, reason: Schema.String },
  /** It had succeeded (silences: R9). */
  RefundReversed: { at: Schema.DateTimeUtc, reason: Schema.String },
  RefundAnnotated: { at: Schema.DateTimeUtc, metadata: Metadata }
})
export type RefundEvent = typeof RefundEvent.Type

export class RefundConflict extends Schema.TaggedError<RefundConflict>()("RefundConflict", {
  refundNo: RefundNo,
  reason: Schema.Literals([
    /** The channel says what cannot follow what it said before; a person has to look. */
    "already_failed",
    "already_void",
    "too_many_keys"
  ])
}) {}
