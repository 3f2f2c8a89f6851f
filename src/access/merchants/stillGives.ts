/**
 * Whether a person may still give a key of the merchant: the right was checked at the door, and may have been revoked
 * since. Runs in the transaction that writes the secret, and locks the role: a revocation waits, and finds the key.
 */
import type { Mode } from "@coffer/model/Ids"
import type { PersonRole } from "@coffer/model/PersonRole"
import { type ConsoleActName, personMayDo } from "@coffer/rules/people/consoleActs"
import { lacking } from "@coffer/rules/people/rights"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

/** The person has lost the right to make it. */
export class MakerLeft extends Schema.TaggedError<MakerLeft>()("MakerLeft", {}) {}

interface Gift {
  readonly merchant_id: string
  readonly mode: Mode
  readonly scopes: ReadonlyArray<string>
}

/** `by`: the person's address; null: operators. */
export const makeStillGives = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (act: ConsoleActName, by: string | null, { merchant_id, mode, scopes }: Gift) {
    if (by === null) return
    const [row] = yield* sql<{
      readonly role: PersonRole
    }>`select m.role from memberships m join people p using (person_id)
      where m.belongs_to = ${merchant_id} and p.email = ${by} for share of m`
    if (row === undefined || !personMayDo(row.role, act)) return yield* new MakerLeft()
    if (lacking({ is: "person", role: row.role }, { is: "key", mode, scopes }).length > 0) return yield* new MakerLeft()
  })
