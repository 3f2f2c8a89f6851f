/** Who may give roles at a place. Their invitations end with that right. */
import type { Asker } from "@coffer/contract/Caller"
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { mayDo, personMayDo } from "@coffer/rules/people/mayDo"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { makeStillMay } from "../operators/stillMay.ts"

/** They have every right of the place, so they cannot offer more than they have. */
export const rolesThatInvite = (belongsTo: string): ReadonlyArray<string> =>
  belongsTo === installation
    ? Role.literals.filter((role) => mayDo(role, "people.invite"))
    : PersonRole.literals.filter((role) => personMayDo(role, "people.invite"))

/** The inviter. `email`: of a person of the merchant; null: an operator. */
export interface Inviter extends Asker {
  readonly email: string | null
}

/** Whether they may give roles there now: the call waited for its turn, so an earlier answer may be stale. */
export const makeInvites = (sql: SqlClient.SqlClient) => {
  const stillMay = makeStillMay(sql)
  return (by: Inviter, belongsTo: string) => {
    const place = by.email === null ? installation : belongsTo
    return stillMay(by, place, (role) => rolesThatInvite(place).includes(role))
  }
}

/** A person's invitations end with the right to invite. An operator invites to merchants, too. */
export const makeWithdraw =
  (sql: SqlClient.SqlClient) =>
  ({ email, person_id }: { readonly email: string; readonly person_id: string }, belongsTo: string, role?: string) =>
    rolesThatInvite(belongsTo).some((each) => each === role)
      ? Effect.void
      : Effect.asVoid(
          belongsTo === installation
            ? sql`delete from invitations where operator_ids @> array[${person_id}]::text[]`
            : sql`delete from invitations where belongs_to = ${belongsTo} and invited_by = ${email}`
        )
