/**
 * Why the last look of a worker at a row failed; null when it did not. Written beside the row's version, as leases are,
 * by the worker that looked (`platform/postgres/leasedRows.ts`). Mails and attempts of deliveries have their own.
 * Besides, a constraint goes that said what another says.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table refunds add column check_error text`,
  `alter table disputes add column check_error text`,
  `alter table orders add column stray_error text`,
  // The same as `wallets_reserved_check` says since migration 6, and of fewer rows.
  `alter table wallets drop constraint if exists wallets_promised`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
