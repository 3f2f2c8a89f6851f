/** The payout after a fact. Total over what `decide` can record; anything else is a bug, so it throws. */
import { type Payout, PayoutEvent } from "./Payout.ts"

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
