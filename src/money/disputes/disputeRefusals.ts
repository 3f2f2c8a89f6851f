/** Errors of disputes as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { DisputeConflict } from "@coffer/rules/dispute/Dispute"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { DisputeNotFound } from "./DisputeCommands.ts"

const conflictMessage = {
  being_submitted: "Evidence for this dispute is being submitted to the bank.",
  accepted: "The dispute was accepted; the bank has yet to confirm.",
  past_deadline: "The deadline for evidence has passed.",
  under_review: "Evidence was already submitted; the dispute is under review.",
  changed_meanwhile: "The evidence has changed since you read it. Read it again and reapply your changes.",
  decided: "The dispute is already resolved.",
  not_taken: "The bank no longer accepts it."
} satisfies Record<DisputeConflict["reason"], string>

export const disputeRefusals = {
  DisputeNotFound: refuseAs(Wire.DisputeNotFound, ({ ref }: DisputeNotFound) => ({ message: `No dispute ${ref}.` })),
  DisputeConflict: refuseAs(Wire.Conflict, ({ reason, said }: DisputeConflict) => ({
    message: said === undefined ? conflictMessage[reason] : `The channel rejected it: ${said}`
  }))
}
