/** Whether a process was asked to give up its shards and stop (packages/cluster, `RunnerVitals.ts`). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table runner_vitals add column drains boolean not null default false`
})
