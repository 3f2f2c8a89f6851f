/**
 * Clocks of sandboxes that were moved ahead (docs/decisions/0005), one row each; a merchant that never moved its clock
 * has none. `offset_ms`: how far it is ahead of real time. `target`: where it is going; null while it stands. `began`
 * and `after_event`: from where, for what is told of the way. `request`: the claim and the body of the request that
 * moved it; `reached`: where its way ended. `holder`, `leased_until`: which worker does the due work of this merchant,
 * in real time.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table sandbox_clocks (
    merchant_id text primary key references merchants,
    offset_ms bigint not null default 0 check (offset_ms >= 0),
    target timestamptz,
    began timestamptz,
    after_event text not null default '',
    stops integer not null default 0,
    attempts integer not null default 0,
    happened jsonb not null default '{}',
    request text,
    reached timestamptz,
    holder text,
    leased_until timestamptz
  )`,
  `create index sandbox_clocks_moving on sandbox_clocks (merchant_id) where target is not null`,
  // Rows keep their real day, by which they are dropped; their ids have the time of the sandbox.
  `alter table api_logs add column ahead_ms bigint`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
