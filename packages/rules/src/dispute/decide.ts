/**
 * Which facts follow from a command to a dispute, and the consequences of each fact. Pure. One function per command; no
 * default, so a new status is a compile error (spec: States and transitions, Dispute; silences: D1 to D4, D14).
 * `standing.ts` has the rules while the bank has not decided.
 */
import { DateTime } from "effect"
import { accept, refuse } from "../Decision.ts"
import { type Dispute, DisputeCommand, DisputeConflict, DisputeEvent, type Response } from "./Dispute.ts"
import { type Kept, versionOf } from "./evidence.ts"
import { refuseContradiction, decideReportStanding, type DisputeDecision, isRepeat, isUnanswered } from "./standing.ts"
import { Minor } from "@coffer/model/Money"
import { type Consequence, nothing } from "../Consequence.ts"
import { OrderCommand } from "../order/Order.ts"
import type { Movement } from "../wallet/post.ts"

type CommandOf<Tag extends DisputeCommand["_tag"]> = Extract<DisputeCommand, { readonly _tag: Tag }>

const {
  AcceptanceBegun,
  AcceptanceTaken,
  AskedAgain,
  DisputeClosed,
  DisputeLost,
  DisputeWon,
  DraftSaved,
  EvidenceSubmitted,
  StatusNoted,
  StepWithdrawn,
  SubmissionBegun
} = DisputeEvent.cases

export const decide = (dispute: Dispute, command: DisputeCommand): DisputeDecision =>
  DisputeCommand.match(command, {
    SaveDraft: (save): DisputeDecision => decideSaveDraft(dispute, save),
    BeginSubmit: (begin): DisputeDecision => decideBeginSubmit(dispute, begin),
    BeginAccept: (begin): DisputeDecision => decideBeginAccept(dispute, begin),
    AskAgain: ({ at }): DisputeDecision =>
      isUnanswered(dispute.response) ? accept(AskedAgain.make({ at })) : accept(),
    ConfirmStep: (confirm): DisputeDecision => decideConfirmStep(dispute, confirm),
    RejectStep: ({ at, id }): DisputeDecision =>
      isUnanswered(dispute.response) && dispute.response.id === id ? accept(StepWithdrawn.make({ at })) : accept(),
    WithdrawStep: (withdraw): DisputeDecision => decideWithdrawStep(dispute, withdraw),
    ReportWon: (won): DisputeDecision => decideReportWon(dispute, won),
    ReportLost: (lost): DisputeDecision => decideReportLost(dispute, lost),
    ReportClosed: (closed): DisputeDecision => decideReportClosed(dispute, closed),
    ReportStanding: (standing): DisputeDecision => decideReportStanding(dispute, standing),
    ReportOther: ({ at, processorStatus }): DisputeDecision =>
      processorStatus === dispute.processorStatus ? accept() : refuseContradiction(dispute, { at, processorStatus })
  })

/** The same for the stored evidence: a writer may name the version that it has read. */
export const decideBeside = (dispute: Dispute, command: DisputeCommand, kept: Kept): DisputeDecision => {
  const decision = decide(dispute, command)
  if (!("replaces" in command) || command.replaces === undefined || command.replaces === versionOf(kept))
    return decision
  const isReplaced = decision.events.some(({ _tag }) => _tag === "DraftSaved" || _tag === "SubmissionBegun")
  return isReplaced ? conflict(dispute, "changed_meanwhile") : decision
}

const decideSaveDraft = (dispute: Dispute, { at, evidence }: CommandOf<"SaveDraft">): DisputeDecision => {
  const reason = evidenceRefused(dispute, at)
  return reason === undefined ? accept(DraftSaved.make({ at, evidence })) : conflict(dispute, reason)
}

const decideBeginSubmit = (
  dispute: Dispute,
  { at, evidence, fingerprint, id, request }: CommandOf<"BeginSubmit">
): DisputeDecision => {
  const { response } = dispute
  if (response?.step === "submit" && response.fingerprint === fingerprint) {
    if (isUnanswered(response)) return accept(AskedAgain.make({ at }))
    // The same request that submitted it, repeated because its answer was lost.
    if (isRepeat(response, request)) return accept()
  }
  const reason = evidenceRefused(dispute, at)
  return reason === undefined
    ? accept(SubmissionBegun.make({ at, id, evidence, fingerprint, request }))
    : conflict(dispute, reason)
}

