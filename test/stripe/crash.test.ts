/**
 * A crash at every step of a live order's money at Stripe. Each scenario runs once while its points
 * are recorded: commits, and calls to Stripe. Then it runs again for each of them, and the process dies there,
 * before what happens or after. The next process on the same database gets the same requests again, time passes, and
 * the merchant's books are as if nothing had happened, and equal to Stripe's to the minor unit.
 */
import { type Simulator, start as simulate } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { Stripe } from "stripe"
import { type Life, live, type Point, type Side, timeOf } from "../kit/faults/Crash.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { booksOf, hasFreeze, withoutFreeze } from "../kit/stories/merchantBooks.ts"
import { freePort, freshDatabase } from "../kit/Service.ts"
import { isSoak } from "../kit/run/soak.ts"
import { assertEqualBooks, booksAtStripe } from "./books.ts"
import { type Desk, deskOf } from "./desk.ts"
import { begins, paceless } from "./kit.ts"
import { type Scenario, scenarios } from "./scenarios.ts"

interface Row extends Point {
  readonly scenario: string
  readonly side: Side
  readonly died: boolean
  readonly trouble?: string
}

const lineOf = ({ died, name, nth, scenario, side, trouble }: Row) =>
  [scenario.padEnd(55), side.padEnd(7), `${name} ${nth}`.padEnd(70), trouble ?? (died ? "" : "not reached")].join(" ")

/** No test helper acts on a live order, and a day has too many steps of workers. */
const those = scenarios.filter(
  ({ dies, isLong, isSandboxes }) => isLong === undefined && isSandboxes === undefined && (isSoak || dies === true)
)

/** Each process and Stripe have the same time. Without webhooks the reconciler finds their content. */
const passing = (life: Life, { control }: Simulator) =>
  Effect.fnUntraced(function* (seconds: number) {
    yield* control.advance({ seconds })
    yield* life.service.pass(`${seconds} seconds`)
  })

const roundsMax = 12

const walk = Effect.fnUntraced(function* (
  desk: Desk,
  pass: ReturnType<typeof passing>,
  steps: Scenario["steps"],
  where: string
) {
  for (const [index, step] of steps.entries()) {
    for (let round = 1; !(yield* step(desk)); round++) {
      assert.isBelow(round, roundsMax, `${where}: step ${index + 1} is done`)
      yield* pass(round % 2 === 1 ? 31 : 240)
    }
  }
})

/** Lets everything due be done, and more. */
const finishing = 900

const shopOf = (life: Life, simulator: Simulator, stripe: Stripe, merchant: Desk["merchant"], key: string) =>
  deskOf({ running: life.service, simulator, merchant, stripe, key, mode: "live" })

/** A merchant of its own, which may take real money, and its account at Stripe. */
const opened = Effect.fnUntraced(function* ({ service }: Life, key: string) {
  const merchant = yield* service.api.newMerchant()
  const path = `/merchants/${merchant.merchantId}`
  const approved = yield* service.api.operator("POST", path, { approved: true, live_currencies: ["USD"] })
  assert.strictEqual(approved.status, 200, approved.text)
  const account = { channel: "stripe", secret_key: key, webhook_secret: "whsec_ofNobody" }
  const set = yield* service.api.operator("POST", `${path}/channels/live`, account)
  assert.strictEqual(set.status, 200, set.text)
  return merchant
})

/** Both sides' books at the end, which agree. */
const endOf = Effect.fnUntraced(function* ({ service }: Life, simulator: Simulator, desk: Desk, where: string) {
  const { account, merchant, open } = desk
  yield* assertEqualBooks(service.sql, simulator, { account, merchantId: merchant.merchantId }, where)
  yield* assertLedgerWhole(service.sql)
  return { ours: yield* booksOf(service.sql, merchant), theirs: booksAtStripe(simulator, account), open: open() }
})

