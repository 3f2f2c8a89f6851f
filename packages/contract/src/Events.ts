/** Events on the wire: what is delivered to merchants and what they read back (spec: Event; Events). */
import { Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { EventNotFound, InvalidRequest } from "./Errors.ts"
import { anyOf, ListQuery } from "./Lists.ts"

export const EventType = Schema.Literals([
  "payment.succeeded",
  "payment.failed",
  "payment.expired",
  "payment.duplicate_refunded",
  "refund.succeeded",
  "refund.failed",
  "dispute.created",
  "dispute.updated",
  "dispute.won",
  "dispute.lost",
  "dispute.closed"
])
export type EventType = typeof EventType.Type

/**
 * `data` holds the object and, beside it, the flat fields of the legacy envelope; `event_id` and `event_type` repeat
 * `id` and `type` for the same reason (silences: E2). `sequence` rises with each change of the object (silences: E7).
 */
export const EventResource = Schema.Struct({
  object: Schema.tag("event"),
  id: Schema.String,
  type: EventType,
  mode: Mode,
  created_at: Schema.String.annotate({ format: "date-time" }),
  sequence: Schema.Int,
  data: Schema.Struct({
    object: Schema.Record(Schema.String, Schema.Unknown),
    trade_no: Schema.optionalKey(Schema.String),
    out_trade_no: Schema.optionalKey(Schema.String),
    refund_no: Schema.optionalKey(Schema.String),
    out_refund_no: Schema.optionalKey(Schema.String),
    dispute_no: Schema.optionalKey(Schema.String),
    amount: Schema.optionalKey(Schema.Int),
    currency: Schema.optionalKey(Currency),
    status: Schema.optionalKey(Schema.String)
  }),
  event_id: Schema.String,
  event_type: EventType
}).annotate({ identifier: "Event" })
export type EventResource = typeof EventResource.Encoded

/** Filters of the list, ours (silences: E1). `type` may be given several times: one of them has to match. */
export const EventQuery = Schema.Struct({
  ...ListQuery,
  type: Schema.optionalKey(anyOf(EventType.literals)),
  object_id: Schema.optionalKey(Schema.String)
})
export type EventQuery = typeof EventQuery.Type

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/v1/events", {
      query: EventQuery,
      success: listed(EventResource),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "List events, newest first"),
    HttpApiEndpoint.get("retrieve", "/v1/events/:event_id", {
      params: { event_id: Schema.String },
      success: enveloped(EventResource),
      error: EventNotFound
    }).annotate(OpenApi.Summary, "Retrieve an event")
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "What happened on the account; the same as is pushed to webhooks.") {}
