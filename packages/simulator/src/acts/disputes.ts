/** Disputes, from the buyer's objection to the bank's word. */
import type Stripe from "stripe"
import { newDispute } from "../objects/dispute.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import { enter } from "./balance.ts"
import { emit } from "./events.ts"

export interface DisputeOrder {
  readonly reason?: string
  /** Minor units; the whole charge if left out. */
  readonly amount?: number
  /** That of the buyer if left out, which is the payment's unless it was presented in another. */
  readonly currency?: string
  readonly isInquiry?: boolean
}

export const openDispute = (world: World, book: Book, chargeId: string, order: DisputeOrder): Stripe.Dispute => {
  const charge = book.put("charge", { ...book.get("charge", chargeId)!, disputed: true })
  const isInquiry = order.isInquiry === true
  const dueBy = world.seconds() + world.settings.disputeDue
  const presented = charge.presentment_details
  const amount = order.amount ?? presented?.presentment_amount ?? charge.amount
  const currency = order.currency ?? presented?.presentment_currency ?? charge.currency
  const reason = order.reason ?? "fraudulent"
  const terms = { dueBy, amount, currency, reason, isInquiry, charge }
  const bare = newDispute({ id: world.newId("du"), created: world.seconds(), ...terms })
  const dispute = book.put("dispute", isInquiry ? bare : withdraw(world, book, bare))
  world.schedule(book, dueBy * 1000, { do: "lapseDispute", dispute: dispute.id })
  emit(world, book, "charge.dispute.created", dispute)
  if (!isInquiry) emit(world, book, "charge.dispute.funds_withdrawn", dispute)
  return dispute
}

/** The bank takes the money, and Stripe its fee. */
const withdraw = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute => {
  const entry = enter(world, book, {
    amount: -dispute.amount,
    fee: world.settings.disputeFee,
    feeFor: "Dispute fee",
    currency: dispute.currency,
    type: "adjustment",
    category: "dispute",
    source: dispute.id,
    description: `Chargeback withdrawal for ${String(dispute.charge)}`
  })
  return { ...dispute, is_charge_refundable: false, balance_transactions: [...dispute.balance_transactions, entry] }
}

const reinstate = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute => {
  const entry = enter(world, book, {
    amount: dispute.amount,
    fee: 0,
    currency: dispute.currency,
    type: "adjustment",
    category: "dispute_reversal",
    source: dispute.id,
    description: `Chargeback reversal for ${String(dispute.charge)}`
  })
  return { ...dispute, balance_transactions: [...dispute.balance_transactions, entry] }
}

export const needsResponse = ({ status }: Stripe.Dispute): boolean =>
  status === "needs_response" || status === "warning_needs_response"

const isDecided = ({ status }: Stripe.Dispute) => status === "won" || status === "lost" || status === "warning_closed"

export const isInquiry = ({ status }: Stripe.Dispute): boolean => status.startsWith("warning_")

/** Evidence that goes to the bank. Stripe's test evidence decides the dispute at once. */
export const submit = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute => {
  const { evidence_details: details } = dispute
  const submitted = book.put("dispute", {
    ...dispute,
    status: isInquiry(dispute) ? "warning_under_review" : "under_review",
    evidence_details: {
      ...details,
      has_evidence: true,
      submission_count: details.submission_count + 1,
      submission_method: "manual"
    }
  })
  emit(world, book, "charge.dispute.updated", submitted, { status: dispute.status })
  switch (dispute.evidence.uncategorized_text) {
    case "winning_evidence":
      return decideDispute(world, book, submitted, isInquiry(submitted) ? "warning_closed" : "won")!
    case "losing_evidence":
      return decideDispute(world, book, submitted, isInquiry(submitted) ? "warning_closed" : "lost")!
    case "escalate_inquiry_evidence":
      return isInquiry(submitted) ? escalate(world, book, submitted)! : submitted
    default:
      return submitted
  }
}

/** The bank's word; undefined if it had decided before, or if the word is of the other kind. */
export const decideDispute = (
  world: World,
  book: Book,
  dispute: Stripe.Dispute,
  status: "won" | "lost" | "warning_closed"
): Stripe.Dispute | undefined => {
  if (isDecided(dispute) || isInquiry(dispute) !== (status === "warning_closed")) return undefined
  const decided = status === "won" ? reinstate(world, book, dispute) : dispute
  const closed = book.put("dispute", { ...decided, status, is_charge_refundable: status === "warning_closed" })
  if (status === "won") emit(world, book, "charge.dispute.funds_reinstated", closed)
  emit(world, book, "charge.dispute.closed", closed, { status: dispute.status })
  return closed
}

/** An inquiry becomes a chargeback. */
export const escalate = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute | undefined => {
  if (isDecided(dispute) || !isInquiry(dispute)) return undefined
  const dueBy = world.seconds() + world.settings.disputeDue
  const escalated = book.put(
    "dispute",
    withdraw(world, book, {
      ...dispute,
      status: "needs_response",
      evidence_details: { ...dispute.evidence_details, due_by: dueBy, has_evidence: false }
    })
  )
  world.schedule(book, dueBy * 1000, { do: "lapseDispute", dispute: dispute.id })
  emit(world, book, "charge.dispute.updated", escalated, { status: dispute.status })
  emit(world, book, "charge.dispute.funds_withdrawn", escalated)
  return escalated
}

/** Nobody answered in time. */
export const lapse = (world: World, book: Book, dispute: Stripe.Dispute): void => {
  const { due_by } = dispute.evidence_details
  if (!needsResponse(dispute) || due_by === null || due_by > world.seconds()) return
  const late = { ...dispute, evidence_details: { ...dispute.evidence_details, past_due: true } }
  decideDispute(world, book, late, isInquiry(dispute) ? "warning_closed" : "lost")
}
