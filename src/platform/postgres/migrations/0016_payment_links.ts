/** Payment links (spec: Payment link). A visit changes `used_count`, which no index has, so that updates are HOT. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table payment_links (
    link_id text primary key,
    version bigint not null,
    merchant_id text not null references merchants,
    mode text not null,
    amount bigint not null,
    currency text not null,
    subject text,
    status text not null check (status in ('active', 'inactive')),
    max_uses bigint,
    used_count bigint not null check (used_count >= 0 and (max_uses is null or max_uses > 0)),
    notify_url text,
    return_url text,
    expires_at timestamptz,
    metadata jsonb not null,
    created_at timestamptz not null
  ) with (fillfactor = 70)`,
  `create index payment_links_newest on payment_links (merchant_id, mode, link_id)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
