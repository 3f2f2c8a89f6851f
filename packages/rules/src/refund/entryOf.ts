/**
 * What a fact of a refund does beside the refund itself: to the order, to the wallet, and whether merchants hear of it
 * (spec: Refund; Balance transaction; Events). The one table of it. Pure.
 */
import type { Minor } from "@coffer/model/Money"
import { OrderCommand } from "../order/Order.ts"
import type { Entry, Movement } from "../wallet/post.ts"
import { type Refund, RefundEvent } from "./Refund.ts"

export interface Consequence extends Entry {
  /** For the order's actor; undefined when the order is as it was. */
  readonly order: OrderCommand | undefined
  readonly announced: "refund.succeeded" | "refund.failed" | undefined
}

/** When the amount is promised, before the channel is asked (silences: R7). */
export const reserving = (amount: Minor, whole: boolean, now: Refund["createdAt"]) =>
  ({
    order: ReserveRefund.make({ amount, whole, now }),
    movements: [],
    reserve: amount,
    announced: undefined
  }) satisfies Consequence

/** `before` is the refund as it was when the fact came. */
export const consequenceOf = (before: Refund, event: RefundEvent): Consequence => {
  const { amount, status } = before
  const wasReserved = status === "reserved"
  return RefundEvent.match(event, {
    RefundSucceeded: (): Consequence => ({
      order: CompleteRefund.make({ amount }),
      // Synchronous: it was never frozen, so the debit lowers available.
      movements: [movement(before, "refund_debit", 0 - amount, wasReserved)],
      reserve: wasReserved ? 0 - amount : 0,
      announced: "refund.succeeded"
    }),
    RefundAccepted: (): Consequence => ({
      order: undefined,
      movements: [movement(before, "refund_freeze", 0 - amount, false)],
      reserve: 0 - amount,
      announced: undefined
    }),
    RefundAbandoned: (): Consequence => ({
      order: ReleaseRefund.make({ amount }),
      movements: [],
      reserve: 0 - amount,
      announced: undefined
    }),
    RefundFailed: (): Consequence => ({
      order: ReleaseRefund.make({ amount }),
      movements: [movement(before, "refund_unfreeze", amount, false)],
      reserve: 0,
      announced: "refund.failed"
    }),
    RefundReversed: (): Consequence => ({
      order: ReverseRefund.make({ amount }),
      movements: [movement(before, "refund_unfreeze", amount, true)],
      reserve: 0,
      announced: "refund.failed"
    }),
    RefundAnnotated: (): Consequence => ({ order: undefined, movements: [], reserve: 0, announced: undefined })
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
