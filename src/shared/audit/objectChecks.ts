/**
 * Checks of orders, refunds, disputes, payouts and events against the ledger and against one another: laws I4 and I6 to
 * I8.
 */
import { amountPaid } from "../../platform/postgres/orderKeys.ts"
import type { Check } from "@coffer/rules/wallet/laws"

const account = (table: string) => `(${table}.merchant_id, ${table}.mode)`

/** Counts the object's events of this type. */
const events = (table: string, key: string, type: string) =>
  `(select count(*) from events e where ${account("e")} = ${account(table)} and e.object_id = ${table}.${key}
    and e.type = '${type}')`

/** Counts the ledger rows of this type and amount that refer to the object. */
const countMoved = (table: string, key: string, type: string, amount = `-${table}.amount`) =>
  `(select count(*) from ledger l where ${account("l")} = ${account(table)} and l.reference_id = ${table}.${key}
    and l.type = '${type}' and l.amount = ${amount})`

/** Counts all ledger rows that refer to the object. */
const rows = (table: string, key: string) =>
  `(select count(*) from ledger l where ${account("l")} = ${account(table)} and l.reference_id = ${table}.${key})`

/**
 * Branches of a `case`: the first event type whose count is not the expected one. An object from a time whose events
 * were dropped (KEEP_EVENTS) may have fewer, but not more.
 */
const countMismatch = (table: string, key: string, expected: ReadonlyArray<readonly [type: string, count: string]>) =>
  expected
    .map(
      ([type, count]) => `when ${events(table, key, type)} <> (${count})::int and (
          ${events(table, key, type)} > (${count})::int or not exists (select from retention k
            where k.kind = 'events' and ${table}.created_at < k.dropped_before))
        then format('is %s and has %s events ${type}', ${table}.status, ${events(table, key, type)})`
    )
    .join(" ")

const sumOf = (columns: string, table: string, statuses: string) =>
  `(select ${columns} from ${table} b where b.trade_no = o.trade_no and b.status in (${statuses})
    and b.merchant_id = o.merchant_id and b.mode = o.mode)`
/** An inquiry freezes nothing (silences: S26). */
const frozenDisputes = "(select * from disputes where stage <> 'inquiry')"
const amounts = "coalesce(sum(b.amount), 0)"

const holdHas = (member: string) => `o.hold ->> '${member}'`

const orderChecks: ReadonlyArray<Check> = [
  {
    law: "I6",
    about: "orders",
    query: `select t.trade_no as key, case
        when t.refunded_amount <> t.refunded
          then format('says %s was refunded, and its refunds took %s', t.refunded_amount, t.refunded)
        when t.refunding_amount <> t.refunding
          then format('says %s is being refunded, and its refunds hold %s', t.refunding_amount, t.refunding)
        when t.disputes_open <> t.open then format('counts %s open disputes of %s', t.disputes_open, t.open)
        when t.disputes_lost <> t.lost
          then format('says disputes took %s, and they took %s', t.disputes_lost, t.lost)
        when t.disputes_won > t.won then format('counts %s won disputes of %s', t.disputes_won, t.won)
        when t.refunded + t.refunding > t.paid
          then format('is refunded %s of %s', t.refunded + t.refunding, t.paid)
        when t.paid_at is null and t.refunded + t.refunding + t.open + t.lost > 0 then 'was never paid'
        when t.status <> case
          when t.paid_at is null then case when t.status in ('pending', 'failed', 'expired') then t.status else '' end
          when t.refunded = 0 then 'paid' when t.refunded = t.paid then 'refunded' else 'partially_refunded' end
          then format('is %s, with %s refunded of %s', t.status, t.refunded, t.paid)
      end as detail from (select o.*, ${amountPaid} as paid,
        ${sumOf(amounts, "refunds", "'succeeded'")} as refunded,
        ${sumOf(amounts, "refunds", "'reserved', 'pending'")} as refunding,
        ${sumOf("count(*)", frozenDisputes, "'needs_response', 'under_review'")} as open,
        ${sumOf(amounts, "disputes", "'lost'")} as lost,
        ${sumOf("count(*)", frozenDisputes, "'won', 'closed'")} as won
        from orders o where o.trade_no = any($1)) t`
  },
  {
    law: "I7",
    about: "orders",
    query: `select o.trade_no as key, case
        ${countMismatch("o", "trade_no", [
          ["payment.succeeded", "o.paid_at is not null"],
          ["payment.failed", "o.status = 'failed'"],
          ["payment.expired", `o.status = 'expired' and ${holdHas("released")} is null`],
          ["payment.authorized", `${holdHas("payment")} is not null`],
          ["payment.captured", "o.paid_at is not null and o.hold is not null"],
          ["payment.canceled", `coalesce(${holdHas("released")} = 'canceled', false)`],
          ["payment.authorization_expired", `coalesce(${holdHas("released")} = 'expired', false)`],
          [
            "payment.duplicate_refunded",
            `select count(*) from jsonb_array_elements(o.unapplied_payments) s
              where s->>'isHold' is null and (s->>'state' = 'returned' or s->>'wasReturned' = 'true')`
          ]
        ])}
        when ${rows("o", "trade_no")} <> case when o.paid_at is null then 0 else 2 end
          or (o.paid_at is not null and (${countMoved("o", "trade_no", "payment_credit", amountPaid)} <> 1
            or ${countMoved("o", "trade_no", "fee_debit", "-o.fee")} <> 1))
          then format('is %s, and its credit and its fee are not in the ledger exactly once', o.status)
      end as detail from orders o where o.trade_no = any($1)`
  }
]

