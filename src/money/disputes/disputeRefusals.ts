/** Errors of disputes as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { DisputeConflict } from "@coffer/rules/dispute/Dispute"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { DisputeNotFound } from "./DisputeCommands.ts"

const conflictMessage = {
  being_submitted: "Evidence for this dispute is on its way to the bank.",
  accepted: "The dispute was accepted; the bank will confirm the loss.",
  past_deadline: "The deadline for evidence has passed.",
  under_review: "Evidence was submitted; the dispute is under review.",
  changed_meanwhile: "The evidence was changed since it was read. Read it again, and decide what stays.",
  decided: "The dispute is decided.",
  not_taken: "The bank does not take it any more."
} satisfies Record<DisputeConflict["reason"], string>

export const disputeRefusals = {
  DisputeNotFound: refuseAs(Wire.DisputeNotFound, ({ ref }: DisputeNotFound) => ({ message: `No dispute ${ref}.` })),
  DisputeConflict: refuseAs(Wire.Conflict, ({ reason, said }: DisputeConflict) => ({
    message: said === undefined ? conflictMessage[reason] : `The channel did not take it: ${said}`
  }))
}
