/** The answer to the first of two operators. */
import type { ApprovalResource } from "@coffer/contract/Operators"
import * as Wire from "@coffer/contract/Errors"
import { DateTime } from "effect"
import { refuseAs } from "../http/refusals.ts"
import { reply } from "../http/replies.ts"
import type { JustDone as Done, NeedsSecondOperator as Needs } from "./SecondOperator.ts"

export const JustDone = refuseAs(Wire.Conflict, ({ act }: Done) => ({
  message: `Two operators have just had this done (${act}). To have it done once more, ask again in a minute.`
}))

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
