/**
 * Indexes of tables that may be large by now. They are made after the migrations, one by one and `concurrently`: rows
 * are written meanwhile. A migration makes an index in its transaction, which holds up all writes of the table until it
 * ends, so it does that for new tables only. A start waits for its indexes, and says so in the log. Of several starts
 * at once one makes them, and the others do not wait.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { patiently } from "../runtime/patience.ts"

export interface LaterIndex {
  readonly name: string
  /** What follows `on`: `orders (merchant_id, id) where due_at is not null`. */
  readonly on: string
  readonly unique?: boolean
}

/** Only appended to. One that is no longer needed is dropped by a migration and leaves this list. */
export const laterIndexes: ReadonlyArray<LaterIndex> = []

/** Postgres waits for every transaction that is older than the index. */
const patience = "6 hours"

/** As the owner of the tables, outside of a transaction. */
export const makeIndexes = Effect.fnUntraced(
  function* (indexes: ReadonlyArray<LaterIndex>) {
    const sql = yield* SqlClient.SqlClient
    if ((yield* missingOf(sql, indexes)).length === 0) return
    const connection = yield* sql.reserve
    const [[isAlone] = []] = yield* connection.executeValues(`select pg_try_advisory_lock(${lock})`, [])
    if (isAlone !== true) return
    yield* Effect.addFinalizer(() => Effect.ignore(connection.executeRaw(`select pg_advisory_unlock(${lock})`, [])))
    for (const { name, on, unique = false } of yield* missingOf(sql, indexes)) {
      yield* Effect.logInfo("an index is made; rows are written meanwhile", { index: name, on })
      // One that a killed start has left is there, and not valid.
      yield* connection.executeUnprepared(`drop index concurrently if exists ${name}`, [], undefined)
      const statement = `create ${unique ? "unique " : ""}index concurrently ${name} on ${on}`
      yield* connection.executeUnprepared(statement, [], undefined)
    }
  },
  Effect.scoped,
  patiently(patience, patience)
)

const lock = "hashtext('coffer later indexes')"

const missingOf = (sql: SqlClient.SqlClient, indexes: ReadonlyArray<LaterIndex>) =>
  indexes.length === 0
    ? Effect.succeed(indexes)
    : Effect.map(
        sql<{ readonly name: string }>`select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
          join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = current_schema() and i.indisvalid and c.relname = any(${indexes.map(({ name }) => name)})`,
        (rows) => indexes.filter(({ name }) => !rows.some((row) => row.name === name))
      )
