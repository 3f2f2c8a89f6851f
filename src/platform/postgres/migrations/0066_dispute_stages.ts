/**
 * How far the bank has gone in a dispute: an inquiry has frozen nothing, and an appeal may follow a loss. An inquiry of
 * an earlier version has its amount frozen, so it goes on as a chargeback. The list of held-up objects has lost
 * disputes with an appeal too, by another index (`laterIndexes.ts`).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table disputes add column stage text not null default 'chargeback'
    check (stage in ('inquiry', 'chargeback', 'appeal_offered', 'appeal_filed'))`,
  `drop index if exists disputes_open`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
