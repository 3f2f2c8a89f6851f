/** What a payment has left in the wallet. Pure. */
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { OrderResource } from "@coffer/contract/Orders"

/** What the buyer of a paid order has paid: all of it, unless only a part of a held amount was captured. */
export const paidAmountOf = ({ amount, captured_amount }: Pick<OrderResource, "amount" | "captured_amount">): number =>
  captured_amount ?? amount

/** In minor units. An acquiring fee is not returned with a refund. */
export const leftOf = (
  order: Pick<OrderResource, "amount" | "captured_amount" | "fee" | "refunded_amount">,
  disputes: ReadonlyArray<Pick<DisputeResource, "amount" | "fee" | "status">>
) => {
  const { fee: charged, refunded_amount } = order
  const ended = disputes.filter(({ status }) => status === "lost")
  const fee = charged ?? 0
  const lost = ended.reduce((sum, dispute) => sum + dispute.amount, 0)
  const lostFee = ended.reduce((sum, dispute) => sum + (dispute.fee ?? 0), 0)
  const left = paidAmountOf(order) - fee - refunded_amount - lost - lostFee
  return { fee, refunded: refunded_amount, lost, lostFee, left }
}
