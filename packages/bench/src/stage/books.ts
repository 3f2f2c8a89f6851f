/** Audits a side's database after a run: a figure obtained by breaking the ledger does not count. */
import type { Postgres } from "./Postgres.ts"

/** Earlier checkouts keep hashes as text. */
const digits = (column: string) => `ltrim(${column}::text, E'\\\\x')`

const checks: Readonly<Record<string, string>> = {
  "ledger rows that do not continue the row before them": `
    select id from (
      select *, ${digits("hash")} as own_hash, ${digits("previous_hash")} as linked_hash,
        lag(${digits("hash")}) over chain as hash_before, lag(balance_after) over chain as balance,
        lag(id) over chain as id_before, row_number() over chain as number
      from ledger window chain as (partition by wallet_id order by sequence)) as l
    where linked_hash <> coalesce(hash_before, '') or balance_before <> coalesce(balance, 0) or sequence <> number
      or balance_after <> balance_before + amount or id <= coalesce(id_before, '')
      or own_hash <> encode(sha256(convert_to(concat_ws(E'\\n', wallet_id, linked_hash, id, sequence, type, amount,
        balance_before, balance_after, frozen_after, reference_id, description,
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), 'UTF8')), 'hex')`,
  "wallets that are not the sum of their ledger": `
    select w.wallet_id from wallets w left join (
      select wallet_id, sum(amount) as sum, max(sequence) as sequence,
        sum(amount) filter (where type = 'payment_credit') as revenue,
        -sum(amount) filter (where type = 'fee_debit') as fee from ledger group by wallet_id) l using (wallet_id)
    where w.available <> coalesce(sum, 0) or w.sequence <> coalesce(l.sequence, 0)
      or w.total_revenue <> coalesce(revenue, 0) or w.total_fee <> coalesce(fee, 0)`,
  "paid orders whose money, event or payment is not there exactly once": `
    select o.trade_no from orders o
      left join (select reference_id, count(*) filter (where type = 'payment_credit') as credits,
        count(*) filter (where type = 'fee_debit') as debits, sum(amount) as net from ledger group by reference_id) l
        on l.reference_id = o.trade_no
      left join (select object_id, count(*) as events from events where type = 'payment.succeeded'
        group by object_id) e on e.object_id = o.trade_no
      left join (select trade_no, count(*) as payments from sandbox_payments where state = 'succeeded'
        group by trade_no) p on p.trade_no = o.trade_no
    where (o.status in ('paid', 'partially_refunded', 'refunded')) <> (coalesce(credits, 0) = 1
      and coalesce(debits, 0) = 1 and net = o.amount - o.fee
      and coalesce(events, 0) = 1 and coalesce(payments, 0) = 1)`,
  "orders whose refunds are not what went out": `
    select o.trade_no from orders o
      left join (select trade_no, sum(amount) as back from refunds where status = 'succeeded' group by trade_no) r
        using (trade_no)
    where o.refunded_amount <> coalesce(r.back, 0)`,
  "refunds whose money did not leave the wallet exactly once": `
    select r.refund_no from refunds r
      left join (select reference_id, sum(amount) as sum, count(*) as rows from ledger where type = 'refund_debit'
        group by reference_id) l on l.reference_id = r.refund_no
    where r.status = 'succeeded' and (l.rows is distinct from 1 or l.sum <> -r.amount)`
}

/** Returns how many ledger rows were checked. Throws if something is wrong. */
export const assertBooksWhole = async (postgres: Postgres, database: string): Promise<number> => {
  for (const [what, text] of Object.entries(checks)) {
    const found = await postgres.query(database, `${text} limit 5`)
    if (found.length > 0) throw new Error(`${database}: ${what}: ${JSON.stringify(found)}`)
  }
  const [row] = await postgres.query(database, "select count(*)::int4 as rows from ledger")
  return Number(row!["rows"])
}
