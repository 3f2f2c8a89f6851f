/**
 * Stripe's books beside ours (docs/decisions/0038). `stripe_movements`: balance transactions of Stripe that belong to a
 * payment, with the fee that Stripe took; `checked_at` is null until they were compared. `reconciliation`: payments of
 * which the books differ, or differed; `agreed_at` is null while they do. No row is removed, and nothing is mended by
 * it. `stripe_polls` says until when balance transactions were read, and when they are read next.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table stripe_movements (
    id text primary key,
    merchant_id text not null,
    mode text not null,
    payment_id text not null,
    trade_no text,
    type text not null,
    amount bigint not null,
    fee bigint not null,
    currency text not null,
    created_at timestamptz not null,
    checked_at timestamptz
  )`,
  `create index stripe_movements_by_payment on stripe_movements (payment_id, merchant_id, mode)`,
  `create index stripe_movements_unchecked on stripe_movements (merchant_id, mode) where checked_at is null`,

  `create table reconciliation (
    id text primary key,
    merchant_id text not null,
    mode text not null,
    payment_id text not null,
    trade_no text,
    currency text not null,
    ours bigint not null,
    theirs bigint not null,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    agreed_at timestamptz
  )`,
  `create unique index reconciliation_open on reconciliation (merchant_id, mode, payment_id) where agreed_at is null`,

  `alter table stripe_polls
    add column movements_since timestamptz,
    add column movements_due_at timestamptz not null default 'epoch'`,
  `update stripe_polls set movements_since = since`,
  `alter table stripe_polls alter column movements_since set not null`,
  `create index stripe_polls_movements on stripe_polls (movements_due_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
