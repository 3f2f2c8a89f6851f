/** Events on the wire: what is delivered to merchants and what they read back (spec: Event; Events). */
import { Mode } from "@coffer/model/Ids"
import { Schema } from "effect"

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
  data: Schema.StructWithRest(Schema.Struct({ object: Schema.Record(Schema.String, Schema.Unknown) }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ]),
  event_id: Schema.String,
  event_type: EventType
}).annotate({ identifier: "Event" })
export type EventResource = typeof EventResource.Encoded
