/** Why a stray session was closed by a person, or by the service in a sandbox. Null of one that ended by itself. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table stray_sessions add column closed_note text,
    add check (closed_note is null or ended_at is not null)`
})
