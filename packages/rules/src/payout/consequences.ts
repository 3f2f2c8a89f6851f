/**
 * The consequences of a fact of a payout for the wallet (spec: Balance transaction; silences: B2, B6, B9). The one
 * table of it. Pure. The fee is promised with the request, out of sight, so that completing never fails for want of it.
 */
import { type Consequence, nothing } from "../Consequence.ts"
import type { Movement } from "../wallet/post.ts"
import { type Payout, PayoutEvent } from "./Payout.ts"

/** When it is asked for. */
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
        // Also for a fee of 0, so that every payout has two rows in the ledger.
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
