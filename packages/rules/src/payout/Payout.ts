/**
 * The payout: money on its way from a wallet to the merchant's own bank. The specification has its ledger rows and its
 * total, and no endpoint to ask for one; the states and commands are ours (silences: B2). `consequences.ts` says what
 * each fact moves.
 */
import { MerchantId, Mode, PayoutNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { Schema } from "effect"

/** The terms of the payout; none of them ever changes. */
export const terms = {
  payoutNo: PayoutNo,
  merchantId: MerchantId,
  mode: Mode,
  currency: Currency,
  amount: Minor,
  /** As the merchant's settings had it when the payout was asked for: what was promised is what is charged. */
  fee: Minor,
  /** The operator's own number for it; two requests with one number are one payout. */
  reference: Schema.NullOr(Schema.String),
  createdAt: Schema.DateTimeUtc
}

const updatedAt = Schema.DateTimeUtc

export const Payout = Schema.Union([
  /** Waits for review; its amount is frozen. */
  Schema.Struct({ status: Schema.tag("requested"), ...terms, updatedAt }),
  /** On its way to the bank. */
  Schema.Struct({ status: Schema.tag("approved"), ...terms, updatedAt }),
  Schema.Struct({ status: Schema.tag("succeeded"), ...terms, updatedAt }),
  Schema.Struct({ status: Schema.tag("rejected"), ...terms, updatedAt }),
  Schema.Struct({ status: Schema.tag("failed"), ...terms, updatedAt })
]).pipe(Schema.toTaggedUnion("status"))
export type Payout = typeof Payout.Type

export const PayoutCommand = Schema.TaggedUnion({
  Approve: { at: Schema.DateTimeUtc },
  Reject: { at: Schema.DateTimeUtc },
  /** The bank has it. */
  Complete: { at: Schema.DateTimeUtc },
  /** The bank sent it back, or never took it. */
  Fail: { at: Schema.DateTimeUtc }
})
export type PayoutCommand = typeof PayoutCommand.Type

export const PayoutEvent = Schema.TaggedUnion({
  PayoutApproved: { at: Schema.DateTimeUtc },
  PayoutRejected: { at: Schema.DateTimeUtc },
  PayoutSucceeded: { at: Schema.DateTimeUtc },
  PayoutFailed: { at: Schema.DateTimeUtc }
})
export type PayoutEvent = typeof PayoutEvent.Type

/** The step does not follow from where the payout is. */
export class PayoutConflict extends Schema.TaggedError<PayoutConflict>()("PayoutConflict", {
  payoutNo: PayoutNo,
  reason: Schema.Literals([
    "not_approved",
    "already_approved",
    "already_succeeded",
    "already_rejected",
    "already_failed"
  ])
}) {}
