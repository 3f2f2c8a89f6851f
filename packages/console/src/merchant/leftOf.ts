/** What a payment has left in the wallet. Pure. */
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { OrderResource } from "@coffer/contract/Orders"

/** In minor units. An acquiring fee is not returned with a refund. */
export const leftOf = (
  { amount, fee: charged, refunded_amount }: Pick<OrderResource, "amount" | "fee" | "refunded_amount">,
  disputes: ReadonlyArray<Pick<DisputeResource, "amount" | "fee" | "status">>
) => {
  const ended = disputes.filter(({ status }) => status === "lost")
  const fee = charged ?? 0
  const lost = ended.reduce((sum, dispute) => sum + dispute.amount, 0)
  const lostFee = ended.reduce((sum, dispute) => sum + (dispute.fee ?? 0), 0)
  return { fee, refunded: refunded_amount, lost, lostFee, left: amount - fee - refunded_amount - lost - lostFee }
}
