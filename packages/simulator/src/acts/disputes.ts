/** Disputes, from the buyer's objection to the bank's decision. */
import type Stripe from "stripe"
import { newDispute } from "../objects/dispute.ts"
import type { Book } from "../state/Book.ts"
import type { Verdict } from "../state/kinds.ts"
import type { World } from "../state/World.ts"
import { enter } from "./balance.ts"
import { emit } from "./events.ts"

export interface DisputeOrder {
  readonly reason?: string
  /** Minor units; default: the whole charge. */
  readonly amount?: number
  /** Default: the buyer's, which is the payment's unless it was presented in another. */
  readonly currency?: string
  readonly isInquiry?: boolean
}

export const openDispute = (world: World, book: Book, chargeId: string, order: DisputeOrder): Stripe.Dispute => {
  const charge = book.put("charge", { ...book.get("charge", chargeId)!, disputed: true })
  const isInquiry = order.isInquiry === true
  const dueBy = world.seconds() + world.settings.disputeDue
  const presented = charge.presentment_details
  const amount = order.amount ?? presented?.presentment_amount ?? charge.amount_captured
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

/** The bank takes the money, and Stripe takes its fee. */
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

/** Submits evidence to the bank. */
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
  const verdict = verdictOf(submitted)
  const { submission_count: submission } = submitted.evidence_details
  if (verdict !== undefined) {
    const at = (world.seconds() + world.settings.disputeDecides) * 1000
    world.schedule(book, at, { do: "decideDispute", dispute: submitted.id, submission, verdict })
  }
  return submitted
}

const verdictOf = (dispute: Stripe.Dispute): Verdict | undefined => {
  switch (dispute.evidence.uncategorized_text) {
    case "winning_evidence":
      return isInquiry(dispute) ? "warning_closed" : "won"
    case "losing_evidence":
      return isInquiry(dispute) ? "warning_closed" : "lost"
    case "escalate_inquiry_evidence":
      return isInquiry(dispute) ? "escalated" : undefined
    default:
      return undefined
  }
}

/** Applies the bank's decision; undefined if it had decided before, or the decision does not fit the stage. */
export const decideDispute = (
  world: World,
  book: Book,
  dispute: Stripe.Dispute,
  status: "won" | "lost" | "warning_closed"
): Stripe.Dispute | undefined => {
  if (isDecided(dispute) || isInquiry(dispute) !== (status === "warning_closed")) return undefined
  const decided = status === "won" ? reinstate(world, book, dispute) : dispute
  const closed = book.put("dispute", { ...decided, status, is_charge_refundable: status !== "lost" })
  if (status === "won") emit(world, book, "charge.dispute.funds_reinstated", closed)
  emit(world, book, "charge.dispute.closed", closed, { status: dispute.status })
  return closed
}

/** An inquiry becomes a chargeback. An earlier submission answered only the inquiry, and still counts. */
export const escalateDispute = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute | undefined => {
  if (isDecided(dispute) || !isInquiry(dispute)) return undefined
  const dueBy = world.seconds() + world.settings.disputeDue
  const { card, ...rest } = dispute.payment_method_details ?? { type: "card" as const }
  const escalated = book.put(
    "dispute",
    withdraw(world, book, {
      ...dispute,
      status: "needs_response",
      evidence_details: { ...dispute.evidence_details, due_by: dueBy, has_evidence: false },
      ...(card !== undefined && { payment_method_details: { ...rest, card: { ...card, case_type: "chargeback" } } })
    })
  )
  world.schedule(book, dueBy * 1000, { do: "lapseDispute", dispute: dispute.id })
  emit(world, book, "charge.dispute.updated", escalated, { status: dispute.status })
  emit(world, book, "charge.dispute.funds_withdrawn", escalated)
  return escalated
}

/** The bank has decided against the merchant, or is about to, and Stripe accepts an appeal until a new date. */
export const offerAppeal = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute | undefined => {
  if (dispute.status !== "lost" && dispute.status !== "under_review") return undefined
  const dueBy = world.seconds() + world.settings.disputeDue
  const { evidence_details: details, status } = dispute
  const offered = book.put("dispute", {
    ...dispute,
    status: "appeal_needs_response",
    evidence_details: { ...details, due_by: dueBy, past_due: false }
  })
  world.schedule(book, dueBy * 1000, { do: "lapseDispute", dispute: dispute.id })
  emit(world, book, "charge.dispute.updated", offered, { status })
  return offered
}

/** The merchant files the appeal in the dashboard. */
export const fileAppeal = (world: World, book: Book, dispute: Stripe.Dispute): Stripe.Dispute | undefined => {
  if (dispute.status !== "appeal_needs_response") return undefined
  const filed = book.put("dispute", { ...dispute, status: "appeal_under_review" })
  emit(world, book, "charge.dispute.updated", filed, { status: dispute.status })
  return filed
}

/** The merchant did not answer in time. */
export const lapse = (world: World, book: Book, dispute: Stripe.Dispute): void => {
  const { due_by } = dispute.evidence_details
  const isAwaited = needsResponse(dispute) || dispute.status === "appeal_needs_response"
  if (!isAwaited || due_by === null || due_by > world.seconds()) return
  const late = { ...dispute, evidence_details: { ...dispute.evidence_details, past_due: true } }
  decideDispute(world, book, late, isInquiry(dispute) ? "warning_closed" : "lost")
}

/** A full refund ends an inquiry. */
export const closeInquiry = (world: World, book: Book, { id, refunded }: Stripe.Charge): void => {
  if (!refunded) return
  for (const dispute of book.newest("dispute", id)) {
    if (isInquiry(dispute)) decideDispute(world, book, dispute, "warning_closed")
  }
}
