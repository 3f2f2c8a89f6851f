/**
 * A balance transaction of Stripe before Stripe exchanged it; both null where nothing was exchanged (silences: S19).
 * Accounts with differences that may come from an exchange are read once more from there.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table stripe_movements
    add column source_amount bigint,
    add column source_currency text`,

  `update stripe_polls p set movements_since = least(p.movements_since, exchanged.since)
    from (select r.merchant_id, r.mode, min(m.created_at) as since
      from reconciliation r join stripe_movements m using (merchant_id, mode, payment_id)
      where r.agreed_at is null and upper(m.currency) <> r.currency group by r.merchant_id, r.mode) as exchanged
    where p.merchant_id = exchanged.merchant_id and p.mode = exchanged.mode`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
