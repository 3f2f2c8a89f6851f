/**
 * The vitals of each process, written every few seconds (docs/decisions/0026). They are worth nothing after a crash of
 * Postgres, so they are not in the log. Updates change no index and find room in their page.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`create unlogged table runner_vitals (
    instance text primary key,
    run integer,
    address text,
    version text not null,
    node text not null,
    started_at timestamptz not null,
    heard_at timestamptz not null,
    vitals jsonb not null
  ) with (fillfactor = 40)`)
)
