/** A dispute and its evidence as merchants see them, in responses and in events alike: the one encoder. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { DisputeResource, EvidenceResource } from "@coffer/contract/Disputes"
import { textNames, type EvidenceText } from "@coffer/model/Evidence"
import { type Dispute, isFrozen } from "@coffer/rules/dispute/Dispute"
import type { Kept } from "@coffer/rules/dispute/evidence"

export const disputeView = (dispute: Dispute): DisputeResource => {
  const end = "closedAt" in dispute ? dispute : undefined
  return {
    object: "dispute",
    dispute_no: dispute.disputeNo,
    trade_no: dispute.tradeNo,
    merchant_id: dispute.merchantId,
    processor_dispute_id: dispute.processorDisputeId,
    amount: dispute.amount,
    fee: end?.fee ?? null,
    currency: dispute.currency,
    status: dispute.status,
    processor_status: dispute.processorStatus,
    reason: dispute.reason,
    mode: dispute.mode,
    funds_frozen: isFrozen(dispute),
    evidence_due_by: isoTextOrNull(dispute.evidenceDueBy),
    opened_at: isoText(dispute.openedAt),
    closed_at: isoTextOrNull(end?.closedAt ?? null),
    created_at: isoText(dispute.createdAt),
    updated_at: isoText(dispute.updatedAt),
    out_trade_no: dispute.outTradeNo
  }
}

/** Evidence that is being sent is not shown: the channel may not get it. */
export const evidenceView = ({ disputeNo }: Dispute, { evidence, submittedAt, updatedAt }: Kept): EvidenceResource => ({
  object: "dispute_evidence",
  dispute_no: disputeNo,
  evidence: inOrder(evidence.text),
  files: evidence.files.map(({ type, url }) => ({ type, url })),
  submitted: submittedAt !== null,
  submitted_at: isoTextOrNull(submittedAt),
  updated_at: isoTextOrNull(updatedAt)
})

/** The database keeps the keys of jsonb in an order of its own. */
const inOrder = (text: EvidenceText): EvidenceText =>
  Object.fromEntries(
    textNames.flatMap((name) => {
      const value = text[name]
      return value === undefined ? [] : [[name, value]]
    })
  )
