/**
 * The facts that follow from the channel's report on a dispute that the bank has not decided (silences: S26 to S28).
 * Reports may be stale: a stage never goes back to an earlier one. Pure.
 */
import { DateTime } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import {
  type Dispute,
  type DisputeCommand,
  type DisputeConflict,
  DisputeContradicted,
  DisputeEvent,
  type Response,
  Stage
} from "./Dispute.ts"

export type DisputeDecision = Decision<DisputeEvent, DisputeConflict | DisputeContradicted>
type Standing = Extract<DisputeCommand, { readonly _tag: "ReportStanding" }>

const { ReviewBegun, StageBegun, StatusNoted } = DisputeEvent.cases

export const decideReportStanding = (dispute: Dispute, standing: Standing): DisputeDecision => {
  switch (dispute.status) {
    case "needs_response":
    case "under_review":
      if (isBefore(standing.stage, dispute.stage)) return accept()
      if (dispute.stage === "inquiry" && standing.stage !== "inquiry") return accept(begun(standing))
      return standing.isAnswered ? decideAnswered(dispute, standing) : decideUnanswered(dispute, standing)
    case "lost":
      if (isBefore(standing.stage, dispute.stage)) return accept()
      return standing.stage === "chargeback" ? unexpected(dispute, standing) : noted(dispute, standing)
    case "won":
    case "closed":
      return unexpected(dispute, standing)
  }
}

/** The bank has an answer, or the channel has an appeal, which merchants do not file through us. */
const decideAnswered = (dispute: Dispute, standing: Standing): DisputeDecision => {
  const { at, evidenceDueBy, processorStatus, stage } = standing
  if (dispute.status === "under_review") return noted(dispute, standing)
  if (dispute.response === null) return accept(ReviewBegun.make({ at, processorStatus, stage, evidenceDueBy }))
  // The sender of the answer finds out whether it is this one.
  return isUnanswered(dispute.response) ? accept() : unexpected(dispute, standing)
}

const decideUnanswered = (dispute: Dispute, standing: Standing): DisputeDecision => {
  if (dispute.status === "needs_response") return dispute.response === null ? noted(dispute, standing) : accept()
  // A new deadline shows that the bank asks again. Without one the report is stale, or unexplained.
  return isLater(standing.evidenceDueBy, dispute.evidenceDueBy)
    ? accept(begun(standing))
    : unexpected(dispute, standing)
}

const noted = (dispute: Dispute, { at, evidenceDueBy, processorStatus, stage }: Standing): DisputeDecision =>
  processorStatus === dispute.processorStatus &&
  stage === dispute.stage &&
  millisOf(evidenceDueBy) === millisOf(dispute.evidenceDueBy)
    ? accept()
    : accept(StatusNoted.make({ at, processorStatus, stage, evidenceDueBy }))

const begun = ({ _tag, ...standing }: Standing) => StageBegun.make(standing)

const isBefore = (one: Stage, other: Stage): boolean => Stage.literals.indexOf(one) < Stage.literals.indexOf(other)

const millisOf = (time: DateTime.Utc | null) => (time === null ? null : DateTime.toEpochMillis(time))

const isLater = (one: DateTime.Utc | null, other: DateTime.Utc | null): boolean =>
  one !== null && (other === null || DateTime.isGreaterThan(one, other))

const unexpected = (dispute: Dispute, standing: Standing): DisputeDecision =>
  standing.processorStatus === dispute.processorStatus ? accept() : refuseContradiction(dispute, standing)

export const refuseContradiction = (
  { disputeNo, processorStatus: known, status }: Dispute,
  { at, processorStatus }: { readonly at: DateTime.Utc; readonly processorStatus: string }
): DisputeDecision =>
  refuse(
    new DisputeContradicted({ disputeNo, reason: "unexpected", status, processorStatus }),
    ...(processorStatus === known ? [] : [StatusNoted.make({ at, processorStatus })])
  )

export const isUnanswered = (response: Response | null): response is Response => response !== null && !response.taken

export const isRepeat = (response: Response, request: string | null) => request !== null && response.request === request