const evidenceRefused = (dispute: Dispute, at: DateTime.Utc): DisputeConflict["reason"] | undefined => {
  switch (dispute.status) {
    case "needs_response":
      if (dispute.response !== null) return dispute.response.step === "submit" ? "being_submitted" : "accepted"
      return isPast(dispute.evidenceDueBy, at) ? "past_deadline" : undefined
    case "under_review":
      return "under_review"
    case "won":
    case "lost":
    case "closed":
      return "decided"
  }
}

/** The deadline is the last moment at which evidence is taken, to the millisecond. */
export const isPast = (deadline: DateTime.Utc | null, at: DateTime.Utc): boolean =>
  deadline !== null && DateTime.isGreaterThan(at, deadline)

const decideBeginAccept = (dispute: Dispute, { at, id, request }: CommandOf<"BeginAccept">): DisputeDecision => {
  const { response } = dispute
  switch (dispute.status) {
    case "needs_response":
      if (response === null) return accept(AcceptanceBegun.make({ at, id, request }))
      if (response.step === "submit") return conflict(dispute, "being_submitted")
      return isUnanswered(response) ? accept(AskedAgain.make({ at })) : accept()
    case "under_review":
      return conflict(dispute, "under_review")
    case "won":
    case "lost":
    case "closed":
      return response?.step === "accept" && isRepeat(response, request) ? accept() : conflict(dispute, "decided")
  }
}

const decideConfirmStep = (
  dispute: Dispute,
  { at, id, processorStatus, stage }: CommandOf<"ConfirmStep">
): DisputeDecision => {
  const { response, status } = dispute
  // The answer was withdrawn, yet the channel confirms it: a contradiction, unless another stage has begun since.
  if (response === null && status === "needs_response" && stage === dispute.stage) {
    return refuseContradiction(dispute, { at, processorStatus })
  }
  if (!isUnanswered(response) || response.id !== id) return accept()
  return response.step === "submit"
    ? accept(EvidenceSubmitted.make({ at, processorStatus }))
    : accept(AcceptanceTaken.make({ at, processorStatus }))
}

// With a second sender, the failure of one does not prove that the channel got nothing: the other may have reached it.
const decideWithdrawStep = ({ response }: Dispute, { at, id }: CommandOf<"WithdrawStep">): DisputeDecision =>
  isUnanswered(response) && response.id === id && response.asks === 1 ? accept(StepWithdrawn.make({ at })) : accept()

const decideReportWon = (dispute: Dispute, { at, processorStatus }: CommandOf<"ReportWon">): DisputeDecision => {
  switch (dispute.status) {
    case "needs_response":
    case "under_review":
    case "lost":
      return decided(dispute, DisputeWon.make({ at, processorStatus }))
    case "won":
      return repeated(dispute, { at, processorStatus })
    case "closed":
      return refuseContradiction(dispute, { at, processorStatus })
  }
}

const decideReportLost = (dispute: Dispute, { at, fee, processorStatus }: CommandOf<"ReportLost">): DisputeDecision => {
  switch (dispute.status) {
    case "needs_response":
    case "under_review":
      // An inquiry has taken nothing: it has to become a chargeback first.
      return dispute.stage === "inquiry"
        ? refuseContradiction(dispute, { at, processorStatus })
        : decided(dispute, DisputeLost.make({ at, fee, processorStatus }))
    case "lost":
      // After an appeal.
      return processorStatus === dispute.processorStatus
        ? accept()
        : accept(StatusNoted.make({ at, processorStatus, stage: "chargeback" }))
    case "won":
    case "closed":
      return refuseContradiction(dispute, { at, processorStatus })
  }
}

const decideReportClosed = (dispute: Dispute, { at, processorStatus }: CommandOf<"ReportClosed">): DisputeDecision => {
  switch (dispute.status) {
    case "needs_response":
    case "under_review":
      return decided(dispute, DisputeClosed.make({ at, processorStatus }))
    case "closed":
      return repeated(dispute, { at, processorStatus })
    case "won":
    case "lost":
      return refuseContradiction(dispute, { at, processorStatus })
  }
}

