/**
 * Receipts and mail. `orders.receipt` is null until there is something to say of it. A mail is written with the change
 * that causes it, and is due until the mail server has taken it (spec: Orders, send_receipt).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table orders add column receipt jsonb`,
  // The last number that was given out in a month.
  `create table receipt_numbers (
    merchant_id text not null references merchants,
    mode text not null,
    month text not null,
    last bigint not null,
    primary key (merchant_id, mode, month)
  )`,
  `create table mails (
    id text primary key,
    version bigint not null,
    trade_no text not null,
    recipient text not null,
    status text not null check (status in ('due', 'sending', 'sent', 'failed', 'unknown')),
    due_at timestamptz,
    attempts integer not null default 0,
    error text,
    created_at timestamptz not null
  )`,
  `create index mails_due on mails (due_at) where due_at is not null`,
  `create index mails_trade_no on mails (trade_no)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
