/**
 * Up to which number lists have shown what an owner has. No row with this number or a lower one is written any more, so
 * that a reader who goes on from there misses none (docs/decisions/0050). `calls` is the same for API logs.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Half of each page stays free, so that an update touches no index.
  `create table list_horizons (
    merchant_id text not null,
    mode text not null,
    shown text collate "C" not null default '',
    calls text collate "C" not null default '',
    primary key (merchant_id, mode)
  ) with (fillfactor = 50)`,

  // A runner of the version before knows nothing of the table and may make a merchant meanwhile.
  `create function begin_list_horizon() returns trigger language plpgsql as $$
    begin
      insert into list_horizons (merchant_id, mode) values (new.merchant_id, new.mode) on conflict do nothing;
      return null;
    end
  $$`,
  `create trigger merchant_modes_horizon after insert on merchant_modes
    for each row execute function begin_list_horizon()`,
  `insert into list_horizons (merchant_id, mode) select merchant_id, mode from merchant_modes`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
