/**
 * Whether every runner that lives knows what a migration has brought. What an older one would read as something else is
 * refused meanwhile (docs/decisions/0283).
 */
import * as Roster from "@coffer/cluster/Roster"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../postgres/sqlDefect.ts"

/** Reads the rows of runners and their locks, some 2 ms: for rare requests. */
export const makeKnownByAll = Effect.map(
  SqlClient.SqlClient,
  (sql) => (migration: number) =>
    sqlDefects(Effect.map(Roster.olderThan(sql, migration), (older) => older === undefined))
)
