/** The types of events for merchants (spec: Events). */
import { Schema } from "effect"

export const EventType = Schema.Literals([
  "payment.succeeded",
  "payment.failed",
  "payment.expired",
  "payment.duplicate_refunded",
  "payment.authorized",
  "payment.captured",
  "payment.canceled",
  "payment.authorization_expired",
  "refund.succeeded",
  "refund.failed",
  "dispute.created",
  "dispute.updated",
  "dispute.won",
  "dispute.lost",
  "dispute.closed"
])
export type EventType = typeof EventType.Type

/** In a subscription: all types, also those that are added later. */
export const everyType = "*"
