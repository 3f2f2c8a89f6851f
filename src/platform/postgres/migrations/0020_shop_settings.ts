/**
 * A merchant's shop as buyers see it, and the methods that it offers (docs/architecture.md, section 7). `logo` is the
 * name of a file; `payment_methods` is null while every method is offered.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table merchants add column logo text, add column support_email text, add column support_url text`,
  `alter table merchant_modes add column payment_methods text[] check (cardinality(payment_methods) > 0)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
