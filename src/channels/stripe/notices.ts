/** The events of Stripe that matter to us, and what is kept of each: which object it names. Pure. */
import { DateTime, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { tradeNoIn } from "./SessionStore.ts"
import type { EventKind, StripeNotice } from "./StripeEventStore.ts"
import { refundNoOf } from "./StripeRefunds.ts"

const kinds = {
  "checkout.session.completed": "session",
  "checkout.session.async_payment_succeeded": "session",
  "checkout.session.async_payment_failed": "session",
  "checkout.session.expired": "session",
  // A hold is told as its session is: a program of the version before fails to read one by the payment's id, and tries
  // again until a program that knows holds is there.
  "payment_intent.amount_capturable_updated": "session",
  "payment_intent.canceled": "session",
  "charge.captured": "session",
  "payment_intent.payment_failed": "attempt",
  "refund.created": "refund",
  "refund.updated": "refund",
  "refund.failed": "refund",
  "charge.dispute.created": "dispute",
  "charge.dispute.updated": "dispute",
  "charge.dispute.closed": "dispute"
} as const satisfies Record<string, EventKind>

type Known = keyof typeof kinds

/** The types that an endpoint at Stripe has to be subscribed to, and that are asked for in lists. */
export const eventTypes = Object.keys(kinds) as Array<Known>

/** The types that tell of an amount on hold, by the field of their object that has the payment's number. */
export const holdTypes: Readonly<Record<string, string>> = {
  "payment_intent.amount_capturable_updated": "id",
  "payment_intent.canceled": "id",
  "charge.captured": "payment_intent"
}

const isKnownType = (type: string): type is Known => Object.hasOwn(kinds, type)

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

/** Whether the signed text is an event: a holder of the secret may sign anything. */
export const isEvent = (read: unknown): read is Stripe.Event => isSigned(read)

/** A thin event: the account's destination has to send snapshot events. */
export const isThin = (read: unknown): boolean =>
  typeof read === "object" && read !== null && "object" in read && read.object === "v2.core.event"

/**
 * None for an event that does not matter to us. The object's state in the event may be stale: it only saves reading
 * objects that have ended or are not ours.
 */
export const noticeOf = (
  event: Pick<Stripe.Event, "id" | "type" | "created" | "data">
): Option.Option<StripeNotice> => {
  if (!isKnownType(event.type)) return Option.none()
  const object: Readonly<Record<string, unknown>> = { ...event.data.object }
  const numbered = holdTypes[event.type]
  const id = object[numbered ?? "id"]
  if (!isId(id)) return Option.none()
  const kind = kinds[event.type]
  const names = nameIn(kind, object)
  // Another program takes payments through the same account, or this one was to be charged at once.
  const isOurs = names !== "" && names !== null
  if ((kind === "attempt" || numbered !== undefined) && !isOurs) return Option.none()
  if (numbered === "id" && object["capture_method"] !== "manual") return Option.none()
  return Option.some({
    eventId: event.id,
    type: event.type,
    kind,
    objectId: id,
    createdAt: DateTime.makeUnsafe(event.created * 1_000),
    names,
    shows: isId(object["status"]) ? object["status"] : null
  })
}

/** Sessions, payment intents and refunds of ours name what they are for. A dispute names nothing itself. */
const nameIn = (kind: EventKind, { metadata }: Readonly<Record<string, unknown>>): string | null => {
  if (typeof metadata !== "object" || metadata === null) return kind === "attempt" ? "" : null
  switch (kind) {
    case "attempt":
    case "session":
      return Option.getOrElse(tradeNoIn(metadata as Stripe.Metadata), () => "")
    case "refund":
      return Option.getOrNull(refundNoOf({ metadata: metadata as Stripe.Metadata }))
    case "dispute":
      return null
  }
}
