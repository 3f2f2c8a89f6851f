/** Changes of the audit log and of chains that were anchored: laws I10 and I11. */
import { type Case, usd } from "./auditCases.ts"

export const chainCases: ReadonlyArray<Case> = [
  {
    name: "changes who did an act",
    statements: ["update audit_log set actor = 'nobody' where sequence = 1 returning id as key"],
    found: [["I10", "audit_log", "="]]
  },
  {
    name: "writes a row anew that was anchored, and all hashes after it",
    hashed: true,
    statements: [
      `select anchor_heads(array[${usd}], '2026-01-01')`,
      `update ledger set description = description || '.' where wallet_id = ${usd} and sequence = 5`,
      `select ${usd} as key`
    ],
    found: [["I11", "anchors", "="]]
  },
  {
    name: "writes an entry of the audit log anew that was anchored, with its hash",
    statements: [
      `select anchor_heads(array['audit_log'], '2026-01-01')`,
      `update audit_log set actor = 'nobody' where sequence = (select max(sequence) from audit_log)`,
      `update audit_log l set hash = encode(sha256(convert_to(audit_log_text(l), 'UTF8')), 'hex')
        where sequence = (select max(sequence) from audit_log)`,
      `select 'audit_log' as key`
    ],
    found: [["I11", "anchors", "="]]
  }
]
