/**
 * A crash at every step. Each workflow runs once while its points are recorded; then again for
 * each of them, and dies there, before what happens at that point or after. The next process on the same database gets
 * the same requests again, at once or after a while, time passes, and the merchant's books, the bank's and the events
 * are as if nothing had happened. The table of points is made by the runs and printed.
 *
 * Points are commits and calls of the channel. Writes beside them are a worker's lease, which a crash leaves to its
 * end, or the bank's own: a crash around those is a crash before or after the point next to it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Life, live, type Point, type Side, timeOf } from "../kit/faults/Crash.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { booksOf, hasFreeze, type MerchantBooks, withoutFreeze } from "../kit/stories/merchantBooks.ts"
import { freshDatabase } from "../kit/Service.ts"
import { isSoak } from "../kit/run/soak.ts"
import { type Shop, shopOf, type Workflow, workflows } from "../kit/stories/workflows.ts"

interface Row extends Point {
  readonly workflow: string
  readonly side: Side
  readonly died: boolean
  readonly outcome: string
}

/** Lets everything due be done, and more. */
const finish = (shop: Shop) => shop.service.pass("10 minutes")

/** Runs the workflow to its end with one crash in between. Another process continues it. */
const runWithCrash = Effect.fnUntraced(function* (
  database: string,
  first: Life,
  workflow: Workflow,
  at: Point & { readonly side: Side }
) {
  const merchant = yield* first.service.api.newMerchant()
  const shop = shopOf(first.service, merchant)
  yield* workflow.before(shop)
  yield* first.service.atRest
  const { died } = yield* first.watch(Effect.andThen(workflow.steps(shop), finish(shop)), at)
  if (!died) return { life: first, merchant, died }

  yield* first.bury
  const life = yield* live(database, yield* timeOf(first.service))
  const again = shopOf(life.service, merchant)
  if (workflow.away) yield* finish(again)
  yield* workflow.steps(again)
  yield* finish(again)
  return { life, merchant, died }
})

/**
 * A crash after a point is one before the next point, but for what runs beside them: only a soak tries both at each.
 * The last point has none behind it.
 */
const sidesOf = (isLast: boolean): ReadonlyArray<Side> => (isLast || isSoak ? ["before", "after"] : ["before"])

/** Workflows share most of their steps, so each dies at every second one in `npm test`, and at its last. */
const isTried = (index: number, at: number, last: number) => isSoak || at === last || (index + at) % 2 === 0

const everyCrash = Effect.fnUntraced(function* (workflow: Workflow, index: number) {
  const database = yield* freshDatabase
  let life = yield* live(database, 0)
  const merchant = yield* life.service.api.newMerchant()
  const shop = shopOf(life.service, merchant)
  yield* workflow.before(shop)
  yield* life.service.atRest
  const { passed } = yield* life.watch(Effect.andThen(workflow.steps(shop), finish(shop)))
  const expected = yield* booksOf(life.service.sql, merchant)

  for (const [book, row] of Object.entries(workflow.ends)) {
    assert.isTrue(
      expected[book as keyof MerchantBooks].some((each) => row.test(each)),
      `${workflow.name} ends as ${row}`
    )
  }

  const table: Array<Row> = []
  const last = passed.length - 1
  for (const [at, point] of passed.entries()) {
    if (!isTried(index, at, last)) continue
    for (const side of sidesOf(at === last)) {
      const run = yield* runWithCrash(database, life, workflow, { ...point, side })
      life = run.life
      const books = yield* booksOf(life.service.sql, run.merchant)
      const meanwhile = hasFreeze(books) && !hasFreeze(expected)
      const what = `${workflow.name}: a crash ${side} ${point.name} ${point.nth}`
      assert.deepStrictEqual(meanwhile ? withoutFreeze(books) : books, expected, what)
      yield* assertLedgerWhole(life.service.sql)
      const outcome = run.died ? `as without${meanwhile ? ", frozen meanwhile" : ""}` : "NOT REACHED"
      table.push({ workflow: workflow.name, ...point, side, died: run.died, outcome })
    }
  }
  return table
}, Effect.scoped)

describe("a crash at every step", () => {
  it.live("of refunds, disputes and payouts ends as if there had been none, and moves no money twice", () =>
    Effect.gen(function* () {
      const tables = yield* Effect.forEach(workflows, everyCrash, { concurrency: 3 })
      const table = tables.flat()
      const lines = table.map((row) =>
        [row.workflow.padEnd(40), row.side.padEnd(7), `${row.name} ${row.nth}`.padEnd(80), row.outcome].join(" ")
      )
      console.log(lines.join("\n"))

      for (const rows of tables) assert.isAtLeast(rows.length, 2, "a point before which it dies, and one after which")
      assert.deepStrictEqual(
        table.filter(({ died }) => !died),
        [],
        "points that a second run did not come to"
      )
    })
  )
})
