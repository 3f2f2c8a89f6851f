/** Campaigns that run beside each other as one. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { journalIn } from "../../packages/oracle/src/driver/journal.ts"
import { noMarks } from "../../packages/oracle/src/driver/marks.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-journal-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true }))
)

describe("a journal", () => {
  it("counts the steps since the last new signature, and none of those that brought it", () => {
    const marks = noMarks()
    const journal = journalIn(undefined, marks)
    marks.signatures.set("orders.create 201", 1)
    assert.deepStrictEqual(journal.add(10), { steps: 10, quiet: 0 })
    assert.deepStrictEqual(journal.add(10), { steps: 20, quiet: 10 })
    assert.deepStrictEqual(journal.add(5), { steps: 25, quiet: 15 })
    marks.signatures.set("orders.create 400", 1)
    assert.deepStrictEqual(journal.add(10), { steps: 35, quiet: 0 })
  })

  it.effect("of several campaigns has the steps and signatures of all, and what one has seen is new to none", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "journal")
      const [first, second] = [noMarks(), noMarks()]
      const [one, other] = [journalIn(file, first), journalIn(file, second)]
      first.signatures.set("orders.create 201", 1)
      first.codes.add("conflict")
      first.succeeded.add("orders.create")
      one.add(10)
      second.signatures.set("orders.create 201", 1)
      assert.deepStrictEqual(other.add(20), { steps: 30, quiet: 20 })
      assert.deepStrictEqual([...second.codes, ...second.succeeded], ["conflict", "orders.create"])
      second.signatures.set("orders.create 400", 1)
      other.add(20)
      assert.deepStrictEqual(one.read(), { steps: 50, quiet: 0 })
      assert.strictEqual(first.signatures.size, 2)
    })
  )
})
