/**
 * Which facts follow from a command to a refund. Pure. One function per command; no default, so a new status is a
 * compile error (spec: States and transitions, Refund).
 */
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Refund, RefundCommand, RefundContradicted, RefundEvent } from "./Refund.ts"

type RefundDecision = Decision<RefundEvent, RefundContradicted>
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
    Annotate: ({ at, metadata }): RefundDecision => accept(RefundAnnotated.make({ at, metadata }))
  })

const decideConfirm = ({ refundNo, status }: Refund, { at }: CommandOf<"Confirm">): RefundDecision => {
  switch (status) {
    case "reserved":
    case "pending":
      return accept(RefundSucceeded.make({ at }))
    case "succeeded":
      return accept()
    case "failed":
      return refuse(new RefundContradicted({ refundNo, reason: "already_failed" }))
    case "void":
      return refuse(new RefundContradicted({ refundNo, reason: "already_void" }))
  }
}

const decideReject = ({ status }: Refund, { at, reason }: CommandOf<"Reject">): RefundDecision => {
  switch (status) {
    case "reserved":
      // Nothing was frozen and nobody was told of it: as if it had never been asked for (silences: R7).
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
