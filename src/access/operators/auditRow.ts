/** A row of the audit log. */
import { Schema } from "effect"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

export const AuditRow = Schema.Struct({
  id: Schema.String,
  sequence: Schema.Int,
  actor_id: Schema.String,
  actor: Schema.String,
  role: Schema.String,
  ip: Schema.NullOr(Schema.String),
  request_id: Schema.String,
  act: Schema.String,
  phase: Schema.Literals(["begun", "done", "refused", "seen"]),
  target: Schema.String,
  status: Schema.NullOr(Schema.Int),
  details: Schema.String,
  created_at: TimeColumn,
  previous_hash: Schema.String,
  hash: Schema.String
})
export type AuditRow = typeof AuditRow.Type
export type NewAuditRow = Omit<AuditRow, "sequence" | "previous_hash" | "hash">
