/**
 * Statements of many callers share a connection, and Postgres answers them in their order. One that waits for a lock or
 * takes long blocks all later ones. So a connection that owes an answer and has been silent for a while gets no new
 * statements until it has answered the earlier ones. New ones go to the pool's other connections.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { elapsedMillis } from "../runtime/realTime.ts"

export const silentMillisMax = 50

/** A connection with statements that are not answered yet. */
interface Owing {
  statements: number
  /** When it last answered, or got its first statement. */
  heardAt: number
}

/** Called before a statement is sent on a shared connection. */
export interface SilentConnections {
  readonly sent: (connection: PgConnection.PgConnection) => void
  readonly answered: (connection: PgConnection.PgConnection) => void
}

/** `fork`: runs an effect in the background, with the references of this installation. */
export const make = (fork: (effect: Effect.Effect<unknown>) => unknown): SilentConnections => {
  const owing = new Map<PgConnection.PgConnection, Owing>()
  const aside = new Set<PgConnection.PgConnection>()
  let looksAgain = false

  const look = () => {
    looksAgain = false
    const now = elapsedMillis()
    for (const [connection, { heardAt }] of owing) {
      if (now - heardAt >= silentMillisMax && !aside.has(connection)) setAside(connection)
    }
    if (owing.size > 0) lookLater()
  }
  // After a long turn of the event loop, answers that have arrived in the socket come first.
  const lookLater = () => {
    if (looksAgain) return
    looksAgain = true
    setTimeout(() => setImmediate(() => setImmediate(look)), silentMillisMax / 2)
  }
  /** The pool lends no connection that is pinned, and it is pinned until its last answer has come or it is closed. */
  const setAside = (connection: PgConnection.PgConnection) => {
    aside.add(connection)
    fork(
      Effect.ensuring(
        Effect.scoped(connection.pin),
        Effect.sync(() => aside.delete(connection))
      )
    )
  }

  return {
    sent: (connection) => {
      const entry = owing.get(connection)
      if (entry !== undefined) return void entry.statements++
      owing.set(connection, { statements: 1, heardAt: elapsedMillis() })
      lookLater()
    },
    answered: (connection) => {
      const entry = owing.get(connection)
      if (entry === undefined) return
      entry.heardAt = elapsedMillis()
      if (--entry.statements === 0) owing.delete(connection)
    }
  }
}
