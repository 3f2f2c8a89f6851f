/** Which keyed request made the sandbox's bank open a chargeback, so that a repeat of it opens no second one. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table sandbox_disputes add column request text`,
  `create index sandbox_disputes_request on sandbox_disputes (request) where request is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
