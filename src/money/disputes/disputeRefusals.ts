/** Errors of disputes as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { DisputeConflict } from "@coffer/rules/dispute/Dispute"
import { notFoundMessage } from "../../shared/http/numberHint.ts"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { DisputeNotFound } from "./DisputeCommands.ts"

const conflictMessage = {
  being_submitted: "Evidence for this dispute is being submitted to the bank. Read the dispute in a minute.",
  accepted: "The dispute was accepted; the bank has yet to confirm. Nothing is left to do.",
  past_deadline: "The deadline for evidence has passed. Read the dispute: evidence_due_by was the deadline.",
  under_review: "Evidence was already submitted; the dispute is under review. Wait for dispute.won or dispute.lost.",
  changed_meanwhile: "The evidence has changed since you read it. Read it again and reapply your changes.",
  decided: "The dispute is already resolved. Read it: its status says how.",
  not_taken: "The bank no longer accepts it. Read the dispute: its status says why."
} satisfies Record<DisputeConflict["reason"], string>

export const disputeRefusals = {
  DisputeNotFound: refuseAs(Wire.DisputeNotFound, ({ ref }: DisputeNotFound) => ({
    message: notFoundMessage("a dispute", ref, "/v1/disputes")
  })),
  DisputeConflict: refuseAs(Wire.Conflict, ({ reason, said }: DisputeConflict) => ({
    message: said === undefined ? conflictMessage[reason] : `The channel rejected it: ${said}`
  }))
}
