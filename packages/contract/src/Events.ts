/** Events on the wire: what is delivered to merchants and what they read back (spec: Event; Events). */
import { EventType } from "@coffer/model/EventType"
import { Currency } from "@coffer/model/Money"
import { wireFields } from "@coffer/resources/listed"
import { events } from "@coffer/resources/webhooks"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { EventNotFound, InvalidRequest, RateLimited, Unavailable } from "./Errors.ts"
import { text, withExample } from "./fields.ts"
import { anyOf, ListQuery, waitParameter } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

/** A copy of one of the object's own fields, if it has that field. */
const flat = <S extends Schema.Top>(name: string, schema: S) =>
  Schema.optionalKey(
    schema.annotate({ description: `As \`object.${name}\`; for receivers written for the older form.` })
  )

/**
 * `data` holds the object and, beside it, the flat fields of the legacy envelope; `event_id` and `event_type` repeat
 * `id` and `type` for the same reason (silences: E2). `sequence` rises with each change of the object (silences: E7).
 */
export const EventResource = withExample(
  Schema.Struct({
    ...wireFields(events),
    data: Schema.Struct({
      object: Schema.Record(Schema.String, Schema.Unknown).annotate({
        description: "The order, refund or dispute as its own endpoint would have returned it at that moment."
      }),
      trade_no: flat("trade_no", Schema.String),
      out_trade_no: flat("out_trade_no", Schema.String),
      refund_no: flat("refund_no", Schema.String),
      out_refund_no: flat("out_refund_no", Schema.String),
      dispute_no: flat("dispute_no", Schema.String),
      amount: flat("amount", Schema.Int),
      currency: flat("currency", Currency),
      status: flat("status", Schema.String)
    }).annotate({ description: "The object of the event, as it was then." }),
    event_id: text("As `id`; for receivers written for the older form."),
    event_type: EventType.annotate({ description: "As `type`; for receivers written for the older form." })
  }).annotate({ identifier: "Event", description: "The event, byte for byte as it is delivered." }),
  {
    object: "event",
    id: sampleIds.event,
    type: "payment.succeeded",
    mode: "sandbox",
    created_at: "2026-11-21T09:31:12.502Z",
    sequence: 2,
    data: {
      object: { object: "order", trade_no: sampleIds.order, out_trade_no: "cart-4711", amount: 1999, status: "paid" },
      trade_no: sampleIds.order,
      out_trade_no: "cart-4711",
      amount: 1999,
      currency: "USD",
      status: "paid"
    },
    event_id: sampleIds.event,
    event_type: "payment.succeeded"
  }
)
export type EventResource = typeof EventResource.Encoded

/** Filters of the list, ours (silences: E1, E9). `type` may be given several times: one of them has to match. */
export const EventQuery = Schema.Struct({
  ...ListQuery,
  ...waitParameter,
  type: Schema.optionalKey(anyOf(EventType.literals, "Events of this type; repeat it for several types.")),
  object_id: Schema.optionalKey(
    text("Events of this order, refund or dispute: our number, or any other that its path accepts.")
  )
})
export type EventQuery = typeof EventQuery.Type

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: EventQuery,
      success: listed(EventResource),
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List events, newest first",
        description:
          "Everything that has happened, including events that no webhook received: catch up here on what you " +
          "missed. With `wait` and the id of the newest event that you have, new events are returned as they " +
          "happen."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/events/:event_id", {
      params: { event_id: text("The event's `id`.") },
      success: enveloped(EventResource),
      error: EventNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Retrieve an event",
        description: "The event as it was delivered; it never changes."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Events of the account, the same ones that are sent to webhooks.") {}
