/**
 * Checks of ledger rows, each with the row before it, and of wallets, each with its whole ledger: laws I1 to I5, I8 and
 * I9. They are written independently of the rules that they check (`@coffer/rules/wallet/post`).
 */
import type { Check } from "@coffer/rules/wallet/laws"

/** `l` is a row, `p` the row before it: that with the next lower id, if it has the next lower number. */
const rows = `from ledger l left join lateral (
    select * from ledger q where q.wallet_id = l.wallet_id and q.id < l.id order by q.wallet_id desc, q.id desc limit 1
  ) p on p.sequence = l.sequence - 1`

/**
 * The sign of a type's amount, and how one unit of it changes available and frozen (spec: Balance transaction).
 * `either`: the row may also change available alone, because the amount was not frozen (silences: R7, R9, D8).
 */
const kinds = `kinds (type, sign, available, frozen, either) as (values
  ('payment_credit', 1, 1, 0, false), ('fee_debit', -1, 1, 0, false),
  ('refund_freeze', -1, 1, -1, false), ('refund_debit', -1, 0, 1, true), ('refund_unfreeze', 1, 1, -1, true),
  ('dispute_freeze', -1, 1, -1, false), ('dispute_unfreeze', 1, 1, -1, true),
  ('dispute_debit', -1, 0, 1, false), ('dispute_fee', -1, 1, 0, false),
  ('payout_freeze', -1, 1, -1, false), ('payout_unfreeze', 1, 1, -1, false),
  ('payout_success', -1, 0, 1, false), ('payout_fee', -1, 1, 0, false))`

