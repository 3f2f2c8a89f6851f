/**
 * Up to when rows of a kind were dropped, because an operator keeps them no longer (KEEP_DELIVERIES, KEEP_MAILS). The
 * auditor expects none from before.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`create table retention (kind text primary key, dropped_before timestamptz not null)`)
)
