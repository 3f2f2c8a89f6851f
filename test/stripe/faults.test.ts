/**
 * A table: each scenario, by each of its calls to Stripe and each of its webhooks, by what may go wrong there. A
 * scenario runs once without faults while its calls are counted. Then it runs again for each cell, by a merchant of
 * its own, in the same service and at the same time as the others. The caller asks again, time passes, and the
 * merchant's books are as if nothing had happened, and equal to Stripe's to the minor unit.
 *
 * So a new call is in the table automatically. That each call of `src/channels/stripe` is in some scenario is
 * checked too.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { hasFreeze, withoutFreeze } from "../kit/stories/merchantBooks.ts"
import { isSoak } from "../kit/run/soak.ts"
import { type Books, type Cell, makeTable, makeWatch, type Outcome, paces, withoutBreaker } from "./cells.ts"
import { type Call, callsOfSource, columns, columnsOf, isCovered } from "./columns.ts"
import { worlds } from "./kit.ts"
import { type Scenario, scenarios } from "./scenarios.ts"

/** In `npm test` every second call has one fault, the next one another; in a soak each call has all. */
const cellsOf = (plain: ReadonlyArray<Outcome>, isLong: boolean): ReadonlyArray<Cell> => {
  let calls = 0
  /** By kind of call, so that each of its faults has its turn, however many calls of other kinds come between. */
  const turns = new Map<string, number>()
  const turnOf = ({ name }: Call) => {
    const [kind = ""] = name.split(" ")
    const turn = turns.get(kind) ?? 0
    turns.set(kind, turn + 1)
    return turn
  }
  return plain.flatMap(({ passed, scenario }) =>
    passed
      .filter((call) => isCovered(call, !isLong && scenario === plain[0]!.scenario))
      .filter(() => isSoak || calls++ % 2 === 0)
      .flatMap((call) => {
        const all = columnsOf(call).filter((column) => scenario.isLong === true || (column.isLong ?? false) === isLong)
        const some = isSoak || all.length === 0 ? all : [all[turnOf(call) % all.length]!]
        return some.map((column): Cell => ({ scenario, at: { call, column } }))
      })
  )
}

/** One of two refunds may be the later one by a day: each row without the balances that it leaves. */
const inAnyOrder = (books: Books): Books => {
  const rows = books.ours.ledger.map((row) => row.split(" ").slice(0, 2).join(" "))
  return { ...books, ours: { ...books.ours, ledger: rows.toSorted() } }
}

/** Money that was frozen while a refund's outcome was unknown is no difference. */
const problemOf = ({ at, books, problem }: Outcome, plain: Books): string | undefined => {
  if (problem !== undefined || books === undefined) return problem
  const ours = hasFreeze(books.ours) && !hasFreeze(plain.ours) ? withoutFreeze(books.ours) : books.ours
  const compared = at?.column.isLong === true ? inAnyOrder : (same: Books) => same
  try {
    assert.deepStrictEqual(compared({ ...books, ours }), compared(plain))
    return undefined
  } catch {
    return `${JSON.stringify({ ...books, ours })} and not ${JSON.stringify(plain)}`
  }
}

/**
 * A part of the table, in its order: `PACE` is `short` or `long`, `SCENARIO` is in the names of some, `CELLS` is how many
 * of the cells, after the `FIRST_CELL` first.
 */
const { CELLS, FIRST_CELL, PACE, SCENARIO = "" } = process.env
const cellsMax = Number(CELLS ?? Infinity)
const firstCell = Number(FIRST_CELL ?? 0)
const isWhole = [CELLS, FIRST_CELL, PACE, process.env["SCENARIO"]].every((part) => part === undefined)
/** Concurrent cells. More of them take more memory, and each round is longer. */
const cellsAtOnce = 120

/** A step that takes a day moves the clock of all cells in the group: no other order may be open. */
const partsOf = (cells: ReadonlyArray<Cell>, byScenario: boolean): ReadonlyArray<ReadonlyArray<Cell>> =>
  [...Map.groupBy(cells, ({ scenario }) => (byScenario ? scenario.name : "")).values()].flatMap((part) =>
    Array.from({ length: Math.ceil(part.length / cellsAtOnce) }, (_, index) =>
      part.slice(index * cellsAtOnce, (index + 1) * cellsAtOnce)
    )
  )

const nameOfCall = ({ name, nth }: Call) => (nth === 1 ? name : `${name} ${nth}`)

/** Two workers may be quicker or slower than the first time, so the call is not made. */
const isReached = ({ at, passed }: Outcome) =>
  passed.some(({ name, nth }) => name === at!.call.name && nth === at!.call.nth)
const unreachedMax = (cells: number) => Math.max(2, cells * 0.1)

