/** Merchants whose sandbox is to get its first paid orders; `due_at` is null once it has them (silences: R2). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table sandbox_seeds (
    merchant_id text primary key references merchants,
    due_at timestamptz
  )`,
  `create index sandbox_seeds_due on sandbox_seeds (due_at) where due_at is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
