/** The payment link after a fact. Pure. */
import { LinkEvent, type PaymentLink } from "./PaymentLink.ts"

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
