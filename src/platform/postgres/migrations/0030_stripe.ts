/**
 * A merchant's account at Stripe, and what is known of it (docs/decisions/0038).
 *
 * `merchant_modes.stripe`: the account of one environment, its keys sealed; null where there is none.
 *
 * `stripe_sessions`: the Checkout Sessions that we have asked for, one row each, written before Stripe is asked.
 * `asked`: whether Stripe made it is not known, and no buyer has seen it. `open`: a buyer may pay in it. `processing`:
 * the buyer has done all there is to do, and the money is not there yet. `ended`: no buyer can pay in it, or its
 * payment is in our books. An order has one that is not ended, at most.
 *
 * `stripe_events`: events of Stripe that say which of its objects to look at. `stripe_polls`: until when the events of
 * an account were fetched.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table merchant_modes add column stripe jsonb`,
  `create index merchant_modes_stripe on merchant_modes (merchant_id, mode) where stripe is not null`,

  `create table stripe_sessions (
    key text primary key,
    trade_no text not null,
    number integer not null,
    merchant_id text not null,
    mode text not null,
    method text not null,
    state text not null default 'asked',
    session_id text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    unique (trade_no, number)
  )`,
  `create unique index stripe_sessions_active on stripe_sessions (trade_no) where state <> 'ended'`,

  `create table stripe_events (
    id text primary key,
    merchant_id text not null,
    mode text not null,
    event_id text not null,
    type text not null,
    kind text not null,
    object_id text not null,
    created_at timestamptz not null,
    received_at timestamptz not null,
    due_at timestamptz,
    attempts integer not null default 0
  )`,
  `create index stripe_events_due on stripe_events (due_at) where due_at is not null`,

  `create table stripe_polls (
    id text primary key,
    merchant_id text not null,
    mode text not null,
    since timestamptz not null,
    due_at timestamptz not null
  )`,
  `create index stripe_polls_due on stripe_polls (due_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
