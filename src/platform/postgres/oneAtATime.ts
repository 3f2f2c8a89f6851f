/**
 * Changes that would wait for each other in Postgres, under one lock. Those of one runner wait here, where a wait takes
 * no connection: a burst of them would hold the pool, and every other request with it.
 */
import { Context, Effect, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"

export const make = (sql: SqlClient.SqlClient) => {
  const turn = Semaphore.makeUnsafe(1)
  return <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.contextWith((context: Context.Context<never>) =>
      // A statement within a transaction has a connection, and may hold the lock already.
      Context.getOrUndefined(context, sql.transactionService) === undefined ? turn.withPermits(1)(change) : change
    )
}
