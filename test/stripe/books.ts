/** Our books and those of a simulated Stripe, to the minor unit. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Simulator } from "@coffer/simulator/start"

/** Stripe's movements of one account, and the state of each of its objects; no numbers or times. */
export const booksAtStripe = ({ all }: Simulator, account: string) => ({
  charges: all("charge", account).map((each) => `${each.amount} ${each.amount_refunded} ${each.status}`),
  refunds: all("refund", account)
    .map((each) => `${each.amount} ${each.status}`)
    .toSorted(),
  disputes: all("dispute", account).map((each) => `${each.amount} ${each.status}`),
  submissions: all("dispute", account).map((each) => each.evidence_details.submission_count)
})

/**
 * Equal but for fees, which each side takes by a schedule of its own, and for what the sandbox's bank has. Money that
 * could not be given back is nobody's yet: it is parked, and operators see it.
 */
export const assertEqualBooks = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { all }: Simulator,
  { account, merchantId }: { readonly account: string; readonly merchantId: string },
  where: string
) {
  const theirs = all("balance_transaction", account).reduce((sum, { amount }) => sum + amount, 0)
  const [ours] = yield* sql<{ moved: number; frozen: number }>`select
    (select coalesce(sum(available), 0) from wallets where merchant_id = ${merchantId})::int4
      - (select coalesce(sum(amount), 0) from ledger where merchant_id = ${merchantId} and type like '%fee%')::int4
      + (select coalesce(sum((p->>'amount')::int4), 0) from orders, jsonb_array_elements(unapplied_payments) as p
          where merchant_id = ${merchantId} and p->>'state' = 'parked')::int4
      - (select coalesce(sum(amount), 0) from orders
          where merchant_id = ${merchantId} and payment_id not like 'pi\\_%')::int4 as moved,
    (select coalesce(sum(frozen), 0) from wallets where merchant_id = ${merchantId})::int4 as frozen`
  assert.strictEqual(ours!.moved, theirs, `our books and Stripe's: ${where}`)
  assert.strictEqual(ours!.frozen, 0, `everything is decided: ${where}`)
  const asked = all("refund", account).map(({ metadata }) => JSON.stringify(metadata))
  assert.strictEqual(new Set(asked).size, asked.length, `each refund is asked for once: ${where}`)
})
