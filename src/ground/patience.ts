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

export const Patience = Context.Reference<number>("@coffer/ground/Patience", { defaultValue: () => statementMillis })

/** For what takes longer than a request may: migrations, audits, exports, partitions. Locks are waited for as long. */
export const patiently =
  (duration: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Patience, Duration.toMillis(duration))
