/**
 * Which facts follow from a command to a payout. Pure. One function per command; no default, so a new status is a
 * compile error. A step taken twice is answered like the first, and records nothing (silences: B2).
 */
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Payout, PayoutCommand, PayoutConflict, PayoutEvent } from "./Payout.ts"

type PayoutDecision = Decision<PayoutEvent, PayoutConflict>

const { PayoutApproved, PayoutFailed, PayoutRejected, PayoutSucceeded } = PayoutEvent.cases

export const decide = (payout: Payout, command: PayoutCommand): PayoutDecision =>
  PayoutCommand.match(command, {
    Approve: ({ at }): PayoutDecision => decideReview(payout, "approved", PayoutApproved.make({ at })),
    Reject: ({ at }): PayoutDecision => decideReview(payout, "rejected", PayoutRejected.make({ at })),
    Complete: ({ at }): PayoutDecision => decideEnd(payout, "succeeded", PayoutSucceeded.make({ at })),
    Fail: ({ at }): PayoutDecision => decideEnd(payout, "failed", PayoutFailed.make({ at }))
  })

/** A review is of what was requested, and happens once. */
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

/** Only what was approved went to the bank, so only that has an end there. */
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
  return PayoutEvent.match(event, {
    PayoutApproved: (): Payout => ({ ...terms, status: "approved" }),
    PayoutRejected: (): Payout => ({ ...terms, status: "rejected" }),
    PayoutSucceeded: (): Payout => ({ ...terms, status: "succeeded" }),
    PayoutFailed: (): Payout => ({ ...terms, status: "failed" })
  })
}

const precedes = {
  PayoutApproved: "requested",
  PayoutRejected: "requested",
  PayoutSucceeded: "approved",
  PayoutFailed: "approved"
} as const satisfies Record<PayoutEvent["_tag"], Payout["status"]>
