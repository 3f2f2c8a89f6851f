/**
 * The check of the audit log: law I10. It builds the hashed text by itself, since an attacker who changes a row may
 * also change the function in the database that built it first (migration 0192).
 */
import type { Check } from "@coffer/rules/wallet/laws"

const chainText = `concat_ws(chr(10), l.previous_hash, l.sequence, l.id, l.actor_id, l.actor, l.role,
  coalesce(l.ip, ''), l.request_id, l.act, l.phase, l.target, coalesce(l.status::text, ''), l.details,
  to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

export const auditLogCheck: Check = {
  law: "I10",
  about: "audit_log",
  query: `select l.id as key, case
      when l.hash <> encode(sha256(convert_to(${chainText}, 'UTF8')), 'hex') then 'is not what was hashed'
      when l.sequence < 1 or (l.sequence > 1 and p.id is null) then 'follows an entry that is missing'
      when l.previous_hash <> coalesce(p.hash, '') then 'does not continue the hash of the entry before it'
    end as detail from audit_log l left join audit_log p on p.sequence = l.sequence - 1 where l.id = any($1)`
}
