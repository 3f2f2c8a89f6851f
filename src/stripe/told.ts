/** Which of Stripe's events say something to us, and which object each one is about. Pure. */
import { DateTime, Option } from "effect"
import type { Stripe } from "stripe"
import type { EventKind, Told } from "./StripeEventStore.ts"

const kinds = {
  "checkout.session.completed": "session",
  "checkout.session.async_payment_succeeded": "session",
  "checkout.session.async_payment_failed": "session",
  "checkout.session.expired": "session",
  "refund.created": "refund",
  "refund.updated": "refund",
  "refund.failed": "refund",
  "charge.dispute.created": "dispute",
  "charge.dispute.updated": "dispute",
  "charge.dispute.closed": "dispute"
} as const satisfies Record<string, EventKind>

type Known = keyof typeof kinds

/** What an endpoint at Stripe has to be subscribed to, and what is asked for in lists. */
export const eventTypes = Object.keys(kinds) as Array<Known>

const isKnown = (type: string): type is Known => Object.hasOwn(kinds, type)

/** None for an event that says nothing to us. What the event shows of its object is not used: it may be old. */
export const toldBy = (event: Pick<Stripe.Event, "id" | "type" | "created" | "data">): Option.Option<Told> => {
  if (!isKnown(event.type)) return Option.none()
  const { id } = event.data.object as { readonly id?: unknown }
  if (typeof id !== "string" || typeof event.id !== "string") return Option.none()
  return Option.some({
    eventId: event.id,
    type: event.type,
    kind: kinds[event.type],
    objectId: id,
    createdAt: DateTime.makeUnsafe(event.created * 1_000)
  })
}
