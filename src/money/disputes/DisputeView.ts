/** A dispute and its evidence as merchants see them, in responses and in events alike: the one encoder. Pure. */
import { isoTextOrNull } from "@coffer/model/isoText"
import type { DisputeResource, EvidenceResource } from "@coffer/contract/Disputes"
import { textNames, type EvidenceText } from "@coffer/model/Evidence"
import { disputes } from "@coffer/resources/returns"
import { makeView } from "@coffer/resources/view"
import { type Dispute, isFrozen } from "@coffer/rules/dispute/Dispute"
import type { Kept } from "@coffer/rules/dispute/evidence"

export const disputeView: (dispute: Dispute) => DisputeResource = makeView<Dispute>()(disputes, {
  funds_frozen: isFrozen
})

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
