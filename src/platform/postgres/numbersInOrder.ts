/**
 * Numbers of rows that belong to the installation and to no merchant. Each is assigned under a lock that lasts until
 * the commit, and is greater than all earlier ones. So their lists need no horizon (docs/decisions/0050). These rows
 * are written rarely. The audit log has the same by a trigger (migration 0192).
 */
import { Effect, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { firstBeyond, idAfter, type NewIds } from "../runtime/NewIds.ts"

interface Numbered {
  readonly table: string
  readonly key: string
  readonly prefix: string
}

/** Runs `write` in a transaction, with a number for the row that it writes. */
export const make = (sql: SqlClient.SqlClient, ids: NewIds["Service"], { key, prefix, table }: Numbered) => {
  // Writers of one runner wait here, and not in Postgres, where a wait for a lock is short and takes a connection.
  const turn = Semaphore.makeUnsafe(1)
  return <A, E, R>(write: (id: string) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      // A statement of its own: the next one sees what the lock's last holder has written.
      yield* sql`select pg_advisory_xact_lock(hashtext(${`coffer ${table}`}))`
      const fresh = yield* ids.next(prefix)
      const [row] = yield* sql<{ readonly newest: string | null }>`
        select max(${sql(key)}) as newest from ${sql(table)} where ${sql(key)} < ${prefix + firstBeyond(fresh)}`
      const newest = row?.newest ?? null
      return yield* write(idAfter(fresh, newest === null ? [] : [newest]))
    }).pipe(sql.withTransaction, turn.withPermits(1))
}