/** An outcome that is recorded already. After a contradiction the channel's last report counts all the same. */
const repeated = (
  dispute: Dispute,
  { at, processorStatus }: Pick<CommandOf<"ReportWon">, "at" | "processorStatus">
): DisputeDecision =>
  processorStatus === dispute.processorStatus ? accept() : accept(StatusNoted.make({ at, processorStatus }))

/** Once the bank has decided, nothing is sent to it. */
const decided = (dispute: Dispute, outcome: DisputeEvent): DisputeDecision =>
  isUnanswered(dispute.response)
    ? accept<DisputeEvent>(StepWithdrawn.make({ at: outcome.at }), outcome)
    : accept(outcome)

const conflict = ({ disputeNo }: Dispute, reason: DisputeConflict["reason"]): DisputeDecision =>
  refuse(new DisputeConflict({ disputeNo, reason }))

// Evolve ----------------------------------------------------------------------
// The dispute after a fact. Total over what `decide` can record; anything else is a bug, so it throws.

export const evolve = (dispute: Dispute, event: DisputeEvent): Dispute => {
  if (!precedes[event._tag].includes(dispute.status)) throw cannotFollow(dispute, event)
  return DisputeEvent.match(event, {
    DraftSaved: (): Dispute => dispute,
    SubmissionBegun: ({ fingerprint, id, request }): Dispute => ({
      ...dispute,
      response: { id, step: "submit", taken: false, asks: 1, fingerprint, request }
    }),
    AcceptanceBegun: ({ id, request }): Dispute => ({
      ...dispute,
      response: { id, step: "accept", taken: false, asks: 1, fingerprint: null, request }
    }),
    AskedAgain: (): Dispute => {
      const response = unanswered(dispute, event)
      return { ...dispute, response: { ...response, asks: response.asks + 1 } }
    },
    EvidenceSubmitted: ({ at, processorStatus }): Dispute => ({
      ...termsOf(dispute),
      status: "under_review",
      response: { ...unanswered(dispute, event), taken: true },
      processorStatus,
      updatedAt: at
    }),
    AcceptanceTaken: ({ at, processorStatus }): Dispute => ({
      ...dispute,
      response: { ...unanswered(dispute, event), taken: true },
      processorStatus,
      updatedAt: at
    }),
    StepWithdrawn: (): Dispute => ({ ...dispute, response: null }),
    DisputeWon: ({ at, processorStatus }): Dispute => ({
      ...termsOf(dispute),
      status: "won",
      fee: "fee" in dispute ? dispute.fee : null,
      closedAt: at,
      processorStatus,
      updatedAt: at
    }),
    DisputeLost: ({ at, fee, processorStatus }): Dispute => ({
      ...termsOf(dispute),
      status: "lost",
      fee,
      closedAt: at,
      processorStatus,
      updatedAt: at
    }),
    DisputeClosed: ({ at, processorStatus }): Dispute => ({
      ...termsOf(dispute),
      status: "closed",
      fee: null,
      closedAt: at,
      processorStatus,
      updatedAt: at
    }),
    StageBegun: ({ amount, at, isAnswered, ...begun }): Dispute => ({
      ...termsOf(dispute),
      ...begun,
      ...(isAnswered ? answeredAlready(dispute) : { status: "needs_response", response: null }),
      // Only an inquiry has moved nothing yet.
      amount: dispute.stage === "inquiry" ? amount : dispute.amount,
      updatedAt: at
    }),
    ReviewBegun: ({ at, ...begun }): Dispute => ({
      ...termsOf(dispute),
      ...begun,
      status: "under_review",
      updatedAt: at
    }),
    StatusNoted: ({ at, ...changed }): Dispute => ({ ...dispute, ...changed, updatedAt: at })
  })
}

const all = ["needs_response", "under_review", "won", "lost", "closed"] as const
const open = ["needs_response", "under_review"] as const

const precedes: Record<DisputeEvent["_tag"], ReadonlyArray<Dispute["status"]>> = {
  DraftSaved: ["needs_response"],
  SubmissionBegun: ["needs_response"],
  AcceptanceBegun: ["needs_response"],
  AskedAgain: ["needs_response"],
  EvidenceSubmitted: ["needs_response"],
  AcceptanceTaken: ["needs_response"],
  StepWithdrawn: ["needs_response"],
  DisputeWon: ["needs_response", "under_review", "lost"],
  DisputeLost: open,
  DisputeClosed: open,
  StageBegun: open,
  ReviewBegun: ["needs_response"],
  StatusNoted: all
}

