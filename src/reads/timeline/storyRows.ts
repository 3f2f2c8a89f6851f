/** The columns from which an order's timeline is made, by table. */
import { EventType } from "@coffer/model/EventType"
import { Schema } from "effect"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

const text = Schema.String
const textOrNull = Schema.NullOr(Schema.String)
const timeOrNull = Schema.NullOr(TimeColumn)

export const RefundRow = Schema.Struct({
  refund_no: text,
  out_refund_no: text,
  amount: Schema.Int,
  currency: text,
  status: text,
  reason: textOrNull,
  failure_reason: textOrNull,
  payment_id: text,
  settled_at: timeOrNull,
  created_at: TimeColumn,
  updated_at: TimeColumn
})

export const DisputeRow = Schema.Struct({
  dispute_no: text,
  processor_dispute_id: text,
  processor_status: text,
  amount: Schema.Int,
  currency: text,
  status: text,
  reason: text,
  evidence_due_by: timeOrNull,
  opened_at: TimeColumn,
  closed_at: timeOrNull
})

export const MovementRow = Schema.Struct({
  id: text,
  sequence: Schema.Int,
  type: text,
  amount: Schema.Int,
  currency: text,
  balance_before: Schema.Int,
  balance_after: Schema.Int,
  frozen_after: Schema.Int,
  reference_id: text,
  created_at: TimeColumn
})

export const EventRow = Schema.Struct({ id: text, type: EventType, object_id: text, created_at: TimeColumn })

export const DeliveryRow = Schema.Struct({
  id: text,
  event_id: text,
  endpoint_id: textOrNull,
  url: text,
  status: text,
  next_attempt_at: timeOrNull,
  resend_of: textOrNull,
  created_at: TimeColumn
})

export const AttemptRow = Schema.Struct({
  delivery_id: text,
  attempt: Schema.Int,
  at: TimeColumn,
  duration_ms: Schema.Int,
  status_code: Schema.NullOr(Schema.Int),
  failure: textOrNull
})

export const MailRow = Schema.Struct({
  id: text,
  recipient: text,
  status: text,
  attempts: Schema.Int,
  error: textOrNull,
  created_at: TimeColumn
})

export const RequestRow = Schema.Struct({
  request_id: text,
  method: text,
  path: text,
  status: Schema.Int,
  error_code: textOrNull,
  duration_ms: Schema.Int,
  ip: textOrNull,
  user_agent: textOrNull,
  idempotency_key: textOrNull,
  created_at: TimeColumn
})
export type RequestRow = typeof RequestRow.Type

export interface StoryRows {
  readonly refunds: ReadonlyArray<typeof RefundRow.Type>
  readonly disputes: ReadonlyArray<typeof DisputeRow.Type>
  readonly movements: ReadonlyArray<typeof MovementRow.Type>
  readonly events: ReadonlyArray<typeof EventRow.Type>
  readonly deliveries: ReadonlyArray<typeof DeliveryRow.Type>
  readonly attempts: ReadonlyArray<typeof AttemptRow.Type>
  readonly mails: ReadonlyArray<typeof MailRow.Type>
}
