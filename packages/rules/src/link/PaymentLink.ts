/**
 * The payment link: a URL that creates a new order on each visit (spec: Payment link). It is `active` or `inactive`;
 * whether it has expired or is used up follows from its fields and the time, and is not stored (silences: L1). Pure.
 */
import { LinkId, TradeNo } from "@coffer/model/Ids"
import { merge, Metadata, MetadataPatch, patchProblem } from "@coffer/model/Metadata"
import { fixedFields } from "@coffer/resources/listed"
import { paymentLinks } from "@coffer/resources/links"
import { DateTime, Schema } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Consequence, nothing } from "../Consequence.ts"

/** The terms of the link; none of them ever changes. */
export const terms = fixedFields(paymentLinks)

const LinkStatus = paymentLinks.columns.status.schema

/** The fields that an update may change. */
const settings = {
  status: LinkStatus,
  subject: Schema.NullOr(Schema.String),
  /** Null: unlimited. */
  maxUses: Schema.NullOr(Schema.Int),
  /** Null: never. */
  expiresAt: Schema.NullOr(Schema.DateTimeUtc)
}

/** The number of a visit by the button of the link's page, so that a form that arrives twice makes one order. */
export const VisitNo = Schema.String.check(Schema.isPattern(/^[0-9A-HJKMNP-TV-Z]{26}$/))

/** A visit and the order that it made. */
const NumberedVisit = Schema.Struct({ visitNo: VisitNo, tradeNo: TradeNo, at: Schema.DateTimeUtcFromString })

export const PaymentLink = Schema.Struct({
  ...terms,
  ...settings,
  /** Orders that visits have made, paid or not. */
  usedCount: Schema.Int,
  /** The latest visits with a number, oldest first. */
  recentVisits: Schema.Array(NumberedVisit),
  metadata: Metadata,
  /** Null: the orders are charged as they are paid. Missing from runners that know no holds. */
  capture: Schema.optionalKey(Schema.NullOr(paymentLinks.columns.capture.schema))
})
export type PaymentLink = typeof PaymentLink.Type

const Changes = Schema.Struct({
  status: Schema.optionalKey(settings.status),
  subject: Schema.optionalKey(settings.subject),
  maxUses: Schema.optionalKey(settings.maxUses),
  expiresAt: Schema.optionalKey(settings.expiresAt)
})

export const LinkCommand = Schema.TaggedUnion({
  /** `metadata` is merged into the link's current metadata. */
  Update: { changes: Changes, metadata: Schema.optionalKey(MetadataPatch) },
  /** A visit, with the number of its future order. A known `visitNo` makes no second order. */
  Visit: { at: Schema.DateTimeUtc, tradeNo: TradeNo, visitNo: Schema.optionalKey(VisitNo) }
})
export type LinkCommand = typeof LinkCommand.Type

export const LinkEvent = Schema.TaggedUnion({
  LinkUpdated: { changes: Changes, metadata: Metadata },
  /** `ordinal`: the number of this use, from 1. */
  LinkVisited: {
    at: Schema.DateTimeUtc,
    tradeNo: TradeNo,
    ordinal: Schema.Int,
    visitNo: Schema.optionalKey(VisitNo)
  }
})
export type LinkEvent = typeof LinkEvent.Type

/** Visits no longer make orders. */
export class LinkClosed extends Schema.TaggedError<LinkClosed>()("LinkClosed", {
  linkId: LinkId,
  reason: Schema.Literals(["inactive", "expired", "used_up"])
}) {}

/** Two concurrent updates add up to more metadata than a link may have. */
export class LinkConflict extends Schema.TaggedError<LinkConflict>()("LinkConflict", { linkId: LinkId }) {}

// Decide ----------------------------------------------------------------------

type LinkDecision = Decision<LinkEvent, LinkClosed | LinkConflict>

const { LinkUpdated, LinkVisited } = LinkEvent.cases

export const decide = (link: PaymentLink, command: LinkCommand): LinkDecision =>
  LinkCommand.match(command, {
    Update: ({ changes, metadata = {} }): LinkDecision =>
      patchProblem(link.metadata, metadata) === undefined
        ? accept(LinkUpdated.make({ changes, metadata: merge(link.metadata, metadata) }))
        : refuse(new LinkConflict({ linkId: link.linkId })),
    Visit: ({ _tag: _, ...visit }): LinkDecision => {
      if (repeatOf(link, visit) !== undefined) return accept()
      const reason = closedBy(link, visit.at)
      return reason === undefined
        ? accept(LinkVisited.make({ ...visit, ordinal: link.usedCount + 1 }))
        : refuse(new LinkClosed({ linkId: link.linkId, reason }))
    }
  })

/** The order that a visit of this number has just made. It may have been the last use of a link that is still open. */
export const repeatOf = (
  link: PaymentLink,
  { at, visitNo }: { readonly at: DateTime.Utc; readonly visitNo?: string }
) =>
  closedBy({ ...link, maxUses: null }, at) === undefined
    ? link.recentVisits.findLast(
        (visit) => visit.visitNo === visitNo && DateTime.isLessThan(at, DateTime.addDuration(visit.at, repeatWithin))
      )
    : undefined

/** A form arrives twice within seconds, or again if its answer was lost. Later another person may press the button. */
const repeatWithin = "10 minutes"

/** Why a visit at this time makes no order; undefined if it makes one. */
export const closedBy = (
  { expiresAt, maxUses, status, usedCount }: PaymentLink,
  at: DateTime.Utc
): LinkClosed["reason"] | undefined => {
  if (status === "inactive") return "inactive"
  if (expiresAt !== null && DateTime.isGreaterThanOrEqualTo(at, expiresAt)) return "expired"
  return maxUses !== null && usedCount >= maxUses ? "used_up" : undefined
}

// Evolve ----------------------------------------------------------------------
// The payment link after a fact. Pure.

export const evolve = (link: PaymentLink, event: LinkEvent): PaymentLink =>
  LinkEvent.match(event, {
    LinkUpdated: ({ changes, metadata }): PaymentLink => ({ ...link, ...changes, metadata }),
    LinkVisited: ({ at, ordinal, tradeNo, visitNo }): PaymentLink => ({
      ...link,
      usedCount: ordinal,
      ...(visitNo === undefined
        ? {}
        : { recentVisits: [...link.recentVisits, { visitNo, tradeNo, at }].slice(-recentVisitsMax) })
    })
  })

/** The link's row is written with each visit, so it is kept small. */
const recentVisitsMax = 16

// Consequences ----------------------------------------------------------------
// A link moves no money and announces no events; the orders of its visits do (spec: Payment link).

export const consequences = (): Consequence => nothing