/** An answer in transit may be the one that the bank has: its sender will find out. */
const answeredAlready = ({ response }: Dispute) =>
  response !== null && !response.taken
    ? ({ status: "needs_response", response } as const)
    : ({ status: "under_review", response } as const)

const unanswered = (dispute: Dispute, event: DisputeEvent): Response => {
  if (dispute.response === null || dispute.response.taken) throw cannotFollow(dispute, event)
  return dispute.response
}

const cannotFollow = (dispute: Dispute, event: DisputeEvent) =>
  new TypeError(`${event._tag} cannot follow ${dispute.status} (${dispute.disputeNo})`)

/** Without the status. An appeal that is won keeps the fee of the loss, and sets the time of its own end. */
const termsOf = (dispute: Dispute) => {
  const { status: _, ...terms } = dispute
  return terms
}

// Consequences ----------------------------------------------------------------
// For the order, the wallet, and the event (spec: Dispute; Balance transaction; Events).

const { CloseDispute, OpenDispute, RegainDispute } = OrderCommand.cases

/** When the channel reports a new one: a chargeback freezes the amount at once. */
export const opening = (dispute: Dispute): Consequence => ({
  ...(dispute.stage === "inquiry" ? nothing : frozen(dispute, dispute.amount)),
  announced: "dispute.created"
})

const frozen = (dispute: Dispute, amount: Minor): Consequence => ({
  ...nothing,
  order: OpenDispute.make({}),
  movements: [movement(dispute, "dispute_freeze", 0 - amount)]
})

/** `before` is the dispute before the fact. */
export const consequences = (before: Dispute, event: DisputeEvent): Consequence => {
  const { amount } = before
  return DisputeEvent.match(event, {
    DraftSaved: () => nothing,
    SubmissionBegun: () => nothing,
    AcceptanceBegun: () => nothing,
    AskedAgain: () => nothing,
    EvidenceSubmitted: (): Consequence => ({ ...nothing, announced: "dispute.updated" }),
    AcceptanceTaken: () => nothing,
    StepWithdrawn: () => nothing,
    DisputeWon: (): Consequence => ({
      // By appeal: the loss has taken the amount out of frozen, so it is credited without unfreezing (silences: D8).
      ...(before.status === "lost"
        ? {
            ...nothing,
            order: RegainDispute.make({ amount }),
            movements: [movement(before, "dispute_unfreeze", amount, true)]
          }
        : returned(before)),
      announced: "dispute.won"
    }),
    DisputeLost: ({ fee }): Consequence => ({
      ...nothing,
      order: CloseDispute.make({ lost: amount }),
      // The specification promises two rows, even without a fee (silences: B6).
      movements: [movement(before, "dispute_debit", 0 - amount), movement(before, "dispute_fee", 0 - fee)],
      announced: "dispute.lost"
    }),
    DisputeClosed: (): Consequence => ({ ...returned(before), announced: "dispute.closed" }),
    StageBegun: (begun): Consequence => ({
      ...(before.stage === "inquiry" && begun.stage !== "inquiry" ? frozen(before, begun.amount) : nothing),
      announced: "dispute.updated"
    }),
    ReviewBegun: (): Consequence => ({ ...nothing, announced: "dispute.updated" }),
    StatusNoted: () => nothing
  })
}

/** An inquiry took nothing. */
const returned = (dispute: Dispute): Consequence =>
  dispute.stage === "inquiry"
    ? nothing
    : {
        ...nothing,
        order: CloseDispute.make({ lost: Minor.make(0) }),
        movements: [movement(dispute, "dispute_unfreeze", dispute.amount)]
      }

const descriptions = {
  dispute_freeze: "opened",
  dispute_unfreeze: "returned",
  dispute_debit: "lost",
  dispute_fee: "fee"
}

const movement = (
  { disputeNo, tradeNo }: Dispute,
  type: keyof typeof descriptions,
  amount: number,
  unfrozen = false
): Movement => ({
  type,
  amount,
  referenceId: disputeNo,
  description: `Dispute ${disputeNo} of order ${tradeNo} ${descriptions[type]}`,
  ...(unfrozen ? { unfrozen } : {})
})
