/** Which of Stripe's events say something to us, and which object each one is about. Pure. */
import { DateTime, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { tradeNoIn } from "./sessionStatus.ts"
import type { EventKind, Told } from "./StripeEventStore.ts"
import { refundNoOf } from "./StripeRefunds.ts"

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

/** Stripe says too little in it: the account's destination has to send snapshot events. */
export const isThin = (read: unknown): boolean =>
  typeof read === "object" && read !== null && "object" in read && read.object === "v2.core.event"

/**
 * None for an event that says nothing to us. What the event shows of its object may be old: it only saves a look at
 * what is settled or none of ours.
 */
export const toldBy = (event: Pick<Stripe.Event, "id" | "type" | "created" | "data">): Option.Option<Told> => {
  if (!isKnown(event.type)) return Option.none()
  const object: Readonly<Record<string, unknown>> = { ...event.data.object }
  const { id } = object
  if (!isId(id)) return Option.none()
  const kind = kinds[event.type]
  return Option.some({
    eventId: event.id,
    type: event.type,
    kind,
    objectId: id,
    createdAt: DateTime.makeUnsafe(event.created * 1_000),
    names: nameIn(kind, object),
    shows: isId(object["status"]) ? object["status"] : null
  })
}

/** Sessions and refunds of ours name what they are for. A dispute names nothing itself. */
const nameIn = (kind: EventKind, { metadata }: Readonly<Record<string, unknown>>): string | null => {
  if (typeof metadata !== "object" || metadata === null) return null
  switch (kind) {
    case "session":
      return Option.getOrElse(tradeNoIn(metadata as Stripe.Metadata), () => "")
    case "refund":
      return Option.getOrNull(refundNoOf({ metadata: metadata as Stripe.Metadata }))
    case "dispute":
      return null
  }
}
