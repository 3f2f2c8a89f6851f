/**
 * Whether the caller still has the right: it was read at the door, and may have been revoked since. The check runs in
 * the transaction that writes the new row, and locks the row that gives the right: a concurrent revocation waits, and
 * then sees the new row.
 */
import type { Asker } from "@coffer/contract/Caller"
import { OperatorId } from "@coffer/model/Ids"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

const isToken = Schema.is(OperatorId)

/** `may`: whether a role there is enough. */
export const makeStillMay = (sql: SqlClient.SqlClient) => {
  const isThere = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.map(rows, ({ length }) => length > 0)
  return Effect.fnUntraced(function* (
    { operatorId = "", personIds, sessionId }: Asker,
    belongsTo: string,
    may: (role: string) => boolean
  ) {
    const people = [...new Set(personIds)]
    const inSession =
      sessionId === undefined
        ? sql`true`
        : sql`(sessions_after is null
            or sessions_after < (select created_at from person_sessions where session_id = ${sessionId}))`
    const held = yield* sql<{ readonly role: string }>`select role from memberships
      where belongs_to = ${belongsTo} and person_id = any(${people}::text[]) and ${inSession}
      order by person_id for share`
    if (held.length < people.length || !held.every(({ role }) => may(role))) return false
    // Locked after the roles, in the same order as a revocation, so that the two cannot deadlock.
    if (isToken(operatorId)) {
      return yield* isThere(
        sql`select from operators where operator_id = ${operatorId} and revoked_at is null for share`
      )
    }
    return (
      sessionId === undefined ||
      (yield* isThere(sql`select from person_sessions where session_id = ${sessionId} for key share`))
    )
  })
}
