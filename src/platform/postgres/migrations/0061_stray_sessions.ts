/**
 * Checkout Sessions of Stripe that name an order of ours and that no row of ours knows, as after a restore
 * (src/channels/stripe/SessionStore.ts). `ended_at`: nobody can pay in it, or all of its payment went back.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table stray_sessions (
    id text primary key,
    merchant_id text not null,
    mode text not null,
    session_id text not null,
    payment_id text,
    trade_no text not null,
    amount bigint,
    currency text,
    status text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz,
    unique (merchant_id, mode, session_id)
  )`,
  // Held-up sessions (src/heldUp), in the order of their ids.
  `create index stray_sessions_open on stray_sessions (id) where ended_at is null`,
  `create index stray_sessions_payment on stray_sessions (merchant_id, mode, payment_id) where ended_at is null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
