/** The dispute after a fact. Total over what `decide` can record; anything else is a bug, so it throws. */
import { type Dispute, DisputeEvent, type Response } from "./Dispute.ts"

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

/** An answer that is on its way may be the one that the bank has: its sender will see. */
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
