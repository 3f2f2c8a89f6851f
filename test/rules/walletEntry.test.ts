/** What a wallet takes from another runner, and what it refuses before anything is decided (docs/decisions/0027). */
import { assert, describe, it } from "@effect/vitest"
import { LedgerType } from "@coffer/model/Ledger"
import { Result, Schema } from "effect"
import type { Change } from "../../src/platform/commit/Change.ts"
import { tableNames, type TableName, tableOf } from "../../src/platform/commit/Table.ts"
// Their rooms say what the tables are.
import "../../src/disputes/DisputeStore.ts"
import "../../src/orders/OrderStore.ts"
import "../../src/payouts/PayoutStore.ts"
import "../../src/refunds/RefundStore.ts"
import { Entry } from "../../src/wallets/Entry.ts"

const decode = Schema.decodeUnknownResult(Schema.toCodecJson(Entry))

const told = (entry: unknown) => {
  const decoded = decode(entry)
  return Result.isSuccess(decoded) ? "taken" : String(decoded.failure)
}

type Source = "orders" | "refunds" | "disputes" | "payouts"

const rowOf = (table: Source, key: string): Change => {
  const { columns, keyIndex } = tableOf(table)
  return { op: "update", table, cells: columns.map((_, index) => (index === keyIndex ? key : null)), replaces: 1 }
}

const sourceOf = (type: LedgerType): Source => {
  if (type.startsWith("refund")) return "refunds"
  if (type.startsWith("dispute")) return "disputes"
  return type.startsWith("payout") ? "payouts" : "orders"
}

const movement = (type: LedgerType) => ({ type, amount: 1, referenceId: "it", description: "" })

describe("an entry from another runner", () => {
  for (const type of LedgerType.literals) {
    it(`is taken with ${type} and the row that moves it, and refused without, or with another row`, () => {
      const [entry, table] = [{ movements: [movement(type)], reserve: 0 }, sourceOf(type)]
      const other = table === "orders" ? "payouts" : "orders"
      assert.strictEqual(told({ ...entry, changes: [rowOf(table, "it")] }), "taken")
      for (const changes of [[], [rowOf(table, "another")], [rowOf(other, "it")]]) {
        assert.include(told({ ...entry, changes }), `${type} comes without the row of it`)
      }
    })
  }

  for (const table of ["wallets", "ledger", "payment_links", "webhook_settings"] satisfies Array<TableName>) {
    it(`is refused with a row of ${table}`, () => {
      assert.include(tableNames, table)
      const changes = [{ op: "insert", table, cells: [] }]
      assert.include(told({ movements: [], reserve: 0, changes }), `no row of ${table}`)
    })
  }
})