/** One line for each call of a scenario: which columns were tried there. */
const printed = (cells: ReadonlyArray<Outcome & { readonly trouble: string | undefined }>) => {
  const rows = new Map<string, Array<string>>()
  for (const cell of cells) {
    const { at, scenario, trouble } = cell
    const row = `${scenario.name.padEnd(55)} ${nameOfCall(at!.call).padEnd(48)}`
    const what = trouble === undefined ? (isReached(cell) ? "" : "not reached: ") : "NOT: "
    rows.set(row, [...(rows.get(row) ?? []), `${what}${at!.column.name}`])
  }
  return [...rows].map(([row, tried]) => `${row} ${tried.join("; ")}`).join("\n")
}

/** Every scenario of this pace, alone and then in each cell. Which calls and columns there were. */
const tableOf = Effect.fnUntraced(function* (pace: "short" | "long", those: ReadonlyArray<Scenario>) {
  const watch = makeWatch()
  const [breaker, never] = withoutBreaker
  const world = yield* worlds({ beneath: Layer.succeed(breaker, never), simulator: { watch: watch.watch } })
  const run = makeTable(world, watch, paces[pace])
  const apart = (cells: ReadonlyArray<Cell>) => partsOf(cells, pace === "long")
  const plain = (yield* Effect.forEach(apart(those.map((scenario) => ({ scenario }))), run)).flat()
  for (const { books, problem, scenario } of plain) {
    assert.isUndefined(problem, scenario.name)
    const { book, row } = scenario.ends
    assert.isTrue(
      books!.ours[book].some((each) => row.test(each)),
      `${scenario.name} ends as ${row}: ${JSON.stringify(books!.ours[book])}`
    )
  }
  const booksOf = new Map(plain.map(({ books, scenario }) => [scenario, books!]))
  // Days with faults are for a soak.
  const all = isSoak || pace === "short" ? cellsOf(plain, pace === "long") : []
  const cells = all.slice(firstCell, firstCell + cellsMax)
  const outcomes: Array<Outcome & { readonly trouble: string | undefined }> = []
  for (const part of apart(cells)) {
    const some = (yield* run(part)).map((outcome) => ({
      ...outcome,
      trouble: problemOf(outcome, booksOf.get(outcome.scenario)!)
    }))
    outcomes.push(...some)
    process.stdout.write(`\n${printed(some)}\n${outcomes.length} of ${cells.length} cells, ${pace}\n`)
  }
  assert.deepStrictEqual(
    outcomes.flatMap(({ at, scenario, trouble }) =>
      trouble === undefined ? [] : [`${scenario.name}: ${nameOfCall(at!.call)}, ${at!.column.name}: ${trouble}`]
    ),
    []
  )
  yield* assertLedgerWhole(world.sql)
  // A refund that Stripe fails for a day is missing there for a night.
  const differences = yield* world.sql`select * from reconciliation where agreed_at is null`
  assert.deepStrictEqual(differences, [], "no night finds a difference that stays")
  const reached = outcomes.filter(isReached)
  const unreached = outcomes.length - reached.length
  assert.isAtMost(unreached, unreachedMax(outcomes.length), "nine of ten come to what goes wrong there")
  return { calls: new Set(plain.flatMap(({ passed }) => passed.map(({ name }) => name))), reached }
}, Effect.scoped)

const folder = "src/channels/stripe"

describe("a merchant with an account at Stripe", () => {
  it.live(
    "has the same books as Stripe, and as without it, whatever goes wrong once at whichever call or webhook",
    () =>
      Effect.gen(function* () {
        const those = scenarios.filter(({ name }) => name.includes(SCENARIO))
        const ofShort = those.filter(({ isLong }) => isLong === undefined)
        const ofLong = those.filter(({ hasLong, isLong }) => isSoak || isLong === true || hasLong === true)
        const short = yield* tableOf("short", PACE === "long" ? [] : ofShort)
        const long = yield* tableOf("long", PACE === "short" ? [] : ofLong)
        if (!isWhole) return
        const calls = new Set([...short.calls, ...long.calls])

        const sources = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, "utf8"))
        const inSource = sources.flatMap((text) =>
          [...text.matchAll(/(?:\bstripe|connect\(\w+, \w+\))\.((?:\w+\.)+\w+)\(/gs)].map(([, name]) => name!)
        )
        assert.deepStrictEqual([...new Set(inSource)].toSorted(), Object.keys(callsOfSource).toSorted())
        assert.deepStrictEqual(
          Object.values(callsOfSource).filter((name) => !calls.has(name)),
          [],
          "calls of the sources that no scenario makes"
        )
        const tried = new Set([...short.reached, ...long.reached].map(({ at }) => at!.column.name))
        assert.deepStrictEqual(
          columns.flatMap(({ isLong, name }) => (tried.has(name) || (!isSoak && isLong === true) ? [] : [name])),
          [],
          "faults that no call meets"
        )
      })
  )
})
