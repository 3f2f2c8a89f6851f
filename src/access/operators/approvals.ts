/** The view of a request that waits for another operator, and the answers to the operator who sends one. */
import { isoText } from "@coffer/model/isoText"
import type { ApprovalResource } from "@coffer/contract/Operators"
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../../shared/http/refusals.ts"
import { reply } from "../../shared/http/replies.ts"
import type { Approval, JustDone as Done, NeedsSecondOperator as Needs } from "./SecondOperator.ts"

export const approvalView = ({ created_at, expires_at, ...approval }: Approval): ApprovalResource => ({
  object: "approval",
  ...approval,
  status: "waiting",
  created_at: isoText(created_at),
  expires_at: isoText(expires_at)
})

export const JustDone = refuseAs(Wire.Conflict, ({ act }: Done) => ({
  message: `Two operators have just done this (${act}). To do it again, retry in a minute.`
}))

/** Not a refusal: the request is kept. */
export const NeedsSecondOperator = ({ approval }: Needs) => reply(approvalView(approval), 202)
