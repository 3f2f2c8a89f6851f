/** One attempt to deliver an event, and the next one if the receiver does not accept it. */
import { DateTime, Effect } from "effect"
import type Stripe from "stripe"
import { indentedJson } from "../json.ts"
import type { Book } from "../state/Book.ts"
import type { Task } from "../state/kinds.ts"
import type { World } from "../state/World.ts"
import { post } from "./post.ts"

export interface Waiting {
  readonly book: Book
  readonly delivery: Extract<Task, { readonly do: "deliver" }>
}

/** The retry schedule in seconds: three days in live mode, a few hours in test mode. */
const pauses = {
  live: [300, 1_800, 7_200, 18_000, 36_000, 36_000, 36_000, 36_000, 36_000, 36_000],
  test: [300, 1_800, 7_200]
}

export const makeSend = (world: World) =>
  Effect.fnUntraced(function* ({ book, delivery }: Waiting) {
    const home = homeOf(world, book, delivery.endpoint)
    const endpoint = home.get("webhook_endpoint", delivery.endpoint)
    const secret = home.get("x.secret", delivery.endpoint)?.secret
    const event = book.get("event", delivery.event)
    // It was deleted or disabled meanwhile.
    if (endpoint?.status !== "enabled" || secret === undefined || event === undefined) return
    const sent = world.thin.has(endpoint.id) ? thinOf(event) : event
    const isTaken = yield* post({ url: endpoint.url, secret, body: indentedJson(sent), at: world.seconds() })
    if (isTaken) {
      const now = book.get("event", delivery.event)!
      book.put("event", { ...now, pending_webhooks: Math.max(0, now.pending_webhooks - 1) })
      return
    }
    const pause = pauses[book.livemode ? "live" : "test"][delivery.attempt - 1]
    if (pause === undefined) return
    world.schedule(book, world.clock.millis() + pause * 1000, { ...delivery, attempt: delivery.attempt + 1 })
  })

/** A thin event, which only references its object. */
const thinOf = ({ created, data, id, livemode, request, type }: Stripe.Event) => {
  const object = data.object as { readonly id?: string; readonly object: string }
  return {
    id,
    object: "v2.core.event",
    type: `v1.${type}`,
    created: DateTime.formatIso(DateTime.makeUnsafe(created * 1000)),
    livemode,
    context: null,
    reason: request === null ? null : { type: "request", request },
    related_object: { id: object.id ?? "", type: object.object, url: `/v1/events/${id}` }
  }
}

/** The book of an endpoint: the account's own, or its platform's. */
const homeOf = (world: World, book: Book, endpoint: string): Book =>
  book.get("webhook_endpoint", endpoint) === undefined ? (world.find("webhook_endpoint", endpoint) ?? book) : book
