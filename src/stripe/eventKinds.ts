/** Which of Stripe's events say something to us, and which object each one is about. Pure. */
import { DateTime, Option, Schema } from "effect"
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

const Id = Schema.String.check(Schema.isPattern(/^\w{1,255}$/))
const isId = Schema.is(Id)

/** Seconds until the year 10000. */
const secondsMax = 253_402_300_799

const Signed = Schema.Struct({
  id: Id,
  type: Schema.String,
  created: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: secondsMax })),
  data: Schema.Struct({ object: Schema.Record(Schema.String, Schema.Unknown) })
})

const isSigned = Schema.is(Signed)

/** Whether what was signed is an event: whoever has the secret may sign anything. */
export const isEvent = (read: unknown): read is Stripe.Event => isSigned(read)

/** None for an event that says nothing to us. What the event shows of its object is not used: it may be old. */
export const toldBy = (event: Pick<Stripe.Event, "id" | "type" | "created" | "data">): Option.Option<Told> => {
  if (!isKnown(event.type)) return Option.none()
  const { id } = event.data.object as { readonly id?: unknown }
  if (!isId(id)) return Option.none()
  return Option.some({
    eventId: event.id,
    type: event.type,
    kind: kinds[event.type],
    objectId: id,
    createdAt: DateTime.makeUnsafe(event.created * 1_000)
  })
}
