/** Who may give roles at a place: what was offered ends with that right. */
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { mayDo } from "@coffer/rules/operator/acts"
import { personMayDo } from "@coffer/rules/people/consoleActs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** They give any role of the place, so what they offer is never more than they have. */
export const rolesThatInvite = (belongsTo: string): ReadonlyArray<string> =>
  belongsTo === installation
    ? Role.literals.filter((role) => mayDo(role, "people.invite"))
    : PersonRole.literals.filter((role) => personMayDo(role, "people.invite"))

/** Whether the person may give roles there now, whatever the call that waited for its turn has read before. */
export const makeInvites = (sql: SqlClient.SqlClient) => (email: string, belongsTo: string) =>
  Effect.map(
    sql`select from memberships join people using (person_id)
      where belongs_to = ${belongsTo} and email = ${email} and role = any(${rolesThatInvite(belongsTo)}::text[])`,
    ({ length }) => length > 0
  )

/** What a person has offered ends with the right to offer it. An operator offers roles of merchants, too. */
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
