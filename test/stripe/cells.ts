/**
 * Cells of the table of faults, and how they run: all of them in one service, step by step together, each
 * by a merchant and an account at Stripe of its own. Time passes for all of them at once.
 */
import { Cause, type Duration, Effect, Exit } from "effect"
import { Patience } from "../../src/channels/stripe/StripeGuard.ts"
import { eventTypes } from "../../src/channels/stripe/notices.ts"
import { booksOf } from "../kit/stories/merchantBooks.ts"
import { isSoak } from "../kit/run/soak.ts"
import { assertEqualBooks, booksAtStripe } from "./books.ts"
import { type Call, type Column, nameOf, ruleOf } from "./columns.ts"
import { type Desk, deskOf } from "./desk.ts"
import { connectedAs, type World } from "./kit.ts"
import type { Scenario, Step } from "./scenarios.ts"

export interface Cell {
  readonly scenario: Scenario
  /** None: a run without a fault. */
  readonly at?: { readonly call: Call; readonly column: Column }
}

/** The outcome of a cell. */
export interface Outcome extends Cell {
  readonly passed: ReadonlyArray<Call>
  readonly books: Books | undefined
  readonly problem: string | undefined
}

export type Books = Effect.Success<ReturnType<typeof endOf>>

interface Running extends Cell {
  readonly desk: Desk
  problem: string | undefined
}

/** Counts each account's calls from the request on, and reports each. */
export const makeWatch = () => {
  const seen = new Map<string, { counts: Map<string, number>; passed: Array<Call>; onCall: (call: Call) => void }>()
  return {
    watch: (text: string, account: string) => {
      const of = seen.get(account)
      if (of === undefined) return
      const name = nameOf(text)
      const call = { name, nth: (of.counts.get(name) ?? 0) + 1 }
      of.counts.set(name, call.nth)
      of.passed.push(call)
      of.onCall(call)
    },
    begin: (account: string, onCall: (call: Call) => void = () => {}) =>
      void seen.set(account, { counts: new Map(), passed: [], onCall }),
    passedBy: (account: string): ReadonlyArray<Call> => seen.get(account)?.passed ?? []
  }
}

type Watch = ReturnType<typeof makeWatch>

/** The limit of a step, in rounds of a while each. */
const roundsMax = 12
const parallel = 24

interface Pace {
  /** After each round of a step that is not done; then again from the first one. */
  readonly pauses: ReadonlyArray<Duration.Input>
  /** After the last step. */
  readonly after: ReadonlyArray<Duration.Input>
  /** Whether Stripe is asked for events and movements where a fault occurs, which costs much in a day. */
  readonly polls: boolean
}
export const paces: Readonly<Record<"short" | "long", Pace>> = {
  short: { pauses: ["1 minute", "4 minutes"], after: ["10 minutes", "10 minutes"], polls: true },
  long: { pauses: ["1 minute", "4 minutes", "25 hours"], after: ["1 hour", "25 hours", "1 hour"], polls: isSoak }
}

/** More than all concurrent failures: one cell's failure does not make Stripe down for the others. */
export const withoutBreaker = [
  Patience,
  { calls: 1_000_000, merchants: 1_000_000, answerMillis: 2_000, pauseMillis: 1 }
] as const

