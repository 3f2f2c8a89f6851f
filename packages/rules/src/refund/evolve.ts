/** The refund after a fact. Total over what `decide` can record; anything else is a bug, so it throws. */
import { type Refund, RefundEvent } from "./Refund.ts"

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
