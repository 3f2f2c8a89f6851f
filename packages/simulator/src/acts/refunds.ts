/** Refunds: made at once, later, or never, as decided by the test card or by a test. */
import type Stripe from "stripe"
import { newRefund } from "../objects/refund.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { enter } from "./balance.ts"
import { closeInquiry } from "./disputes.ts"
import { emit } from "./events.ts"
import { behaviourOf } from "./pay.ts"

/** The fate of a refund. `pends` waits until a test decides it. */
export type RefundFate = "succeeds" | "succeeds_later" | "fails_later" | "pends" | "requires_action"

export interface RefundOrder {
  readonly charge: Stripe.Charge
  readonly amount: number
  readonly params: Stripe.RefundCreateParams
  readonly metadata: Stripe.Metadata
  readonly fate: RefundFate | undefined
  /** The amount of the refund, if it is in another currency than the charge's. */
  readonly presented?: { readonly currency: string; readonly amount: number } | undefined
}

/** A validated refund request. */
export const makeRefund = (world: World, book: Book, order: RefundOrder): Stripe.Refund => {
  const fate = order.fate ?? fateOf(book, order.charge)
  const status =
    fate === "requires_action" ? fate : fate === "succeeds" || fate === "fails_later" ? "succeeded" : "pending"
  const { amount, params, metadata } = order
  const charge = addRefunded(book, order.charge, amount)
  const bare = newRefund({ id: world.newId("re"), created: world.seconds(), amount, charge, status, params, metadata })
  const entry = enter(world, book, {
    amount: -amount,
    fee: 0,
    currency: charge.currency,
    type: charge.id.startsWith("ch_") ? "refund" : "payment_refund",
    category: "refund",
    source: bare.id,
    description: `REFUND FOR CHARGE${charge.description === null ? "" : ` (${charge.description})`}`
  })
  const refund = book.put("refund", { ...bare, ...order.presented, balance_transaction: entry.id })
  emit(world, book, "refund.created", refund)
  emit(world, book, "charge.refunded", charge, { amount_refunded: charge.amount_refunded - amount })
  if (status === "succeeded") closeInquiry(world, book, charge)
  const later = world.clock.millis() + world.settings.refundDecidedAfter * 1000
  if (fate === "succeeds_later") world.schedule(book, later, { do: "completeRefund", refund: refund.id })
  if (fate === "fails_later") {
    world.schedule(book, later, { do: "failRefund", refund: refund.id, reason: "expired_or_canceled_card" })
  }
  return refund
}

const fateOf = (book: Book, charge: Stripe.Charge): RefundFate => {
  const method = charge.payment_method === null ? undefined : book.get("payment_method", charge.payment_method)
  const behaviour = method === undefined ? "pays" : behaviourOf(book, method)
  return behaviour === "refund_pends" ? "succeeds_later" : behaviour === "refund_fails" ? "fails_later" : "succeeds"
}

const addRefunded = (book: Book, charge: Stripe.Charge, amount: number): Stripe.Charge => {
  const refunded = charge.amount_refunded + amount
  return book.put("charge", { ...charge, amount_refunded: refunded, refunded: refunded === charge.amount })
}

const isOpen = ({ status }: Stripe.Refund) => status === "pending" || status === "requires_action"

/** The buyer has the money. False if it was decided before. */
export const completeRefund = (world: World, book: Book, refund: Stripe.Refund): boolean => {
  if (!isOpen(refund)) return false
  const { pending_reason: _, ...rest } = refund
  tell(world, book, { ...rest, status: "succeeded" }, "refund.updated", refund.status)
  closeInquiry(world, book, book.get("charge", refund.charge as string)!)
  return true
}

/** The bank returns the money, even after a success. False if it had failed before. */
export const failRefund = (world: World, book: Book, refund: Stripe.Refund, reason: string): boolean => {
  if (!isOpen(refund) && refund.status !== "succeeded") return false
  tell(world, book, giveUp(world, book, refund, "failed", reason), "refund.failed", refund.status)
  return true
}

export const cancelRefund = (world: World, book: Book, refund: Stripe.Refund): Stripe.Refund =>
  tell(world, book, giveUp(world, book, refund, "canceled", "merchant_request"), "refund.updated", refund.status)

/** The money is back in the balance and can be refunded again. */
const giveUp = (
  world: World,
  book: Book,
  refund: Stripe.Refund,
  status: "failed" | "canceled",
  reason: string
): Stripe.Refund => {
  addRefunded(book, book.get("charge", refund.charge as string)!, -refund.amount)
  const { pending_reason: _, ...rest } = refund
  const entry = enter(world, book, {
    amount: refund.amount,
    fee: 0,
    currency: refund.currency,
    type: "refund_failure",
    category: "refund_failure",
    source: refund.id,
    description: "REFUND FAILURE"
  })
  return { ...rest, status, failure_balance_transaction: entry.id, failure_reason: reason }
}

/** The program's own texts. */
export const relabelRefund = (world: World, book: Book, refund: Stripe.Refund, metadata: Stripe.Metadata) => {
  const changed = book.put("refund", { ...refund, metadata })
  for (const type of ["refund.updated", "charge.refund.updated"] as const) {
    emit(world, book, type, changed, { metadata: refund.metadata })
  }
  return changed
}

/** Stripe sends two events for a change: the refund's and the charge's. */
const tell = (
  world: World,
  book: Book,
  refund: Stripe.Refund,
  type: "refund.updated" | "refund.failed",
  before: string | null
): Stripe.Refund => {
  book.put("refund", refund)
  emit(world, book, "refund.updated", refund, { status: before })
  if (type === "refund.failed") emit(world, book, type, refund)
  emit(world, book, "charge.refund.updated", refund, { status: before })
  return refund
}