const refundChecks: ReadonlyArray<Check> = [
  {
    law: "I4",
    about: "refunds",
    query: `select r.refund_no as key, case when r.total <> r.froze + r.took + r.gave or not case r.status
          when 'pending' then (r.froze, r.took, r.gave) = (1, 0, 0)
          when 'succeeded' then r.froze <= 1 and r.took = 1 and r.gave = 0
          when 'failed' then r.froze <= 1 and r.took <= 1 and r.froze + r.took >= 1 and r.gave = 1
          else r.total = 0 end
        then format('is %s, frozen %s times, taken %s times and returned %s times, in %s rows',
          r.status, r.froze, r.took, r.gave, r.total)
      end as detail from (select r.*, ${countMoved("r", "refund_no", "refund_freeze")} as froze,
        ${countMoved("r", "refund_no", "refund_debit")} as took,
        ${countMoved("r", "refund_no", "refund_unfreeze", "r.amount")} as gave, ${rows("r", "refund_no")} as total
        from refunds r where r.refund_no = any($1)) r`
  },
  {
    law: "I7",
    about: "refunds",
    // A refund that failed after it had succeeded has both events (silences: R9).
    query: `select r.refund_no as key, case ${countMismatch("r", "refund_no", [
      [
        "refund.succeeded",
        `r.status = 'succeeded' or (r.status = 'failed' and ${countMoved("r", "refund_no", "refund_debit")} > 0)`
      ],
      ["refund.failed", "r.status = 'failed'"]
    ])} end as detail from refunds r where r.refund_no = any($1)`
  }
]

