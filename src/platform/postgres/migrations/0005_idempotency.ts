/** Claims and answers of requests with an `Idempotency-Key` (silences: I1 to I6). Rows go after a day. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // id: hash of merchant, mode, method, path and key. data: the answer's `data`, as its text.
  yield* sql`create table idempotency_keys (
    id text primary key,
    version integer not null,
    merchant_id text not null,
    mode text not null,
    fingerprint text not null,
    state text not null check (state in ('running', 'done', 'released')),
    lease_until timestamptz,
    status integer,
    data text,
    created_at timestamptz not null
  )`
  yield* sql`create index idempotency_keys_age on idempotency_keys (created_at)`
})
