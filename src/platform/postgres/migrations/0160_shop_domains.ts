/**
 * Shops' own hosts for checkout (docs/decisions/0201): one for each merchant. Several may ask for one host, and one of
 * them can have it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(
    `create table shop_domains (
      merchant_id text primary key references merchants,
      host text not null,
      token text not null,
      pending_since timestamptz not null,
      checked_at timestamptz,
      verified_at timestamptz,
      unproven_since timestamptz,
      problem text,
      next_check_at timestamptz
    )`
  )
  yield* sql.unsafe(`create unique index shop_domains_verified on shop_domains (host) where verified_at is not null`)
  yield* sql.unsafe(`create index shop_domains_due on shop_domains (next_check_at) where next_check_at is not null`)
})