const disputeChecks: ReadonlyArray<Check> = [
  {
    law: "I4",
    about: "disputes",
    query: `select d.dispute_no as key, case when d.total <> d.froze + d.took + d.gave + d.charged or not case
          when d.stage = 'inquiry' then d.status <> 'lost' and d.total = 0
          when d.status in ('needs_response', 'under_review') then (d.froze, d.took, d.gave, d.charged) = (1, 0, 0, 0)
          when d.status = 'lost' then (d.froze, d.took, d.gave, d.charged) = (1, 1, 0, 1)
          when d.status = 'won' then (d.froze, d.gave) = (1, 1) and d.took <= 1 and d.charged = d.took
          else (d.froze, d.took, d.gave, d.charged) = (1, 0, 1, 0) end
        then format('is %s, frozen %s times, taken %s times, returned %s times and charged %s times, in %s rows',
          d.status, d.froze, d.took, d.gave, d.charged, d.total)
      end as detail from (select d.*, ${countMoved("d", "dispute_no", "dispute_freeze")} as froze,
        ${countMoved("d", "dispute_no", "dispute_debit")} as took,
        ${countMoved("d", "dispute_no", "dispute_unfreeze", "d.amount")} as gave,
        ${countMoved("d", "dispute_no", "dispute_fee", "-coalesce(d.fee, 0)")} as charged,
        ${rows("d", "dispute_no")} as total
        from disputes d where d.dispute_no = any($1)) d`
  },
  {
    law: "I7",
    about: "disputes",
    // A dispute that was won by appeal was lost before (silences: D8).
    query: `select d.dispute_no as key, case ${countMismatch("d", "dispute_no", [
      ["dispute.created", "true"],
      ["dispute.won", "d.status = 'won'"],
      [
        "dispute.lost",
        `d.status = 'lost' or (d.status = 'won' and ${countMoved("d", "dispute_no", "dispute_debit")} > 0)`
      ],
      ["dispute.closed", "d.status = 'closed'"]
    ])} end as detail from disputes d where d.dispute_no = any($1)`
  }
]

const payoutChecks: ReadonlyArray<Check> = [
  {
    law: "I4",
    about: "payouts",
    query: `select y.payout_no as key, case when y.total <> y.froze + y.took + y.gave + y.charged or not case
          when y.status in ('requested', 'approved') then (y.froze, y.took, y.gave, y.charged) = (1, 0, 0, 0)
          when y.status = 'succeeded' then (y.froze, y.took, y.gave, y.charged) = (1, 1, 0, 1)
          else (y.froze, y.took, y.gave, y.charged) = (1, 0, 1, 0) end
        then format('is %s, frozen %s times, taken %s times, returned %s times and charged %s times, in %s rows',
          y.status, y.froze, y.took, y.gave, y.charged, y.total)
      end as detail from (select y.*, ${countMoved("y", "payout_no", "payout_freeze")} as froze,
        ${countMoved("y", "payout_no", "payout_success")} as took,
        ${countMoved("y", "payout_no", "payout_unfreeze", "y.amount")} as gave,
        ${countMoved("y", "payout_no", "payout_fee", "-y.fee")} as charged, ${rows("y", "payout_no")} as total
        from payouts y where y.payout_no = any($1)) y`
  }
]

const ofOrder = (about: "refunds" | "disputes", key: string): Check => ({
  law: "I8",
  about,
  query: `select b.${key} as key, case when (b.merchant_id, b.mode, b.currency) is distinct from
      (o.merchant_id, o.mode, o.currency) then format('is not of the account or currency of its order %s', b.trade_no)
    end as detail from ${about} b left join orders o using (trade_no) where b.${key} = any($1)`
})

const eventChecks: ReadonlyArray<Check> = [
  {
    law: "I7",
    about: "events",
    query: `select e.id as key, case when o.notify_url is not null
        and not exists (select from deliveries d where d.event_id = e.id)
        and not exists (select from retention r where r.kind = 'deliveries' and e.created_at < r.dropped_before)
        then format('was not sent where the order %s wants it', o.trade_no)
      end as detail from events e left join orders o using (trade_no) where e.id = any($1)`
  },
  {
    law: "I8",
    about: "events",
    query: `select e.id as key, case
        when not exists (
          select from orders b where b.trade_no = e.object_id and ${account("b")} = ${account("e")}
          union all select from refunds b where b.refund_no = e.object_id and ${account("b")} = ${account("e")}
          union all select from disputes b where b.dispute_no = e.object_id and ${account("b")} = ${account("e")})
          then format('is about %s, which its account does not have', e.object_id)
        when exists (select from deliveries d where d.event_id = e.id and ${account("d")} <> ${account("e")})
          then 'is delivered for somebody else'
      end as detail from events e where e.id = any($1)`
  }
]

export const objectChecks: ReadonlyArray<Check> = [
  ...orderChecks,
  ...refundChecks,
  ...disputeChecks,
  ...payoutChecks,
  ofOrder("refunds", "refund_no"),
  ofOrder("disputes", "dispute_no"),
  ...eventChecks
]
