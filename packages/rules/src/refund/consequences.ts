/**
 * The consequences of a fact of a refund beside the refund itself: to the order, to the wallet, and whether merchants
 * hear of it (spec: Refund; Balance transaction; Events). The one table of it. Pure.
 */
import type { Minor } from "@coffer/model/Money"
import { type Consequence, nothing } from "../Consequence.ts"
import { OrderCommand } from "../order/Order.ts"
import type { Movement } from "../wallet/post.ts"
import { type Refund, RefundEvent } from "./Refund.ts"

/** When the amount is promised, before the channel is asked (silences: R7). */
export const reserving = (amount: Minor, whole: boolean, now: Refund["createdAt"]): Consequence => ({
  ...nothing,
  order: ReserveRefund.make({ amount, whole, now }),
  reserve: amount
})

/** `before` is the refund as it was when the fact came. */
export const consequences = (before: Refund, event: RefundEvent): Consequence => {
  const { amount, status } = before
  const wasReserved = status === "reserved"
  return RefundEvent.match(event, {
    RefundSucceeded: (): Consequence => ({
      ...nothing,
      order: CompleteRefund.make({ amount }),
      // Synchronous: it was never frozen, so the debit lowers available.
      movements: [movement(before, "refund_debit", 0 - amount, wasReserved)],
      reserve: wasReserved ? 0 - amount : 0,
      announced: "refund.succeeded"
    }),
    RefundAccepted: (): Consequence => ({
      ...nothing,
      movements: [movement(before, "refund_freeze", 0 - amount, false)],
      reserve: 0 - amount
    }),
    RefundAbandoned: (): Consequence => ({
      ...nothing,
      order: ReleaseRefund.make({ amount }),
      reserve: 0 - amount
    }),
    RefundFailed: (): Consequence => ({
      ...nothing,
      order: ReleaseRefund.make({ amount }),
      movements: [movement(before, "refund_unfreeze", amount, false)],
      announced: "refund.failed"
    }),
    RefundReversed: (): Consequence => ({
      ...nothing,
      order: ReverseRefund.make({ amount }),
      movements: [movement(before, "refund_unfreeze", amount, true)],
      announced: "refund.failed"
    }),
    RefundAnnotated: () => nothing
  })
}

const { CompleteRefund, ReleaseRefund, ReserveRefund, ReverseRefund } = OrderCommand.cases

const descriptions = {
  refund_freeze: "accepted",
  refund_debit: "paid out",
  refund_unfreeze: "returned"
}

const movement = (
  { refundNo, tradeNo }: Refund,
  type: keyof typeof descriptions,
  amount: number,
  unfrozen: boolean
): Movement => ({
  type,
  amount,
  referenceId: refundNo,
  description: `Refund ${refundNo} of order ${tradeNo} ${descriptions[type]}`,
  ...(unfrozen ? { unfrozen } : {})
})
