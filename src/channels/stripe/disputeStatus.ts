/** Stripe's words about a dispute in ours, and a merchant's evidence in Stripe's. Pure. */
import type { EvidenceFile } from "@coffer/model/Evidence"
import { type Currency, Minor } from "@coffer/model/Money"
import type { Stage } from "@coffer/rules/dispute/Dispute"
import type { ChannelDispute } from "@coffer/rules/order/Order"
import type { Stripe } from "stripe"
import type { DisputeWord } from "../../channel/DisputeChannel.ts"
import { timeOf } from "./sessionStatus.ts"

/** `currency`: that of the payment. */
export const wordOf = (dispute: Stripe.Dispute, currency: Currency): DisputeWord => {
  const { amount, evidence_details, status } = dispute
  const stage = stageOf(dispute)
  return {
    status,
    outcome: outcomes[status],
    standing:
      stage === undefined
        ? undefined
        : {
            stage,
            isAnswered: !needsResponse(dispute),
            amount: isPresented(dispute, currency) ? null : Minor.make(amount),
            evidenceDueBy: dueByOf(evidence_details)
          }
  }
}

/** Null where the bank takes no answer, or says no time. Stripe writes 0 for the first. */
export const dueByOf = ({ due_by }: Pick<Stripe.Dispute.EvidenceDetails, "due_by">) =>
  due_by === null || due_by === 0 ? null : timeOf(due_by)

/** Undefined for a status that is newer than this program. */
export const stageOf = ({ status }: Pick<Stripe.Dispute, "status">): Stage | undefined => {
  switch (status) {
    case "warning_needs_response":
    case "warning_under_review":
    case "warning_closed":
      return "inquiry"
    case "needs_response":
    case "under_review":
    case "won":
    case "lost":
    case "prevented":
      return "chargeback"
    case "appeal_needs_response":
      return "appeal_offered"
    case "appeal_under_review":
      return "appeal_filed"
    default:
      return undefined
  }
}

/** An inquiry that ended, and a dispute that was prevented, took nobody's money: the issuer has withdrawn it. */
const outcomes: Readonly<Record<string, DisputeWord["outcome"]>> = {
  won: "won",
  lost: "lost",
  warning_closed: "closed",
  prevented: "closed"
}

export const needsResponse = ({ status }: Pick<Stripe.Dispute, "status">): boolean =>
  status === "needs_response" || status === "warning_needs_response"

/** In the payment's own currency: of the amount that is given, where Stripe names another currency. */
export const inCurrencyOf = (
  dispute: Stripe.Dispute,
  { amount, currency }: { readonly amount: number; readonly currency: Currency }
): Stripe.Dispute =>
  isPresented(dispute, currency) ? { ...dispute, amount, currency: currency.toLowerCase() } : dispute

export const isPresented = (of: { readonly currency: string }, currency: Currency): boolean =>
  of.currency.toUpperCase() !== currency

/** A dispute about a payment that no order took. */
export const channelDisputeOf = (dispute: Stripe.Dispute): ChannelDispute => {
  const { status } = dispute
  const outcome = outcomes[status]
  const isTaken = outcome === "lost" || (outcome === undefined && !status.startsWith("warning_"))
  const answerBy = dueByOf(dispute.evidence_details)
  return {
    id: dispute.id,
    status,
    taken: Minor.make(isTaken ? dispute.amount : 0),
    isOver: outcome !== undefined,
    ...(answerBy === null ? {} : { answerBy })
  }
}

/** Where files go in Stripe's evidence, which takes one file in each place. */
const places = [
  "uncategorized_file",
  "duplicate_charge_documentation",
  "receipt",
  "customer_communication",
  "customer_signature",
  "shipping_documentation",
  "service_documentation",
  "cancellation_policy",
  "refund_policy"
] as const
export type Place = (typeof places)[number]

const placeOf = (type: EvidenceFile["type"]): Place => {
  switch (type) {
    case "invoice_showing_distinct_transactions":
      return "duplicate_charge_documentation"
    case "recurring_transaction_agreement":
      return "uncategorized_file"
    default:
      return type
  }
}

/** Each file has a place of its own; there are more places than a merchant may send files. */
export const placed = (files: ReadonlyArray<EvidenceFile>): ReadonlyArray<readonly [Place, EvidenceFile]> => {
  const taken = new Map<Place, EvidenceFile>()
  const later: Array<EvidenceFile> = []
  for (const file of files) {
    const place = placeOf(file.type)
    if (taken.has(place)) later.push(file)
    else taken.set(place, file)
  }
  for (const file of later) {
    const free = places.find((place) => !taken.has(place))
    if (free !== undefined) taken.set(free, file)
  }
  return [...taken]
}
