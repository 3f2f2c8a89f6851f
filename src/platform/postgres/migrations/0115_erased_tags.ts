/**
 * An erasure writes the tags of the orders that it erases itself, in one statement for all of them (`src/erasures`). So
 * the trigger that keeps tags of one order leaves these alone.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `drop trigger orders_are_tagged_again on orders`,
  `create trigger orders_are_tagged_again after update on orders for each row
    when (old.metadata is distinct from new.metadata and old.erased_at is not distinct from new.erased_at)
    execute function tag_order_again()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
