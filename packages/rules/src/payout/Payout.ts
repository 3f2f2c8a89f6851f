/**
 * The payout: money that moves from a wallet to the merchant's own bank. The specification has its ledger rows and its
 * total, but no endpoint to request one; the states and commands are ours (silences: B2). Pure.
 */
import { PayoutNo } from "@coffer/model/Ids"
import { fixedFields } from "@coffer/resources/listed"
import { payouts } from "@coffer/resources/wallets"
import { Schema } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Consequence, nothing } from "../Consequence.ts"
import type { Movement } from "../wallet/post.ts"

/** The terms of the payout; none of them ever changes. */
export const terms = fixedFields(payouts)

const updatedAt = payouts.columns.updated_at.schema
/** Null if it was approved by a program that did not record it. */
const approved = { approvedAt: payouts.columns.approved_at.schema, ...terms, updatedAt }

export const Payout = Schema.Union([
  /** Waiting for review; its amount is frozen. */
  Schema.Struct({ status: Schema.tag("requested"), ...terms, updatedAt }),
  /** Being paid out by the bank. */
  Schema.Struct({ status: Schema.tag("approved"), ...approved }),
  Schema.Struct({ status: Schema.tag("succeeded"), ...approved }),
  Schema.Struct({ status: Schema.tag("rejected"), ...terms, updatedAt }),
  Schema.Struct({ status: Schema.tag("failed"), ...approved })
]).pipe(Schema.toTaggedUnion("status"))
export type Payout = typeof Payout.Type

export const PayoutCommand = Schema.TaggedUnion({
  Approve: { at: Schema.DateTimeUtc },
  Reject: { at: Schema.DateTimeUtc },
  /** The bank has it. */
  Complete: { at: Schema.DateTimeUtc },
  /** The bank returned it, or never accepted it. */
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

/** The step is not possible in the payout's status. */
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

// Decide ----------------------------------------------------------------------
// One function per command; no default, so a new status is a compile error. A repeated step gets the same answer, and
// records nothing (silences: B2).

type PayoutDecision = Decision<PayoutEvent, PayoutConflict>

const { PayoutApproved, PayoutFailed, PayoutRejected, PayoutSucceeded } = PayoutEvent.cases

export const decide = (payout: Payout, command: PayoutCommand): PayoutDecision =>
  PayoutCommand.match(command, {
    Approve: ({ at }): PayoutDecision => decideReview(payout, "approved", PayoutApproved.make({ at })),
    Reject: ({ at }): PayoutDecision => decideReview(payout, "rejected", PayoutRejected.make({ at })),
    Complete: ({ at }): PayoutDecision => decideEnd(payout, "succeeded", PayoutSucceeded.make({ at })),
    Fail: ({ at }): PayoutDecision => decideEnd(payout, "failed", PayoutFailed.make({ at }))
  })

/** Only a requested payout can be reviewed, once. */
const decideReview = (payout: Payout, wanted: "approved" | "rejected", fact: PayoutEvent): PayoutDecision => {
  switch (payout.status) {
    case "requested":
      return accept(fact)
    case "approved":
    case "rejected":
    case "succeeded":
    case "failed":
      return payout.status === wanted ? accept() : refuse(conflict(payout, `already_${payout.status}`))
  }
}

/** Only an approved payout went to the bank, so only that can be completed or fail. */
const decideEnd = (payout: Payout, wanted: "succeeded" | "failed", fact: PayoutEvent): PayoutDecision => {
  switch (payout.status) {
    case "requested":
      return refuse(conflict(payout, "not_approved"))
    case "approved":
      return accept(fact)
    case "rejected":
    case "succeeded":
    case "failed":
      return payout.status === wanted ? accept() : refuse(conflict(payout, `already_${payout.status}`))
  }
}

const conflict = ({ payoutNo }: Payout, reason: PayoutConflict["reason"]) => new PayoutConflict({ payoutNo, reason })

// Evolve ----------------------------------------------------------------------
// The payout after a fact. Total over what `decide` can record; anything else is a bug, so it throws.

export const evolve = (payout: Payout, event: PayoutEvent): Payout => {
  if (payout.status !== precedes[event._tag]) {
    throw new TypeError(`${event._tag} cannot follow ${payout.status} (${payout.payoutNo})`)
  }
  const terms = { ...payout, updatedAt: event.at }
  const approved = { ...terms, approvedAt: "approvedAt" in payout ? payout.approvedAt : event.at }
  return PayoutEvent.match(event, {
    PayoutApproved: (): Payout => ({ ...approved, status: "approved" }),
    PayoutRejected: (): Payout => ({ ...terms, status: "rejected" }),
    PayoutSucceeded: (): Payout => ({ ...approved, status: "succeeded" }),
    PayoutFailed: (): Payout => ({ ...approved, status: "failed" })
  })
}

const precedes = {
  PayoutApproved: "requested",
  PayoutRejected: "requested",
  PayoutSucceeded: "approved",
  PayoutFailed: "approved"
} as const satisfies Record<PayoutEvent["_tag"], Payout["status"]>

// Consequences ----------------------------------------------------------------
// For the wallet (spec: Balance transaction; silences: B2, B6, B9). The fee is promised, invisibly, with the request,
// so that completing never fails for lack of funds.

/** When it is requested. */
export const requesting = (payout: Payout): Consequence => ({
  ...nothing,
  movements: [movement(payout, "payout_freeze", 0 - payout.amount)],
  reserve: payout.fee
})

export const consequences = (payout: Payout, event: PayoutEvent): Consequence =>
  PayoutEvent.match(event, {
    PayoutApproved: () => nothing,
    PayoutRejected: (): Consequence => returned(payout),
    PayoutSucceeded: (): Consequence => ({
      ...nothing,
      movements: [
        movement(payout, "payout_success", 0 - payout.amount),
        // Even for a fee of 0, so that every payout has two rows in the ledger.
        movement(payout, "payout_fee", 0 - payout.fee)
      ],
      reserve: 0 - payout.fee
    }),
    PayoutFailed: (): Consequence => returned(payout)
  })

const returned = (payout: Payout): Consequence => ({
  ...nothing,
  movements: [movement(payout, "payout_unfreeze", payout.amount)],
  reserve: 0 - payout.fee
})

const descriptions = {
  payout_freeze: (payoutNo: string) => `Payout ${payoutNo} requested`,
  payout_unfreeze: (payoutNo: string) => `Payout ${payoutNo} returned`,
  payout_success: (payoutNo: string) => `Payout ${payoutNo} completed`,
  payout_fee: (payoutNo: string) => `Fee of payout ${payoutNo}`
}

const movement = ({ payoutNo }: Payout, type: keyof typeof descriptions, amount: number): Movement => ({
  type,
  amount,
  referenceId: payoutNo,
  description: descriptions[type](payoutNo)
})
