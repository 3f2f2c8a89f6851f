/**
 * The dispute: its states, the commands it accepts and the facts it records (spec: Dispute; States and transitions,
 * Dispute). The evidence is kept beside it (`evidence.ts`); `decide.ts` says what each fact moves.
 */
import { DisputeNo } from "@coffer/model/Ids"
import { Evidence } from "@coffer/model/Evidence"
import { Minor } from "@coffer/model/Money"
import { fixedFields } from "@coffer/resources/listed"
import { disputes } from "@coffer/resources/returns"
import { Schema } from "effect"

const { amount, closed_at, evidence_due_by, fee, processor_status, stage, updated_at } = disputes.columns

/**
 * The merchant's answer to the bank: evidence, or acceptance. `taken`: the channel has confirmed it. Until then it is
 * sent to the channel, and retried if necessary. `asks` counts the senders. A sender's failure proves that the channel
 * got nothing only if there is no other sender, which may have reached the channel.
 */
export const Response = Schema.Struct({
  /** The number of the attempt: a late report about an earlier one does not count. */
  id: Schema.String,
  step: Schema.Literals(["submit", "accept"]),
  taken: Schema.Boolean,
  asks: Schema.Int,
  /** Digest of the submitted evidence: sending the same again is not a second submission. */
  fingerprint: Schema.NullOr(Schema.String),
  /** The idempotency claim of the request that gave it: the same request again gets the same answer. */
  request: Schema.NullOr(Schema.String)
})
export type Response = typeof Response.Type

export const Stage = stage.schema
export type Stage = typeof Stage.Type

/** The terms with which the channel opened the dispute; none of them ever changes. */
export const terms = fixedFields(disputes)

const progress = {
  stage: Stage,
  amount: amount.schema,
  evidenceDueBy: evidence_due_by.schema,
  processorStatus: processor_status.schema,
  response: Schema.NullOr(Response),
  updatedAt: updated_at.schema
}

const ended = { fee: fee.schema, closedAt: closed_at.schema }

export const Dispute = Schema.Union([
  Schema.Struct({ status: Schema.tag("needs_response"), ...terms, ...progress }),
  Schema.Struct({ status: Schema.tag("under_review"), ...terms, ...progress }),
  Schema.Struct({ status: Schema.tag("won"), ...terms, ...progress, ...ended }),
  Schema.Struct({ status: Schema.tag("lost"), ...terms, ...progress, ...ended }),
  Schema.Struct({ status: Schema.tag("closed"), ...terms, ...progress, ...ended })
]).pipe(Schema.toTaggedUnion("status"))
export type Dispute = typeof Dispute.Type
export type DisputeStatus = Dispute["status"]

/** Whether the bank has not decided. */
export const isOpen = ({ status }: Dispute): boolean => status === "needs_response" || status === "under_review"

/** Whether the amount is frozen and the order accepts no refunds. */
export const isFrozen = (dispute: Dispute): boolean => isOpen(dispute) && dispute.stage !== "inquiry"

// Commands -------------------------------------------------------------------

const at = Schema.DateTimeUtc
const { id, request } = Response.fields
const { evidenceDueBy, processorStatus } = progress
const standing = {
  stage: Stage,
  /** Whether this stage waits for the bank, and not for an answer. */
  isAnswered: Schema.Boolean,
  amount: progress.amount,
  evidenceDueBy
}

/** The version of the evidence that the writer has read; omitted to replace any version. */
const replaces = Schema.optionalKey(Schema.String)

export const DisputeCommand = Schema.TaggedUnion({
  SaveDraft: { at, evidence: Evidence, replaces },
  /** Before the answer is sent to the channel. */
  BeginSubmit: { at, id, evidence: Evidence, fingerprint: Schema.String, request, replaces },
  BeginAccept: { at, id, request },
  /** Another caller also begins to ask the channel. */
  AskAgain: { at },
  /** The channel has accepted the answer, in this stage. */
  ConfirmStep: { at, id, stage: Stage, processorStatus },
  /** The channel refuses the answer. */
  RejectStep: { at, id },
  /** The first call has failed: the channel certainly got nothing. */
  WithdrawStep: { at, id },
  ReportWon: { at, processorStatus },
  ReportLost: { at, processorStatus, fee: Minor },
  ReportClosed: { at, processorStatus },
  /** The channel reports it as not decided. */
  ReportStanding: { at, processorStatus, ...standing },
  /** Any other report of the channel. */
  ReportOther: { at, processorStatus }
})
export type DisputeCommand = typeof DisputeCommand.Type

// Facts ----------------------------------------------------------------------

export const DisputeEvent = Schema.TaggedUnion({
  DraftSaved: { at, evidence: Evidence },
  SubmissionBegun: { at, id, evidence: Evidence, fingerprint: Schema.String, request },
  AcceptanceBegun: { at, id, request },
  AskedAgain: { at },
  EvidenceSubmitted: { at, processorStatus },
  AcceptanceTaken: { at, processorStatus },
  /** The channel did not get the answer. */
  StepWithdrawn: { at },
  DisputeWon: { at, processorStatus },
  DisputeLost: { at, processorStatus, fee: Minor },
  DisputeClosed: { at, processorStatus },
  /** The bank has asked again: an earlier answer belongs to the earlier question. */
  StageBegun: { at, processorStatus, ...standing },
  /** The merchant has answered at the channel itself. */
  ReviewBegun: { at, processorStatus, stage: Stage, evidenceDueBy },
  StatusNoted: {
    at,
    processorStatus,
    stage: Schema.optionalKey(Stage),
    evidenceDueBy: Schema.optionalKey(evidenceDueBy)
  }
})
export type DisputeEvent = typeof DisputeEvent.Type

// Refusals -------------------------------------------------------------------

/** Why the merchant cannot answer at all, or not with this. */
export class DisputeConflict extends Schema.TaggedError<DisputeConflict>()("DisputeConflict", {
  disputeNo: DisputeNo,
  reason: Schema.Literals([
    "being_submitted",
    "accepted",
    "past_deadline",
    "under_review",
    "decided",
    /** The evidence has changed since the writer has read it. */
    "changed_meanwhile",
    /** The channel's answer, not ours. */
    "not_taken"
  ]),
  /** Why the channel refused it, in its own words. */
  said: Schema.optionalKey(Schema.String)
}) {}

/** The channel contradicts an earlier report; this is recorded, and a person has to investigate (silences: D1). */
export class DisputeContradicted extends Schema.TaggedError<DisputeContradicted>()("DisputeContradicted", {
  disputeNo: DisputeNo,
  reason: Schema.Literals(["unexpected"]),
  status: Schema.String,
  processorStatus: Schema.String
}) {}
