/**
 * The check of anchors: law I11. An anchor says which row was the head of a chain at a time, and its hash. Hashes link
 * each row to all before it, so the last anchor alone tells whether anything up to it was cut off or rewritten: the
 * next one is only taken while the last one is in its chain (migration 0192).
 */
import type { Check } from "@coffer/rules/wallet/laws"

/** Compares anchors, rows of `a`, with the rows that they name. */
export const comparison = (anchors: string) => `select a.chain as key, case
      when r.hash is null
        then format('row %s (%s) was its head at the anchor of %s, and is missing', a.sequence, a.row_id, a.at)
      when r.hash <> a.hash
        then format('row %s (%s) was its head at the anchor of %s with the hash %s, and has the hash %s now',
          a.sequence, a.row_id, a.at, a.hash, r.hash)
    end as detail
  from (${anchors}) a
    left join ledger l on l.id = a.row_id and l.wallet_id = a.chain and l.sequence = a.sequence
      and a.chain <> 'audit_log'
    left join audit_log e on a.chain = 'audit_log' and e.id = a.row_id and e.sequence = a.sequence
    cross join lateral (select coalesce(encode(l.hash, 'hex'), e.hash) as hash) r`

export const anchorCheck: Check = {
  law: "I11",
  about: "anchors",
  query: comparison(`select n.*, to_char(n.anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
    from unnest($1::text[]) c (chain) cross join lateral (
      select * from anchors b where b.chain = c.chain order by b.sequence desc limit 1) n`)
}
