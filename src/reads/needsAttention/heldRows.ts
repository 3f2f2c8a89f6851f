/**
 * The source of each kind of object that needs attention: the rows that have not ended, by the partial index of just
 * these (`platform/postgres/laterIndexes.ts`), in the order of their ids.
 */
import type { HeldKind } from "@coffer/contract/HeldUp"
import { Mode, prefixes, reportPrefix } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { Stage } from "@coffer/rules/dispute/Dispute"
import { UnappliedPayment } from "@coffer/rules/order/Order"
import { Schema } from "effect"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

export const HeldRow = Schema.Struct({
  kind: Schema.Literals([
    "refund",
    "dispute",
    "payout",
    "delivery",
    "hold",
    "unapplied_payment",
    "stray_session",
    "mail",
    "report"
  ]),
  id: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  trade_no: Schema.NullOr(Schema.String),
  status: Schema.String,
  created_at: TimeColumn,
  updated_at: TimeColumn,
  attempts: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  next_at: Schema.NullOr(TimeColumn),
  /** For refunds, disputes and payouts. */
  amount: Schema.NullOr(Schema.Int),
  currency: Schema.NullOr(Currency),
  /** For a dispute: how far it is, whether the merchant has answered, and the last moment for it. */
  stage: Schema.NullOr(Stage),
  is_answered: Schema.NullOr(Schema.Boolean),
  due_by: Schema.NullOr(TimeColumn),
  /** For a dispute that its channel names in another currency: its amount there. */
  presented: Schema.NullOr(Schema.String),
  /** For a delivery: its destination. For a stray session: its number at the channel, and that of its payment. */
  url: Schema.NullOr(Schema.String),
  /** For a stray session: the name of its channel. */
  channel: Schema.NullOr(Schema.String),
  /** The order's unapplied payments. */
  payments: Schema.NullOr(Schema.Array(UnappliedPayment))
})
export type HeldRow = typeof HeldRow.Type

export interface HeldSource {
  readonly kind: HeldKind
  readonly table: string
  readonly key: string
  readonly prefix: string
  /** All of them are in this environment. */
  readonly mode?: Mode
  /** The time in the number differs from the row's time. */
  readonly isOlderThanRow?: boolean
  /** The predicate of its partial index, and what else fixes the index's first columns. */
  readonly held: string
  /** Columns of {@link HeldRow} that are not the table's own columns of the same name. */
  readonly columns: Readonly<Partial<Record<keyof HeldRow, string>>>
  /** A join that finds the account of each row. */
  readonly join?: string
}

const money = { amount: "amount", currency: "currency" }

const unapplied = `(unapplied_due_at is not null or unapplied_payments @> '[{"state": "parked"}]')`

/** Numbers of orders have a prefix for each environment, so each is a range of its own. */
const unappliedSource = (mode: Mode): HeldSource => ({
  kind: "unapplied_payment",
  table: "orders",
  key: "trade_no",
  mode,
  prefix: prefixes.tradeNo[mode],
  held: `mode = '${mode}' and ${unapplied}`,
  columns: {
    trade_no: "trade_no",
    status: `case when unapplied_payments @> '[{"state": "parked"}]' then 'parked' else 'due' end`,
    updated_at: "created_at",
    attempts: "unapplied_attempts",
    error: "unapplied_error",
    next_at: "unapplied_due_at",
    payments: "unapplied_payments"
  }
})

/** An order whose payment a channel holds. One that is an unapplied payment's already is listed once, as that. */
const holdSource = (mode: Mode): HeldSource => ({
  kind: "hold",
  table: "orders",
  key: "trade_no",
  mode,
  prefix: prefixes.tradeNo[mode],
  held: `mode = '${mode}' and (hold->'refusal' is not null or (hold->'request' is not null and hold_attempts > 0))
    and not ${unapplied}`,
  columns: {
    trade_no: "trade_no",
    status: `case when hold->'request'->'release' is not null then 'releasing'
      when hold->'request' is not null then 'capturing' else 'refused' end`,
    updated_at: "coalesce(hold->'request'->>'at', hold->'payment'->>'authorizedAt')::timestamptz",
    amount: "coalesce(hold->'request'->>'capture', amount::text)",
    currency: "currency",
    attempts: "hold_attempts",
    error: "coalesce(hold->>'refusal', hold_error)",
    next_at: "hold_due_at",
    due_by: "(hold->'payment'->>'captureBy')::timestamptz"
  }
})

