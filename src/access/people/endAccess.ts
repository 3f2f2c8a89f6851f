/**
 * Ends a person's access: sessions and the ways to open one, everything that a session has begun, and the person's
 * rights as an operator.
 */
import { isoText } from "@coffer/model/isoText"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { makeEndChanges } from "../merchants/stillGives.ts"
import { currentTime } from "../../platform/runtime/clock.ts"

/** Each of them runs in a transaction. */
export const makeEnds = (sql: SqlClient.SqlClient) => {
  const endChanges = makeEndChanges(sql)
  /** Tokens of the operators' API that the person may have, and what the person has asked of a second operator. */
  const endAsOperator = Effect.fnUntraced(function* (personId: string) {
    const tokens = yield* sql<{ readonly operator_id: string }>`update operators
      set revoked_at = coalesce(revoked_at, ${isoText(yield* currentTime)}::text::timestamptz)
      where person_ids @> array[${personId}]::text[] returning operator_id`
    const ids = [personId, ...tokens.map(({ operator_id }) => operator_id)]
    yield* sql`delete from approvals where operator_id = any(${ids}::text[])`
  })

  const revokeAllAccess = Effect.fnUntraced(function* (personId: string, onlyAt?: string) {
    // A role that is given at the same time is seen below.
    yield* sql`select from people where person_id = ${personId} for update`
    if (onlyAt !== undefined) {
      const others = yield* sql`select from memberships where person_id = ${personId} and belongs_to <> ${onlyAt}`
      if (others.length > 0) return false
    }
    yield* endChanges(personId)
    yield* sql`delete from person_sessions where person_id = ${personId}`
    yield* sql`delete from sign_in_links where person_id = ${personId}`
    yield* sql`delete from passkeys where person_id = ${personId}`
    yield* sql`delete from known_browsers where person_id = ${personId}`
    yield* sql`delete from invitations where operator_ids @> array[${personId}]::text[]
      or invited_by = (select email from people where person_id = ${personId})`
    yield* endAsOperator(personId)
    return true
  })

  return { endAsOperator, endChanges, revokeAllAccess }
}
