/**
 * Time limits of a statement, for the wait for a connection, the network and the work of Postgres together. They are
 * shorter than the 5 s that a caller waits (`ask.ts`), so that a statement fails before its caller leaves. A long job
 * gets longer limits with `patiently`, and then has a connection of its own while it runs.
 */
import { Context, Duration, Effect } from "effect"

/** After this the connection is given up, and gets no further statements. */
export const statementMillis = 4_000
/** Postgres itself stops a statement earlier, so that a connection that works is kept. */
export const serverShareOf = (millis: number) => Math.floor(millis * 0.875)
/** How long a statement waits for a lock. */
export const lockMillis = 1_000
/** How long a change set waits for its commit, including all other waits. */
export const commitMillis = 4_500

export interface Limits {
  readonly statement: number
  readonly lock: number
}

const ordinary: Limits = { statement: statementMillis, lock: lockMillis }

export const Patience = Context.Reference<Limits>("@coffer/platform/Patience", { defaultValue: () => ordinary })

/** For work that may take longer than a request: audits, exports, partitions. The wait for a lock stays the same. */
export const patiently =
  (statement: Duration.Input, lock: Duration.Input = lockMillis) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Patience, {
      statement: Duration.toMillis(statement),
      lock: Duration.toMillis(lock)
    })
