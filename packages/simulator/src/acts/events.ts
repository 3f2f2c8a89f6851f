/** Records an event, and its delivery to each subscribed endpoint. */
import type Stripe from "stripe"
import { apiVersion } from "../facts/table.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"

export type EventType = Stripe.Event["type"]

export const emit = (
  world: World,
  book: Book,
  type: EventType,
  object: object,
  previous?: Readonly<Record<string, unknown>>
): void => {
  const platform = book.get("x.platform", "platform")?.account
  const listeners = [
    ...wanting(book, type, false),
    ...(platform === undefined ? [] : wanting(world.book(platform, book.livemode), type, true))
  ]
  const event = {
    id: world.newId("evt"),
    object: "event",
    ...(platform !== undefined && { account: book.account }),
    api_version: apiVersion,
    created: world.seconds(),
    data: { object, ...(previous !== undefined && { previous_attributes: previous }) },
    livemode: book.livemode,
    pending_webhooks: listeners.length,
    request: { id: world.cause.id, idempotency_key: world.cause.idempotencyKey },
    type
    // Callers pass the right object for the type.
  } as Stripe.Event
  book.put("event", event)
  for (const endpoint of listeners) {
    world.schedule(book, world.clock.millis(), { do: "deliver", event: event.id, endpoint: endpoint.id, attempt: 1 })
  }
}

/** The enabled endpoints for this type: for the account's own events, or for those of connected accounts. */
const wanting = (book: Book, type: string, connect: boolean): ReadonlyArray<Stripe.WebhookEndpoint> =>
  Array.from(book.newest("webhook_endpoint"))
    .filter(
      ({ enabled_events, id, status }) =>
        status === "enabled" &&
        book.get("x.secret", id)?.connect === connect &&
        enabled_events.some((each) => each === "*" || each === type)
    )
    .toReversed()