export const makeTable = (world: World, watch: Watch, { after, pauses, polls }: Pace) => {
  const { control } = world.simulator
  const rest = Effect.andThen(control.rest({}), world.atRest)
  /** Existing accounts are no longer asked: later ones cost the same. */
  const unpolled = world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
  let opened = 0

  const open = Effect.fnUntraced(function* (cell: Cell) {
    const merchant = yield* world.api.newMerchant()
    const key = `sk_test_cell${++opened}`
    yield* connectedAs(world, merchant, key, { events: eventTypes })
    const of = { running: world, simulator: world.simulator, merchant, key, mode: "sandbox" as const }
    const running: Running = { ...cell, desk: deskOf({ ...of, stripe: world.clientOf(key) }), problem: undefined }
    return running
  })

  /** One step of all of them, until each has done it. */
  const step = Effect.fnUntraced(function* (
    cells: ReadonlyArray<Running>,
    stepOf: (cell: Running) => Step | undefined
  ) {
    let waiting = cells.filter((cell) => cell.problem === undefined && stepOf(cell) !== undefined)
    for (let round = 1; waiting.length > 0; round++) {
      const exits = yield* Effect.forEach(waiting, (cell) => Effect.exit(stepOf(cell)!(cell.desk)), {
        concurrency: parallel
      })
      for (const [index, exit] of exits.entries()) {
        if (Exit.isFailure(exit)) waiting[index]!.problem = Cause.pretty(exit.cause)
      }
      waiting = waiting.filter((_, index) => {
        const exit = exits[index]!
        return Exit.isSuccess(exit) && !exit.value
      })
      yield* rest
      yield* Effect.forEach(
        cells.filter(({ at }) => at?.column.thenAway === true),
        ({ at, desk }) => (isReached(watch, desk, at!.call) ? desk.calm : Effect.void)
      )
      if (waiting.length === 0) return
      if (round === roundsMax) for (const cell of waiting) cell.problem = "a step is never done"
      yield* world.leap(pauses[(round - 1) % pauses.length]!)
      yield* rest
    }
  })

  const walk = Effect.fnUntraced(function* (cells: ReadonlyArray<Running>, part: "before" | "steps") {
    const length = Math.max(...cells.map(({ scenario }) => scenario[part].length))
    for (let index = 0; index < length; index++) yield* step(cells, ({ scenario }) => scenario[part][index])
  })

  return Effect.fnUntraced(function* (cells: ReadonlyArray<Cell>) {
    const running = yield* Effect.forEach(cells, open, { concurrency: 8 })
    yield* walk(running, "before")
    yield* world.leap("1 minute")
    yield* rest
    yield* Effect.forEach(running, (cell) => arm(watch, control, cell))
    if (!polls && cells.some(({ at }) => at !== undefined)) yield* unpolled
    yield* walk(running, "steps")
    for (const time of after) yield* Effect.andThen(world.leap(time), rest)
    yield* unpolled
    return yield* Effect.forEach(running, (cell) => outcomeOf(world, watch, cell))
  })
}

/** From here its calls are counted, and the chosen one fails. */
const arm = (watch: Watch, control: World["control"], { at, desk }: Running) =>
  Effect.gen(function* () {
    const { account } = desk
    if (at === undefined) return watch.begin(account)
    yield* desk.fault(ruleOf(at.call, at.column))
    const away = { on: "* /v1/*", kind: "cut_before", times: 10_000, account } as const
    watch.begin(account, ({ name, nth }) => {
      const isIt = name === at.call.name && nth === at.call.nth
      if (isIt && at.column.thenAway === true) Effect.runSync(control.fault(away))
    })
  })

/** The outcome of a cell, at its end. */
const outcomeOf = Effect.fnUntraced(function* (world: World, watch: Watch, { at, desk, problem, scenario }: Running) {
  const cell: Cell = at === undefined ? { scenario } : { scenario, at }
  const passed = watch.passedBy(desk.account)
  const end = problem === undefined ? yield* Effect.exit(endOf(world, desk)) : undefined
  const books = end !== undefined && Exit.isSuccess(end) ? end.value : undefined
  const why = end !== undefined && Exit.isFailure(end) ? Cause.pretty(end.cause) : problem
  const outcome: Outcome = { ...cell, passed, books, problem: why }
  return outcome
})

const isReached = ({ passedBy }: Watch, { account }: Desk, call: Call) =>
  passedBy(account).some(({ name, nth }) => name === call.name && nth === call.nth)

const endOf = Effect.fnUntraced(function* ({ simulator, sql }: World, { account, merchant, open }: Desk) {
  const { merchantId } = merchant
  yield* assertEqualBooks(sql, simulator, { account, merchantId }, account)
  return { ours: yield* booksOf(sql, merchant), theirs: booksAtStripe(simulator, account), open: open() }
})