/** The text that is hashed, as `chainText` of the rules builds it. */
const chainText = `concat_ws(chr(10), l.wallet_id, encode(l.previous_hash, 'hex'), l.id, l.sequence, l.type, l.amount,
  l.balance_before, l.balance_after, l.frozen_after, l.reference_id, l.description,
  to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

const account = (table: string) => `(${table}.merchant_id, ${table}.mode, ${table}.currency)`

export const ledgerChecks: ReadonlyArray<Check> = [
  {
    law: "I1",
    about: "ledger",
    // Two cases are allowed. The fee of a payment that brought in more than the fee. And a refund or payout that was
    // promised before a dispute came, with a tolerance for the clocks of two runners.
    query: `select l.id as key, format('lowers available to %s, and no dispute forced it', l.balance_after) as detail
      ${rows}
      where l.id = any($1) and l.balance_after < 0 and l.balance_after < l.balance_before
        and l.type not in ('dispute_freeze', 'dispute_fee')
        and not coalesce(l.type = 'fee_debit' and p.type = 'payment_credit' and p.reference_id = l.reference_id
          and l.balance_after >= p.balance_before, false)
        and not exists (select from ledger d
          where d.wallet_id = l.wallet_id and d.sequence < l.sequence and d.type in ('dispute_freeze', 'dispute_fee')
            and d.created_at + interval '5 minutes' >= coalesce(
              (select r.created_at from refunds r where r.refund_no = l.reference_id),
              (select o.created_at from payouts o where o.payout_no = l.reference_id)))`
  },
  {
    law: "I2",
    about: "ledger",
    query: `select l.id as key, case
        when l.sequence < 1 or (l.sequence > 1 and p.id is null) then 'follows a row that is missing'
        when l.balance_before <> coalesce(p.balance_after, 0)
          then format('begins at %s, and the row before it ended at %s', l.balance_before, coalesce(p.balance_after, 0))
      end as detail ${rows} where l.id = any($1)`
  },
  {
    law: "I3",
    about: "ledger",
    query: `with ${kinds} select l.id as key, case
        when k.type is null then format('has the type %s, which there is not', l.type)
        when l.amount * k.sign < 0 then format('has the amount %s, of the wrong sign for %s', l.amount, l.type)
        when l.balance_after - l.balance_before <> k.available * l.amount
          and not (k.either and l.balance_after - l.balance_before = l.amount)
          then format('moves available by %s, which is not what %s of %s does',
            l.balance_after - l.balance_before, l.type, l.amount)
      end as detail from ledger l left join kinds k using (type) where l.id = any($1)`
  },
  {
    law: "I4",
    about: "ledger",
    query: `with ${kinds}, moves as (
        select l.*, l.balance_after - l.balance_before as moved, l.frozen_after - coalesce(p.frozen_after, 0) as froze
        ${rows} where l.id = any($1) and (p.id is not null or l.sequence = 1))
      select m.id as key, case
        when m.frozen_after < 0 then format('leaves %s frozen', m.frozen_after)
        when not (m.froze = k.frozen * m.amount or (k.either and m.froze = 0))
          or (m.type = 'refund_debit' and m.froze + m.moved <> m.amount)
          then format('moves frozen by %s, which is not what %s of %s does', m.froze, m.type, m.amount)
      end as detail from moves m join kinds k using (type)`
  },
  {
    law: "I8",
    about: "ledger",
    query: `select l.id as key, case
        when l.wallet_id <> concat_ws('/', l.merchant_id, l.mode, l.currency)
          then format('is %s''s %s %s, in the wallet %s', l.merchant_id, l.mode, l.currency, l.wallet_id)
        when not exists (
          select from orders o where l.type in ('payment_credit', 'fee_debit')
            and o.trade_no = l.reference_id and ${account("o")} = ${account("l")}
          union all select from refunds o where l.type in ('refund_freeze', 'refund_debit', 'refund_unfreeze')
            and o.refund_no = l.reference_id and ${account("o")} = ${account("l")}
          union all select from disputes o
            where l.type in ('dispute_freeze', 'dispute_unfreeze', 'dispute_debit', 'dispute_fee')
            and o.dispute_no = l.reference_id and ${account("o")} = ${account("l")}
          union all select from payouts o
            where l.type in ('payout_freeze', 'payout_unfreeze', 'payout_success', 'payout_fee')
            and o.payout_no = l.reference_id and ${account("o")} = ${account("l")})
          then format('is a %s because of %s, which the account of the wallet does not have', l.type, l.reference_id)
      end as detail from ledger l where l.id = any($1)`
  },
  {
    law: "I9",
    about: "ledger",
    // Without the row before it there is nothing to compare with, and I2 already reports that it is missing.
    query: `select l.id as key, case
        when l.hash <> sha256(convert_to(${chainText}, 'UTF8')) then 'is not what was hashed'
        when l.previous_hash <> coalesce(p.hash, ''::bytea) and (p.id is not null or l.sequence = 1)
          then 'does not continue the hash of the row before it'
      end as detail ${rows} where l.id = any($1)`
  }
]

/**
 * Sums of a wallet's rows: those of `base`, which end with a row of it, and of the rows after that. `froze` is how each
 * row changed frozen.
 */
const sums = (base: string) => `moves as (
    select l.*, l.frozen_after - lag(l.frozen_after, 1, coalesce(b.frozen, 0))
      over (partition by l.wallet_id order by l.id) as froze
    from unnest($1::text[]) k (wallet_id) left join ${base} b using (wallet_id)
      join ledger l on l.wallet_id = k.wallet_id and l.id > coalesce(b.row_id, '')),
  sums as (select k.wallet_id,
    coalesce(max(b.moved), 0) + coalesce(sum(m.balance_after - m.balance_before), 0) as moved,
    coalesce(max(b.revenue), 0) + coalesce(sum(m.amount) filter (where m.type = 'payment_credit'), 0) as revenue,
    coalesce(max(b.fee), 0)
      - coalesce(sum(m.amount) filter (where m.type in ('fee_debit', 'dispute_fee', 'payout_fee')), 0) as fee,
    coalesce(max(b.refund), 0) - coalesce(sum(m.amount)
      filter (where m.type = 'refund_debit' or (m.type = 'refund_unfreeze' and m.froze = 0)), 0) as refund,
    coalesce(max(b.payout), 0) - coalesce(sum(m.amount) filter (where m.type = 'payout_success'), 0) as payout,
    coalesce(max(b.lost), 0) - coalesce(sum(m.amount)
      filter (where m.type = 'dispute_debit' or (m.type = 'dispute_unfreeze' and m.froze = 0)), 0) as lost
    from unnest($1::text[]) k (wallet_id) left join ${base} b using (wallet_id) left join moves m using (wallet_id)
    group by k.wallet_id)`

/** The sums that the auditor has stored (migration 0193), and those that a whole audit has made, as JSON. */
const stored = "ledger_sums"
const suppliedSums = `jsonb_to_recordset($2::jsonb) as b (wallet_id text, row_id text, frozen bigint, moved bigint,
  revenue bigint, fee bigint, refund bigint, payout bigint, lost bigint)`

const newest = `left join lateral (
  select * from ledger n where n.wallet_id = w.wallet_id order by n.wallet_id desc, n.id desc limit 1) n on true`

const sum = (columns: string, table: string, statuses: string) =>
  `(select coalesce(sum(${columns}), 0) from ${table} o
    where ${account("o")} = ${account("w")} and o.status in (${statuses}))`

const walletChecksOn = (base: string): ReadonlyArray<Check> => [
  {
    law: "I2",
    about: "wallets",
    query: `select w.wallet_id as key, case
        when w.sequence <> coalesce(n.sequence, 0)
          then format('counts %s rows, and its newest row is number %s', w.sequence, coalesce(n.sequence, 0))
        when w.head_id <> coalesce(n.id, '') or w.head_hash <> coalesce(encode(n.hash, 'hex'), '')
          then 'does not point at its newest row'
      end as detail from wallets w ${newest} where w.wallet_id = any($1)`
  },
  {
    law: "I3",
    about: "wallets",
    query: `with ${sums(base)} select w.wallet_id as key, case when w.available <> s.moved
        then format('has %s available, and its rows add up to %s', w.available, s.moved) end as detail
      from wallets w join sums s using (wallet_id)`
  },
  {
    law: "I4",
    about: "wallets",
    query: `select w.wallet_id as key, case
        when w.frozen <> coalesce(n.frozen_after, 0)
          then format('has %s frozen, and its newest row left %s', w.frozen, coalesce(n.frozen_after, 0))
        when w.frozen <> h.frozen
          then format('has %s frozen, and open refunds, disputes and payouts hold %s', w.frozen, h.frozen)
        when w.reserved <> h.reserved then format('has %s promised, and %s is open', w.reserved, h.reserved)
      end as detail
      from wallets w ${newest} cross join lateral (select
        ${sum("o.amount", "refunds", "'pending'")} + ${sum("o.amount", "payouts", "'requested', 'approved'")}
          + ${sum("o.amount", "(select * from disputes where stage <> 'inquiry')", "'needs_response', 'under_review'")}
          as frozen,
        ${sum("o.amount", "refunds", "'reserved'")}
          + ${sum("o.fee", "payouts", "'requested', 'approved'")} as reserved
      ) h where w.wallet_id = any($1)`
  },
  {
    law: "I5",
    about: "wallets",
    query: `with ${sums(base)} select w.wallet_id as key, case
        when w.total_revenue <> coalesce(s.revenue, 0)
          then format('has a revenue of %s, and its rows add up to %s', w.total_revenue, coalesce(s.revenue, 0))
        when w.total_fee <> coalesce(s.fee, 0)
          then format('has paid fees of %s, and its rows add up to %s', w.total_fee, coalesce(s.fee, 0))
        when w.total_refund <> coalesce(s.refund, 0)
          then format('has refunds of %s, and its rows add up to %s', w.total_refund, coalesce(s.refund, 0))
        when w.total_payout <> coalesce(s.payout, 0)
          then format('has payouts of %s, and its rows add up to %s', w.total_payout, coalesce(s.payout, 0))
        when w.available + w.frozen <>
          w.total_revenue - w.total_fee - w.total_refund - w.total_payout - coalesce(s.lost, 0)
          then format('holds %s, and its totals leave %s', w.available + w.frozen,
            w.total_revenue - w.total_fee - w.total_refund - w.total_payout - coalesce(s.lost, 0))
      end as detail from wallets w left join sums s using (wallet_id) where w.wallet_id = any($1)`
  },
  {
    law: "I8",
    about: "wallets",
    query: `select w.wallet_id as key, case when w.wallet_id <> concat_ws('/', w.merchant_id, w.mode, w.currency)
        then format('says it is %s''s, %s, %s', w.merchant_id, w.mode, w.currency) end as detail
      from wallets w where w.wallet_id = any($1)`
  }
]

/** By the sums that are stored. */
export const walletChecks = walletChecksOn(stored)

/** By the sums that are given: `$2`. */
export const wholeWalletChecks = walletChecksOn(`(select * from ${suppliedSums})`)
