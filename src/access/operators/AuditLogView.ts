/** An entry of the audit log on the wire: the one encoder. Pure. */
import { isoText } from "@coffer/model/isoText"
import type { AuditEntryResource } from "@coffer/contract/Operators"
import type { MerchantAuditEntryResource } from "@coffer/contract/ConsoleMerchant"
import { Option } from "effect"
import { parseJson } from "../../platform/runtime/codecs.ts"
import type { AuditRow } from "./auditRow.ts"

export const auditEntryView = (row: AuditRow): AuditEntryResource => ({
  object: "audit_entry",
  id: row.id,
  sequence: row.sequence,
  created_at: isoText(row.created_at),
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

/**
 * The same for the merchant that it is about. The merchant sees what was done, not by which operator, nor the note; of
 * an operator's act on a payout also which one, and its amount.
 */
export const merchantEntryView = (row: AuditRow): MerchantAuditEntryResource => {
  const { act, created_at, id, phase, request_id, status, target, ...whole } = auditEntryView(row)
  const shown = { object: "merchant_audit_entry", id, created_at, act, phase, request_id, status, target } as const
  const { actor, actor_id, details, ip, role } = whole
  return row.act.startsWith("console:")
    ? { ...shown, by: "person", actor, actor_id, details, ip, role }
    : { ...shown, by: "operator", actor: "", actor_id: "", details: payoutIn(act, details), ip: null, role: "" }
}

const payoutIn = (act: string, { after }: { readonly after?: unknown }): MerchantAuditEntryResource["details"] =>
  act.startsWith("payouts.") && after !== undefined ? { after } : {}
