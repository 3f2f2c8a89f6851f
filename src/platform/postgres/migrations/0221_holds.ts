/**
 * Money that is authorised now and captured later (docs/decisions/0274). orders.hold: null for an order whose payment
 * is captured as it is made, which is in no index of holds either. hold_due_at: when a worker has to look at the hold.
 * payment_links.capture: how the orders of a link are captured, null for at once. sandbox_payments: when the bank
 * captured a hold, and what a test helper has scripted for it. The triggers' function compares the credit of an order
 * with what was captured; for an order without a hold it does what it did before.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the buyer of an order has paid (`amountPaid` in packages/rules/src/order/Hold.ts). */
const paidOfOrder = "coalesce((s.hold operator(pg_catalog.->>) 'captured')::pg_catalog.int8, s.amount)"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table orders add column hold jsonb, add column hold_due_at timestamptz,
    add column hold_attempts integer, add column hold_error text`
  yield* sql`alter table payment_links add column capture text`
  yield* sql`alter table sandbox_payments add column captured_at timestamptz, add column script text`
  // Not valid: rows of before need no look, and new ones are checked all the same.
  yield* sql`alter table sandbox_payments drop constraint sandbox_payments_state_check,
    add constraint sandbox_payments_state_check check (state in ('succeeded', 'declined', 'cancelled', 'failed',
      'redirect', 'abandoned', 'authorized', 'released')) not valid`
  const [found] = yield* sql<{ readonly text: string }>`select pg_get_functiondef(p.oid) as text from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    where p.proname = 'refuse_movements_without_source' and n.nspname = current_schema()`
  const credit = /('payment_credit' then \([^']*?coalesce\()s\.amount(, 0\))/
  if (found === undefined || !credit.test(found.text)) {
    return yield* Effect.die("refuse_movements_without_source is not as migration 0197 has made it")
  }
  yield* sql.unsafe(found.text.replace(credit, (_, before: string, after: string) => before + paidOfOrder + after))
})
