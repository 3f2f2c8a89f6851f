/**
 * What whoever sends a write again is told, for each kind of write after each kind of failure; and that it is done
 * once. The table is printed. In a cell: the status, `kept` where it is the first request's stored answer, the code of
 * a refusal. `-`: the failure does not happen to this write.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { failures } from "../kit/failures.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { writes } from "../kit/writes.ts"

const expected: ReadonlyArray<string> = []

const columns = new Map<string, ReadonlyMap<string, string>>()

describe("a write that was not answered, sent again, ends in the right answer and is done once:", () => {
  for (const failure of failures) {
    it.live(`the first one ${failure.name}`, () =>
      Effect.gen(function* () {
        const { service, told } = yield* failure.play(writes.filter(failure.meets))
        for (const { merchantId, told: answer, write } of told) {
          const left = yield* service.sql.unsafe(write.left, [merchantId])
          assert.strictEqual(left.length, 1, `${write.name}: ${answer}`)
        }
        yield* assertLedgerWhole(service.sql)
        columns.set(failure.name, new Map(told.map(({ told, write }) => [write.name, told])))
      })
    )
  }

  it("as this table says", () => {
    const rows = [
      ["", ...failures.map(({ name }) => name)],
      ...writes.map((write) => [write.name, ...failures.map(({ name }) => columns.get(name)?.get(write.name) ?? "-")])
    ]
    const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)))
    const table = rows.map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join(" | ")
        .trimEnd()
    )
    console.log(table.join("\n"))
    assert.deepStrictEqual(table, expected)
  })
})
