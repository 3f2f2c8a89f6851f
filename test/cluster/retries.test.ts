/**
 * What whoever sends a write again is told, for each kind of write after each kind of failure; and that it is done
 * once. The table is printed. In a cell: the status, `kept` where it is the first request's stored answer, the code of
 * a refusal. `-`: the failure does not happen to this write. Evidence that was submitted without a key is told that it was
 * (silences: D18).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { failures } from "../kit/failures.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { writes } from "../kit/writes.ts"

const expected = `
                                      | dies before | dies midway | dies after   | answer lost  | hangs up | unknown, written | unknown, not written | claim unknown | two at once
create order, keyed                   | 201         | -           | 201 kept     | 201 kept     | 201      | 201 kept         | 201                  | 201           | 201, 201 kept
create order, by its number           | 201         | -           | 200          | 200          | 200      | 200              | 201                  | -             | 200, 201
update order, keyed                   | 200         | -           | 200 kept     | 200 kept     | 200      | 200 kept         | 200                  | 200           | 200, 200 kept
update order                          | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
expire, keyed                         | 200         | -           | 200 kept     | 200 kept     | 200      | 200 kept         | 200                  | 200           | 200, 200 kept
expire                                | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
pay, keyed                            | 200         | -           | 200 kept     | 200 kept     | 200      | 200 kept         | 200                  | 200           | 200, 200 kept
refund at once, keyed                 | 201         | 200         | 201 kept     | 201 kept     | 201      | 201 kept         | 201                  | 201           | 201, 201 kept
refund at once, by its number         | 201         | 200         | 200          | 200          | 200      | 200              | 201                  | -             | 200, 201
refund that takes time, keyed         | 202         | 200         | 202 kept     | 202 kept     | 202      | 202 kept         | 202                  | 202           | 202, 202 kept
refund that takes time, by its number | 202         | 200         | 200          | 200          | 200      | 200              | 202                  | -             | 200, 202
settle refund, keyed                  | 200         | -           | 200          | 200 kept     | 200      | 200              | 200                  | 200           | 200, 200 kept
settle refund                         | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
save evidence, keyed                  | 200         | -           | 200 kept     | 200 kept     | 200      | 200 kept         | 200                  | 200           | 200, 200 kept
save evidence                         | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
submit evidence, keyed                | 200         | 200         | 200          | 200 kept     | 200      | 200              | 200                  | 200           | 200, 200 kept
submit evidence                       | 200         | 200         | 409 conflict | 409 conflict | 200      | 200              | 200                  | -             | 200, 409 conflict
accept dispute, keyed                 | 200         | 200         | 200          | 200 kept     | 200      | 200              | 200                  | 200           | 200, 200 kept
accept dispute                        | 200         | 200         | 200          | 200          | 200      | 200              | 200                  | -             | 200
charge back, keyed                    | 201         | -           | 201          | 201 kept     | 201      | 201              | 201                  | 201           | 201, 201 kept
resolve dispute, keyed                | 200         | -           | 200          | 200 kept     | 200      | 200              | 200                  | 200           | 200, 200 kept
resolve dispute                       | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
payout: request                       | 201         | -           | 200          | 200          | 200      | 200              | 201                  | -             | 200, 201
payout: approve                       | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
payout: reject                        | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
payout: complete                      | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
payout: fail                          | 200         | -           | 200          | 200          | 200      | 200              | 200                  | -             | 200
`

const columns = new Map<string, ReadonlyMap<string, string>>()

describe("a write that was not answered, sent again, ends in the right answer and is done once:", () => {
  for (const failure of failures) {
    it.live(`the first one: ${failure.name}`, () =>
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
    assert.deepStrictEqual(table, expected.split("\n").slice(1, -1))
  })
})
