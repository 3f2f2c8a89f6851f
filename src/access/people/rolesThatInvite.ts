/** Who may give roles at a place: invitations end with that right. */
import { installation, PersonRole } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { mayDo } from "@coffer/rules/operator/acts"
import { personMayDo } from "@coffer/rules/people/consoleActs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** They may give any role of the place, so they never offer more than they have. */
export const rolesThatInvite = (belongsTo: string): ReadonlyArray<string> =>
  belongsTo === installation
    ? Role.literals.filter((role) => mayDo(role, "people.invite"))
    : PersonRole.literals.filter((role) => personMayDo(role, "people.invite"))

/** Whether the person may give roles there now; the call may have waited since it was checked. */
export const makeInvites = (sql: SqlClient.SqlClient) => (email: string, belongsTo: string) =>
  Effect.map(
    sql`select from memberships join people using (person_id)
      where belongs_to = ${belongsTo} and email = ${email} and role = any(${rolesThatInvite(belongsTo)}::text[])`,
    ({ length }) => length > 0
  )

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
