/**
 * The dispute: its states, the commands it accepts and the facts it records (spec: Dispute; States and transitions,
 * Dispute). What the evidence says is kept beside it (`evidence.ts`); what each fact moves is in `consequences.ts`.
 */
import { DisputeNo, MerchantId, Mode, TradeNo } from "@coffer/model/Ids"
import { Evidence } from "@coffer/model/Evidence"
import { Currency, Minor } from "@coffer/model/Money"
import { Schema } from "effect"

/**
 * The merchant's answer to the bank: evidence, or acceptance. `taken`: the channel has confirmed it. Until then it is
 * sent to the channel, again if need be. `asks` counts the senders. The failure of a sender shows that the channel got
 * nothing only while there is no other sender, which may have reached the channel.
 */
export const Response = Schema.Struct({
  /** Which attempt this is: word of an earlier one that comes late is not about it. */
  id: Schema.String,
  step: Schema.Literals(["submit", "accept"]),
  taken: Schema.Boolean,
  asks: Schema.Int,
  /** Digest of the evidence that is submitted: the same again is no second submission. */
  fingerprint: Schema.NullOr(Schema.String),
  /** The idempotency claim of the request that gave it: the same request again gets the same answer. */
  request: Schema.NullOr(Schema.String)
})
export type Response = typeof Response.Type

/** What the channel said when it opened the dispute; none of it ever changes. */
export const terms = {
  disputeNo: DisputeNo,
  tradeNo: TradeNo,
  merchantId: MerchantId,
  mode: Mode,
  processorDisputeId: Schema.String,
  amount: Minor,
  currency: Currency,
  reason: Schema.String,
  /** The last moment at which evidence is taken (silences: D3, D10). */
  evidenceDueBy: Schema.NullOr(Schema.DateTimeUtc),
  /** Where the order wants its events, and so those of its disputes (silences: D13). */
  notifyUrl: Schema.NullOr(Schema.String),
  openedAt: Schema.DateTimeUtc,
  createdAt: Schema.DateTimeUtc
}

const progress = {
  /** In the channel's own words. */
  processorStatus: Schema.String,
  response: Schema.NullOr(Response),
  /** Of what merchants see; drafts and steps on the way do not count. */
  updatedAt: Schema.DateTimeUtc
}

/** Charged with a loss, and not given back by an appeal (silences: D8). */
const ended = { fee: Schema.NullOr(Minor), closedAt: Schema.DateTimeUtc }

export const Dispute = Schema.Union([
  Schema.Struct({ status: Schema.tag("needs_response"), ...terms, ...progress }),
  Schema.Struct({ status: Schema.tag("under_review"), ...terms, ...progress }),
  Schema.Struct({ status: Schema.tag("won"), ...terms, ...progress, ...ended }),
  Schema.Struct({ status: Schema.tag("lost"), ...terms, ...progress, ...ended }),
  Schema.Struct({ status: Schema.tag("closed"), ...terms, ...progress, ...ended })
]).pipe(Schema.toTaggedUnion("status"))
export type Dispute = typeof Dispute.Type
export type DisputeStatus = Dispute["status"]

/** Whether the bank has not decided: the amount is frozen, and the order takes no refund. */
export const isOpen = ({ status }: Dispute): boolean => status === "needs_response" || status === "under_review"

// Commands -------------------------------------------------------------------

const at = Schema.DateTimeUtc
const { id, request } = Response.fields
const processorStatus = Schema.String

export const DisputeCommand = Schema.TaggedUnion({
  SaveDraft: { at, evidence: Evidence },
  /** Before the channel is told. */
  BeginSubmit: { at, id, evidence: Evidence, fingerprint: Schema.String, request },
  BeginAccept: { at, id, request },
  /** Somebody else than who began it sets out to ask the channel. */
  AskAgain: { at },
  /** The channel took what it was told. */
  ConfirmStep: { at, processorStatus },
  /** The channel will not take it. */
  RejectStep: { at, id },
  /** Asked for the first time, the channel surely heard nothing. */
  WithdrawStep: { at, id },
  ReportWon: { at, processorStatus },
  ReportLost: { at, processorStatus, fee: Minor },
  ReportClosed: { at, processorStatus },
  /** Any other word of the channel. */
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
  /** The channel has not got what it was to be told. */
  StepWithdrawn: { at },
  DisputeWon: { at, processorStatus },
  DisputeLost: { at, processorStatus, fee: Minor },
  DisputeClosed: { at, processorStatus },
  StatusNoted: { at, processorStatus }
})
export type DisputeEvent = typeof DisputeEvent.Type

// Refusals -------------------------------------------------------------------

/** Why the merchant cannot answer, or not so. */
export class DisputeConflict extends Schema.TaggedError<DisputeConflict>()("DisputeConflict", {
  disputeNo: DisputeNo,
  reason: Schema.Literals([
    "being_submitted",
    "accepted",
    "past_deadline",
    "under_review",
    "decided",
    /** The channel's answer, not ours. */
    "not_taken"
  ]),
  /** Why the channel did not take it, in its own words. */
  said: Schema.optionalKey(Schema.String)
}) {}

/** The channel says what cannot follow; it is written down, and a person has to look (silences: D1). */
export class DisputeContradicted extends Schema.TaggedError<DisputeContradicted>()("DisputeContradicted", {
  disputeNo: DisputeNo,
  reason: Schema.Literals(["unexpected"]),
  status: Schema.String,
  processorStatus: Schema.String
}) {}
