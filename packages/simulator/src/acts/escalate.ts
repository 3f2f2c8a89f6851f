/** Turns an inquiry into a chargeback, and fails refunds that have not reached the buyer's bank. */
import type Stripe from "stripe"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { escalateDispute } from "./disputes.ts"
import { failRefund } from "./refunds.ts"

export const escalate = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute | undefined => {
  const escalated = escalateDispute(world, book, dispute)
  if (escalated === undefined) return undefined
  for (const refund of book.newest("refund", String(dispute.charge))) {
    if (isUnderWay(world, refund)) failRefund(world, book, refund, "charge_for_pending_refund_disputed")
  }
  return escalated
}

/** A refund is shown as succeeded before it has left Stripe. */
const isUnderWay = (world: World, { created, status }: Stripe.Refund): boolean =>
  status === "pending" || (status === "succeeded" && world.seconds() - created < world.settings.refundDecidedAfter)
