/** Who has only asked for a link is a person without a role, and is listed as what was offered. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create or replace view people_and_invited as
    select person_id, email, name, created_at, last_seen_at, null::text as invited_to, null::text as invited_as
      from people p where exists (select from memberships m where m.person_id = p.person_id)
        or not exists (select from invitations i where i.invitation_id = p.person_id)
    union all
    select invitation_id, email, coalesce(name, email), created_at, null, belongs_to, role from invitations i
      where not exists (select from memberships m where m.person_id = i.invitation_id)`
})
