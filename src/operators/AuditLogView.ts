/** An entry of the audit log on the wire: the one encoder. Pure. */
import type { AuditEntryResource } from "@coffer/contract/Operators"
import { DateTime, Option } from "effect"
import { parseJson } from "../platform/runtime/codecs.ts"
import type { AuditRow } from "./auditRow.ts"

export const auditEntryView = (row: AuditRow): AuditEntryResource => ({
  object: "audit_entry",
  id: row.id,
  sequence: row.sequence,
  created_at: DateTime.formatIso(row.created_at),
  actor_id: row.actor_id,
  actor: row.actor,
  role: row.role,
  ip: row.ip,
  request_id: row.request_id,
  act: row.act,
  phase: row.phase,
  target: row.target,
  status: row.status,
  details: Option.getOrElse(parseJson(row.details), () => ({})) as AuditEntryResource["details"],
  previous_hash: row.previous_hash,
  hash: row.hash
})
