/** Checks a whole ledger, from the database alone, the way a suspicious accountant would. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { chainText } from "@coffer/rules/wallet/post"
import type { LedgerRow } from "@coffer/rules/wallet/Wallet"
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql"

interface Row {
  readonly wallet_id: string
  readonly id: string
  readonly sequence: bigint
  readonly type: LedgerRow["type"]
  readonly amount: bigint
  readonly balance_before: bigint
  readonly balance_after: bigint
  readonly frozen_after: bigint
  readonly reference_id: string
  readonly description: string
  readonly created_at: Date
  readonly previous_hash: string
  readonly hash: string
}

/** Every row chains, every wallet equals its ledger, and every paid order is there exactly once, whole. */
export const assertLedgerWhole = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* sql<Row>`select * from ledger order by wallet_id, sequence`
  const wallets = yield* sql<{ wallet_id: string; available: bigint; sequence: bigint; head_hash: string }>`
    select wallet_id, available, sequence, head_hash from wallets`
  for (const wallet of wallets) {
    let head = { balance: 0n, hash: "", sequence: 0n, id: "" }
    for (const row of rows.filter(({ wallet_id }) => wallet_id === wallet.wallet_id)) {
      assert.strictEqual(row.balance_before, head.balance, `${row.id} does not continue the balance`)
      assert.strictEqual(row.sequence, head.sequence + 1n, `a row is missing before ${row.id}`)
      assert.strictEqual(row.previous_hash, head.hash, `${row.id} does not continue the chain`)
      assert.strictEqual(row.hash, sha256(chainText(row.wallet_id, ledgerRowOf(row))), `${row.id} was changed`)
      assert.isTrue(row.id > head.id, `${row.id} is not newer than the row before it`)
      head = { balance: row.balance_after, hash: row.hash, sequence: row.sequence, id: row.id }
    }
    assert.strictEqual(wallet.available, head.balance, `${wallet.wallet_id} differs from its ledger`)
    assert.strictEqual(wallet.sequence, head.sequence)
    assert.strictEqual(wallet.head_hash, head.hash)
  }

  const halfWritten = yield* sql`
    select o.trade_no from orders o where
      (select count(*) from ledger l where l.reference_id = o.trade_no and l.type = 'payment_credit' and l.amount = o.amount)
        <> (case when o.paid_at is null then 0 else 1 end)
      or (select count(*) from ledger l where l.reference_id = o.trade_no and l.type = 'fee_debit' and l.amount = -o.fee)
        <> (case when o.paid_at is null then 0 else 1 end)
      or (select count(*) from events e where e.object_id = o.trade_no and e.type = 'payment.succeeded')
        <> (case when o.paid_at is null then 0 else 1 end)
      or (o.notify_url is not null and o.status <> 'pending' and not exists (
        select 1 from deliveries d join events e on e.id = d.event_id where e.object_id = o.trade_no))`
  assert.deepStrictEqual(halfWritten, [], "orders whose money, event or delivery is not there exactly once")
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

const ledgerRowOf = (row: Row): Omit<LedgerRow, "hash"> => ({
  id: row.id,
  sequence: Number(row.sequence),
  type: row.type,
  amount: Number(row.amount),
  balanceBefore: Number(row.balance_before),
  balanceAfter: Number(row.balance_after),
  frozenAfter: Number(row.frozen_after),
  referenceId: row.reference_id,
  description: row.description,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  previousHash: row.previous_hash
})
