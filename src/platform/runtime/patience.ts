/**
 * How long a statement may take: the wait for a connection, the way there, and Postgres' own work. The limits are
 * below the 5 s that a caller waits (`ask.ts`), so that whoever waits for the database is told before the caller
 * leaves. A long job says so with `patiently`, and then holds a connection of its own while it runs.
 */
import { Context, Duration, Effect } from "effect"

/** After this the connection is given up: nobody else's statement is sent on it. */
export const statementMillis = 4_000
/** Postgres stops by itself earlier, so that a connection which still works is kept. */
export const serverShareOf = (millis: number) => Math.floor(millis * 0.875)
/** How long a statement waits for a lock that somebody else holds. */
export const lockMillis = 1_000
/** How long a change set waits for its commit, whatever it waits for. */
export const commitMillis = 4_500

export interface Limits {
  readonly statement: number
  readonly lock: number
}

const ordinary: Limits = { statement: statementMillis, lock: lockMillis }

export const Patience = Context.Reference<Limits>("@coffer/platform/Patience", { defaultValue: () => ordinary })

/** For what works longer than a request may: audits, exports, partitions. A lock is waited for no longer than else. */
export const patiently =
  (statement: Duration.Input, lock: Duration.Input = lockMillis) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Patience, {
      statement: Duration.toMillis(statement),
      lock: Duration.toMillis(lock)
    })
