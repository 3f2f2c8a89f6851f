/**
 * Which facts follow from a command to a refund. Pure. One function per command; no default, so a new status is a
 * compile error (spec: States and transitions, Refund).
 */
import { merge, patchProblem } from "@coffer/model/Metadata"
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Refund, RefundCommand, RefundConflict, RefundEvent } from "./Refund.ts"

type RefundDecision = Decision<RefundEvent, RefundConflict>
type CommandOf<Tag extends RefundCommand["_tag"]> = Extract<RefundCommand, { readonly _tag: Tag }>

const { RefundAbandoned, RefundAccepted, RefundAnnotated, RefundFailed, RefundReversed, RefundSucceeded } =
  RefundEvent.cases

export const decide = (refund: Refund, command: RefundCommand): RefundDecision =>
  RefundCommand.match(command, {
    Confirm: (confirm): RefundDecision => decideConfirm(refund, confirm),
    Await: ({ at }): RefundDecision => (refund.status === "reserved" ? accept(RefundAccepted.make({ at })) : accept()),
    Abandon: ({ at }): RefundDecision =>
      refund.status === "reserved" ? accept(RefundAbandoned.make({ at })) : accept(),
    Reject: (reject): RefundDecision => decideReject(refund, reject),
    Annotate: (annotate): RefundDecision => decideAnnotate(refund, annotate)
  })

const decideConfirm = ({ refundNo, status }: Refund, { at }: CommandOf<"Confirm">): RefundDecision => {
  switch (status) {
    case "reserved":
    case "pending":
      return accept(RefundSucceeded.make({ at }))
    case "succeeded":
      return accept()
    case "failed":
      return refuse(new RefundConflict({ refundNo, reason: "already_failed" }))
    case "void":
      return refuse(new RefundConflict({ refundNo, reason: "already_void" }))
  }
}

const decideReject = ({ status }: Refund, { at, reason }: CommandOf<"Reject">): RefundDecision => {
  switch (status) {
    case "reserved":
      // Nothing was frozen and no merchant was told of it: as if it had never been asked for (silences: R7).
      return accept(RefundAbandoned.make({ at }))
    case "pending":
      return accept(RefundFailed.make({ at, reason }))
    case "succeeded":
      return accept(RefundReversed.make({ at, reason }))
    case "failed":
    case "void":
      return accept()
  }
}

/** The same in every status. The front door has checked the patch; what two at once add up to is checked here. */
const decideAnnotate = ({ metadata, refundNo }: Refund, { at, patch }: CommandOf<"Annotate">): RefundDecision =>
  patchProblem(metadata, patch) === undefined
    ? accept(RefundAnnotated.make({ at, metadata: merge(metadata, patch) }))
    : refuse(new RefundConflict({ refundNo, reason: "too_many_keys" }))

// Evolve ----------------------------------------------------------------------
// The refund after a fact. Total over what `decide` can record; anything else is a bug, so it throws.

export const evolve = (refund: Refund, event: RefundEvent): Refund => {
  if (!precedes[event._tag].includes(refund.status)) {
    throw new TypeError(`${event._tag} cannot follow ${refund.status} (${refund.refundNo})`)
  }
  const terms = { ...termsOf(refund), updatedAt: event.at }
  return RefundEvent.match(event, {
    RefundSucceeded: ({ at }): Refund => ({ status: "succeeded", ...terms, settledAt: at }),
    RefundAccepted: (): Refund => ({ status: "pending", ...terms }),
    RefundAbandoned: (): Refund => ({ status: "void", ...terms }),
    RefundFailed: ({ reason }): Refund => ({ status: "failed", ...terms, failureReason: reason }),
    RefundReversed: ({ reason }): Refund => ({ status: "failed", ...terms, failureReason: reason }),
    RefundAnnotated: ({ at, metadata }): Refund => ({ ...refund, metadata, updatedAt: at })
  })
}

const all = ["reserved", "pending", "succeeded", "failed", "void"] as const

const precedes: Record<RefundEvent["_tag"], ReadonlyArray<Refund["status"]>> = {
  RefundSucceeded: ["reserved", "pending"],
  RefundAccepted: ["reserved"],
  RefundAbandoned: ["reserved"],
  RefundFailed: ["pending"],
  RefundReversed: ["succeeded"],
  RefundAnnotated: all
}

/** Without what belongs to one status. A refund that has failed keeps its status, so its reason needs no removal. */
const termsOf = (refund: Refund) => {
  const { status: _, ...terms } = refund
  if (!("settledAt" in terms)) return terms
  const { settledAt: __, ...rest } = terms
  return rest
}
