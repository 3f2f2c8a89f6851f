/**
 * The refund: its states, the commands that it accepts, the facts that follow from them, and the consequences of each
 * fact (spec: Refund; States and transitions, Refund). Pure. `order/decide.ts` says what an order allows.
 *
 * Two states are ours. `reserved`: the amount is promised and the channel is being asked. `void`: the channel certainly
 * did nothing and the merchant got the refusal; the refund no longer exists.
 */
import { RefundNo } from "@coffer/model/Ids"
import { merge, Metadata, MetadataPatch, patchProblem } from "@coffer/model/Metadata"
import type { Minor } from "@coffer/model/Money"
import { fixedFields } from "@coffer/resources/listed"
import { refunds } from "@coffer/resources/returns"
import { Schema } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Consequence, nothing } from "../Consequence.ts"
import { OrderCommand } from "../order/Order.ts"
import type { Movement } from "../wallet/post.ts"

/** The terms of the refund; none of them ever changes. */
export const terms = fixedFields(refunds)

const { failure_reason, metadata, settled_at, updated_at } = refunds.columns
const notes = { metadata: metadata.schema, updatedAt: updated_at.schema }

export const Refund = Schema.Union([
  Schema.Struct({ status: Schema.tag("reserved"), ...terms, ...notes }),
  Schema.Struct({ status: Schema.tag("pending"), ...terms, ...notes }),
  Schema.Struct({ status: Schema.tag("succeeded"), ...terms, ...notes, settledAt: settled_at.schema }),
  Schema.Struct({ status: Schema.tag("failed"), ...terms, ...notes, failureReason: failure_reason.schema }),
  Schema.Struct({ status: Schema.tag("void"), ...terms, ...notes })
]).pipe(Schema.toTaggedUnion("status"))
export type Refund = typeof Refund.Type

export const RefundCommand = Schema.TaggedUnion({
  /** The channel paid the buyer. */
  Confirm: { at: Schema.DateTimeUtc },
  /** The channel will settle later, or its outcome is unknown: ask again. */
  Await: { at: Schema.DateTimeUtc },
  /** At the first request the channel certainly did nothing. */
  Abandon: { at: Schema.DateTimeUtc },
  /** The channel will not pay the buyer, or the payment to the buyer was returned. */
  Reject: { at: Schema.DateTimeUtc, reason: Schema.String },
  /** The merchant's own notes, merged into what is there. */
  Annotate: { at: Schema.DateTimeUtc, patch: MetadataPatch }
})
export type RefundCommand = typeof RefundCommand.Type

export const RefundEvent = Schema.TaggedUnion({
  RefundSucceeded: { at: Schema.DateTimeUtc },
  RefundAccepted: { at: Schema.DateTimeUtc },
  RefundAbandoned: { at: Schema.DateTimeUtc },
  RefundFailed: { at: Schema.DateTimeUtc, reason: Schema.String },
  /** It had succeeded (silences: R9). */
  RefundReversed: { at: Schema.DateTimeUtc, reason: Schema.String },
  RefundAnnotated: { at: Schema.DateTimeUtc, metadata: Metadata }
})
export type RefundEvent = typeof RefundEvent.Type

export class RefundConflict extends Schema.TaggedError<RefundConflict>()("RefundConflict", {
  refundNo: RefundNo,
  reason: Schema.Literals([
    /** The channel contradicts an earlier report; a person has to investigate. */
    "already_failed",
    "already_void",
    "too_many_keys"
  ])
}) {}

// Decide ----------------------------------------------------------------------
// One function per command; no default, so a new status is a compile error.

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
      // Nothing was frozen and no merchant has seen it: as if it had never been requested (silences: R7).
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

/**
 * The same in every status. The front door has checked the patch; the sum of two concurrent patches is checked here.
 */
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

// Consequences ----------------------------------------------------------------
// For the order, the wallet, and the event (spec: Balance transaction; Events).

/** When the amount is promised, before the channel is asked (silences: R7). */
export const reserving = (amount: Minor, whole: boolean, now: Refund["createdAt"]): Consequence => ({
  ...nothing,
  order: ReserveRefund.make({ amount, whole, now }),
  reserve: amount
})

/** `before` is the refund before the fact. */
export const consequences = (before: Refund, event: RefundEvent): Consequence => {
  const { amount, status } = before
  const wasReserved = status === "reserved"
  return RefundEvent.match(event, {
    RefundSucceeded: (): Consequence => ({
      ...nothing,
      order: CompleteRefund.make({ amount }),
      // Synchronous: it was never frozen, so the debit lowers available.
      movements: [movement(before, "refund_debit", 0 - amount, wasReserved)],
      reserve: wasReserved ? 0 - amount : 0,
      announced: "refund.succeeded"
    }),
    RefundAccepted: (): Consequence => ({
      ...nothing,
      movements: [movement(before, "refund_freeze", 0 - amount, false)],
      reserve: 0 - amount
    }),
    RefundAbandoned: (): Consequence => ({
      ...nothing,
      order: ReleaseRefund.make({ amount }),
      reserve: 0 - amount
    }),
    RefundFailed: (): Consequence => ({
      ...nothing,
      order: ReleaseRefund.make({ amount }),
      movements: [movement(before, "refund_unfreeze", amount, false)],
      announced: "refund.failed"
    }),
    RefundReversed: (): Consequence => ({
      ...nothing,
      order: ReverseRefund.make({ amount }),
      movements: [movement(before, "refund_unfreeze", amount, true)],
      announced: "refund.failed"
    }),
    RefundAnnotated: () => nothing
  })
}

const { CompleteRefund, ReleaseRefund, ReserveRefund, ReverseRefund } = OrderCommand.cases

const descriptions = {
  refund_freeze: "accepted",
  refund_debit: "paid out",
  refund_unfreeze: "returned"
}

const movement = (
  { refundNo, tradeNo }: Refund,
  type: keyof typeof descriptions,
  amount: number,
  unfrozen: boolean
): Movement => ({
  type,
  amount,
  referenceId: refundNo,
  description: `Refund ${refundNo} of order ${tradeNo} ${descriptions[type]}`,
  ...(unfrozen ? { unfrozen } : {})
})