/**
 * A mail that a merchant asked for has a number of its own. The first mail of an order has the order's number. The part
 * after a prefix begins with a digit for centuries, so ids below `<prefix>A` are those without a longer prefix.
 */
const mail = (prefix: string, mode?: Mode): HeldSource => ({
  kind: "mail",
  table: "mails",
  key: "id",
  prefix,
  ...(mode === undefined ? {} : { mode, isOlderThanRow: true }),
  held: `due_at is not null and error is not null and mails.id < '${prefix}A'`,
  columns: { trade_no: "trade_no", attempts: "attempts", error: "error", next_at: "due_at", updated_at: "created_at" },
  // `offset 0` keeps the planner from beginning with the orders.
  join: "cross join lateral (select merchant_id, mode from orders where trade_no = mails.trade_no offset 0) as owned"
})

export const heldSources: ReadonlyArray<HeldSource> = [
  {
    kind: "refund",
    table: "refunds",
    key: "refund_no",
    prefix: prefixes.refund,
    held: "status in ('reserved', 'pending')",
    // Merchants see both as pending.
    columns: {
      ...money,
      trade_no: "trade_no",
      status: "'pending'",
      attempts: "checks",
      error: "check_error",
      next_at: "next_check_at"
    }
  },
  {
    kind: "dispute",
    table: "disputes",
    key: "dispute_no",
    prefix: prefixes.dispute,
    held: `(status in ('needs_response', 'under_review')
      or (status = 'lost' and stage in ('appeal_offered', 'appeal_filed')))`,
    columns: {
      ...money,
      stage: "stage",
      trade_no: "trade_no",
      attempts: "checks",
      error: "check_error",
      next_at: "next_check_at",
      is_answered: "response is not null",
      due_by: "evidence_due_by",
      presented: `(select p.amount || ' ' || p.currency from presented_disputes p
        where p.merchant_id = disputes.merchant_id and p.mode = disputes.mode
          and p.processor_dispute_id = disputes.processor_dispute_id)`
    }
  },
  {
    kind: "payout",
    table: "payouts",
    key: "payout_no",
    prefix: prefixes.payout,
    held: "status in ('requested', 'approved')",
    columns: money
  },
  {
    kind: "delivery",
    table: "deliveries",
    key: "id",
    prefix: prefixes.delivery,
    held: "status = 'pending' and attempts > 0",
    columns: { attempts: "attempts", next_at: "next_attempt_at", url: "url", updated_at: "created_at" }
  },
  {
    kind: "stray_session",
    table: "stray_sessions",
    key: "id",
    prefix: prefixes.straySession,
    isOlderThanRow: true,
    held: "ended_at is null",
    columns: {
      ...money,
      trade_no: "trade_no",
      channel: "channel",
      url: "concat_ws(', ', session_id, payment_id)"
    }
  },
  {
    kind: "report",
    table: "reports",
    key: "report_no",
    prefix: reportPrefix,
    held: "status = 'pending' and error is not null",
    columns: { error: "error", next_at: "due_at", updated_at: "created_at" }
  },
  mail(prefixes.mail),
  mail(`${prefixes.mail}${prefixes.tradeNo.sandbox}`, "sandbox"),
  mail(`${prefixes.mail}${prefixes.tradeNo.live}`, "live"),
  unappliedSource("sandbox"),
  unappliedSource("live"),
  holdSource("sandbox"),
  holdSource("live")
]
