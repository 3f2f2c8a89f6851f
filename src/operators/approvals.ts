/** The answer to the first of two operators. */
import type { ApprovalResource } from "@coffer/contract/Operators"
import { DateTime } from "effect"
import { reply } from "../http/replies.ts"
import type { NeedsSecondOperator as Needs } from "./SecondOperator.ts"

/** Not a refusal: the request is kept. */
export const NeedsSecondOperator = ({ act, expiresAt, target }: Needs) => {
  const approval: ApprovalResource = {
    object: "approval",
    act,
    target,
    status: "waiting",
    expires_at: DateTime.formatIso(expiresAt)
  }
  return reply(approval, 202)
}
