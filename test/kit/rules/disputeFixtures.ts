/** A dispute, commands and facts for the tests of its rules; every other state is reached from `opened` by facts. */
import type { Evidence } from "@coffer/model/Evidence"
import { DisputeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/dispute/decide"
import { type Dispute, DisputeCommand, DisputeEvent } from "@coffer/rules/dispute/Dispute"
import { DateTime } from "effect"
import { createdAt, facts, pendingOrder } from "./fixtures.ts"
import { given } from "./Given.ts"

export const disputeNo = DisputeNo.make("dsp_00000000000000000000000001")
const { merchantId, mode, outTradeNo, tradeNo } = pendingOrder
export const dueBy = DateTime.add(createdAt, { days: 7 })
export const at = DateTime.add(createdAt, { days: 1 })
export const tooLate = DateTime.add(dueBy, { milliseconds: 1 })

export const opened: Dispute = {
  status: "needs_response",
  stage: "chargeback",
  disputeNo,
  tradeNo,
  outTradeNo,
  merchantId,
  mode,
  channel: facts.channel,
  processorDisputeId: "dp_1",
  amount: Minor.make(4_00),
  currency: "USD",
  processorStatus: "needs_response",
  reason: "fraudulent",
  evidenceDueBy: dueBy,
  notifyUrl: null,
  response: null,
  openedAt: createdAt,
  createdAt,
  updatedAt: createdAt
}

export const evidence: Evidence = { text: { customer_name: "Ada" }, files: [] }
export const command = DisputeCommand.cases
export const fact = DisputeEvent.cases
export const fee = Minor.make(15_00)
export const [begun, another] = ["first", "second"]

export const beginSubmit = (over: Partial<typeof command.BeginSubmit.Type> = {}) =>
  command.BeginSubmit.make({ at, id: begun!, evidence, fingerprint: "a", request: null, ...over })
export const submissionBegun = fact.SubmissionBegun.make({ at, id: begun!, evidence, fingerprint: "a", request: null })
export const acceptanceBegun = fact.AcceptanceBegun.make({ at, id: begun!, request: "key" })
export const beginAccept = (request: string | null = null) => command.BeginAccept.make({ at, id: another!, request })
export const confirm = (over: Partial<typeof command.ConfirmStep.Type> = {}) =>
  command.ConfirmStep.make({ at, id: begun!, stage: "chargeback", processorStatus: "confirmed", ...over })
export const submitted = fact.EvidenceSubmitted.make({ at, processorStatus: "under_review" })
export const acceptanceTaken = fact.AcceptanceTaken.make({ at, processorStatus: "accepted" })
export const won = fact.DisputeWon.make({ at, processorStatus: "won" })
export const lost = fact.DisputeLost.make({ at, processorStatus: "lost", fee })
export const closed = fact.DisputeClosed.make({ at, processorStatus: "closed" })
export const again = fact.AskedAgain.make({ at })
export const withdrawn = fact.StepWithdrawn.make({ at })
export const draft = fact.DraftSaved.make({ at, evidence })

export const newDueBy = DateTime.add(dueBy, { days: 30 })
export const standing = (over: Partial<typeof command.ReportStanding.Type> = {}) =>
  command.ReportStanding.make({
    at,
    processorStatus: "needs_response",
    stage: "chargeback",
    isAnswered: false,
    amount: opened.amount,
    evidenceDueBy: newDueBy,
    ...over
  })
export const inquired: Dispute = { ...opened, stage: "inquiry", processorStatus: "warning" }

export const dispute = given({ decide, evolve, initial: opened })
export const inquiry = given({ decide, evolve, initial: inquired })
