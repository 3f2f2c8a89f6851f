/** Which facts follow from a command to a payment link. Pure. */
import { merge, patchProblem } from "@coffer/model/Metadata"
import { DateTime } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import { LinkClosed, LinkCommand, LinkConflict, LinkEvent, type PaymentLink } from "./PaymentLink.ts"

type LinkDecision = Decision<LinkEvent, LinkClosed | LinkConflict>

const { LinkUpdated, LinkVisited } = LinkEvent.cases

export const decide = (link: PaymentLink, command: LinkCommand): LinkDecision =>
  LinkCommand.match(command, {
    Update: ({ changes, metadata = {} }): LinkDecision =>
      patchProblem(link.metadata, metadata) === undefined
        ? accept(LinkUpdated.make({ changes, metadata: merge(link.metadata, metadata) }))
        : refuse(new LinkConflict({ linkId: link.linkId })),
    Visit: ({ _tag: _, ...visit }): LinkDecision => {
      // Before anything refuses it: the first press may have been the link's last use.
      if (knownVisit(link, visit.visitNo) !== undefined) return accept()
      const reason = closedBy(link, visit.at)
      return reason === undefined
        ? accept(LinkVisited.make({ ...visit, ordinal: link.usedCount + 1 }))
        : refuse(new LinkClosed({ linkId: link.linkId, reason }))
    }
  })

/** The order that a visit of this number has made. */
export const knownVisit = ({ recentVisits }: PaymentLink, visitNo: string | undefined) =>
  visitNo === undefined ? undefined : recentVisits.find((visit) => visit.visitNo === visitNo)

/** Why a visit at this time makes no order; undefined when it does. */
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

/** A form arrives twice within seconds. The link's row is written with each visit, so it stays small. */
const recentVisitsMax = 16
