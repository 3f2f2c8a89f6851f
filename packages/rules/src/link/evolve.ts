/** The payment link after a fact. Pure. */
import { LinkEvent, type PaymentLink } from "./PaymentLink.ts"

export const evolve = (link: PaymentLink, event: LinkEvent): PaymentLink =>
  LinkEvent.match(event, {
    LinkUpdated: ({ changes, metadata }): PaymentLink => ({ ...link, ...changes, metadata }),
    LinkVisited: ({ ordinal }): PaymentLink => ({ ...link, usedCount: ordinal })
  })