/** Repeated calls of the clock: the first ones represent all. */
const isCovered = ({ name, nth }: Point) => !/\((events|balanceTransactions)\./.test(name) || (isSoak && nth <= 2)

/** A part of the scenarios, in their order: `SCENARIOS` says how many, after the `FIRST_SCENARIO` first. */
const firstScenario = Number(process.env["FIRST_SCENARIO"] ?? 0)
const scenariosMax = Number(process.env["SCENARIOS"] ?? Infinity)

/** In `npm test` a few of the points, spread over all of them; in a soak all of them, before and after. */
const chosen = (passed: ReadonlyArray<Point>): ReadonlyArray<Point & { readonly side: Side }> =>
  isSoak
    ? passed.flatMap((point) => [
        { ...point, side: "before" as const },
        { ...point, side: "after" as const }
      ])
    : passed
        .filter((_, index) => index === Math.floor(passed.length / 3) || index === Math.floor((2 * passed.length) / 3))
        .map((point, index) => ({ ...point, side: index === 0 ? "after" : "before" }))

const everyCrash = Effect.fnUntraced(function* (scenario: Scenario) {
  const database = yield* freshDatabase
  const port = yield* freePort
  const simulator = yield* simulate({ port, chargeBookedAfter: 0, standsAt: begins / 1_000 })
  const env = { ...paceless, STRIPE_API: `http://127.0.0.1:${port}` }
  let life = yield* live(database, begins, env)
  let count = 0

  const run = Effect.fnUntraced(function* (at?: Point & { readonly side: Side }) {
    const key = `sk_live_crash${++count}`
    const stripe = new Stripe(key, { host: "127.0.0.1", port, protocol: "http" })
    const merchant = yield* opened(life, key)
    const where = at === undefined ? scenario.name : `${scenario.name}: a crash ${at.side} ${at.name} ${at.nth}`
    const pass = passing(life, simulator)
    const desk = shopOf(life, simulator, stripe, merchant, key)
    yield* walk(desk, pass, scenario.before, where)
    yield* life.service.atRest
    const whole = Effect.andThen(walk(desk, pass, scenario.steps, where), pass(finishing))
    const { died, passed } = yield* life.watch(whole, at)
    if (!died) return { books: yield* endOf(life, simulator, desk, where), died, passed, where }

    yield* life.bury
    life = yield* live(database, yield* timeOf(life.service), env)
    // The process may have died while time passed.
    const { now } = yield* simulator.control.state({})
    const behind = now - (yield* timeOf(life.service)) / 1_000
    if (behind > 0) yield* life.service.pass(`${behind} seconds`)
    const again = shopOf(life, simulator, stripe, merchant, key)
    const passAgain = passing(life, simulator)
    yield* walk(again, passAgain, [scenario.before[0]!, ...scenario.steps], where)
    yield* passAgain(finishing)
    return { books: yield* endOf(life, simulator, again, where), died, passed, where }
  })

  const plain = yield* run()
  const { book, row } = scenario.ends
  assert.isTrue(
    plain.books.ours[book].some((each) => row.test(each)),
    `${scenario.name} ends as ${row}: ${JSON.stringify(plain.books.ours[book])}`
  )
  /** Whether it died, and then had the same books as without. */
  const crash = Effect.fnUntraced(function* (at: Point & { readonly side: Side }) {
    const { books, died, where } = yield* run(at)
    const ours = hasFreeze(books.ours) && !hasFreeze(plain.books.ours) ? withoutFreeze(books.ours) : books.ours
    assert.deepStrictEqual({ ...books, ours }, plain.books, where)
    return died
  })

  const table: Array<Row> = []
  for (const at of chosen(plain.passed.filter(isCovered))) {
    const exit = yield* Effect.exit(crash(at))
    // Its account is no longer asked.
    yield* life.service.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
    const row: Row = { scenario: scenario.name, ...at, died: Exit.isFailure(exit) || exit.value }
    table.push(Exit.isSuccess(exit) ? row : { ...row, trouble: Cause.pretty(exit.cause).slice(0, 500) })
    if (isSoak) process.stdout.write(`${lineOf(table.at(-1)!)}\n`)
  }
  return table
}, Effect.scoped)

describe("a live merchant with an account at Stripe", () => {
  it.live("has the same books as Stripe, and as without it, whatever step its process dies at", () =>
    Effect.gen(function* () {
      const some = those.slice(firstScenario, firstScenario + scenariosMax)
      const table = (yield* Effect.forEach(some, everyCrash, { concurrency: 4 })).flat()
      process.stdout.write(`\n${table.map(lineOf).join("\n")}\n${table.length} crashes\n`)
      assert.deepStrictEqual(
        table.filter(({ trouble }) => trouble !== undefined),
        [],
        "each has the same books"
      )
      assert.isAtLeast(table.filter(({ died }) => died).length, table.length * 0.95, "nearly all come to their end")
    })
  )
})
