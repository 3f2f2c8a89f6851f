/**
 * The worker that leases due deliveries and begins them, without a database or sockets: how many it leases, what it
 * returns, and when it looks again (docs/decisions/0016).
 */
import { type Allotted, type DueLine, placesOf, placesPerLine, sumOf } from "@coffer/rules/delivery/places"
import { assert, it } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect, Exit, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Events } from "../../src/webhooks/events/Events.ts"
import { Merchants } from "../../src/access/merchants/Merchants.ts"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { type Work, Workers } from "../../src/platform/jobs/Workers.ts"
import * as MerchantClocks from "../../src/platform/runtime/MerchantClocks.ts"
import { Secrets } from "../../src/platform/runtime/Secrets.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import * as DeliveryJobs from "../../src/webhooks/deliveries/DeliveryJobs.ts"
import type { LeasedDelivery } from "../../src/webhooks/deliveries/deliveryResults.ts"
import {
  DeliveryStore,
  destinationsMax,
  type Lease,
  type LeaseOptions,
  oldestMax,
  type Position
} from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { EndpointHealth, makeUnwell } from "../../src/webhooks/deliveries/EndpointHealth.ts"
import { Outbound, type Outcome } from "../../src/webhooks/deliveries/Outbound.ts"
import { machineClock } from "../kit/rules/machineClock.ts"

const line = (destination: string, due: number, merchantId = "m"): DueLine => ({
  mode: "sandbox",
  merchantId,
  destination,
  due
})
const answered: Outcome = { _tag: "Answered", status: 200, snippet: "" }
const secrets = { current: "sealed", rotatedAt: null, old: [] }
const webhooks = { endpoints: [], signing: secrets }
const merchant = { merchant_id: "m", modes: { live: { webhooks }, sandbox: { webhooks } } }

/** Posts have no answer until `answer` gives one to the oldest of them, unless `outcome` is one. */
const world = Effect.fnUntraced(function* (outcome?: Outcome, recording: Effect.Effect<void> = Effect.void) {
  const posts: Array<string> = []
  const unanswered: Array<(outcome: Effect.Effect<Outcome>) => void> = []
  const given: Array<string> = []
  const leases: Array<LeaseOptions> = []
  const seen = { held: 0, looks: 0, passed: 0 }
  const database = {
    due: new Array<DueLine>(),
    nextDue: Option.none<DateTime.Utc>(),
    /** Lines of a sandbox, in pages; a page begins behind the destination by which it is kept. */
    pages: new Map<string, ReadonlyArray<DueLine>>(),
    asked: new Array<string>(),
    walked: new Array<string>()
  }
  const leasedOf = ({ destination, merchantId, mode, places }: Allotted) =>
    Array.from({ length: places }, (_, n) => {
      const known = { id: `${destination} ${n}`, mode, destination, merchant_id: merchantId, endpoint_id: null }
      return { ...known, event_id: "evt", type: "t", url: `https://${destination}/`, attempts: 0 } as LeasedDelivery
    })
  const store = {
    oldest: () => Effect.sync(() => (seen.looks++, database.due)),
    walk: (_: DateTime.Utc, { mode }: Position) =>
      Effect.sync(() => {
        database.walked.push(mode)
        const due = database.due.filter((one) => one.mode === mode)
        return due.map(({ destination, due, merchantId }) => ({
          merchant_id: merchantId,
          is_due: true,
          destination,
          due: Math.min(due, 8)
        }))
      }),
    lease: (options: LeaseOptions) =>
      Effect.sync(() => {
        leases.push(options)
        database.due = []
        return options.lines.flatMap(leasedOf)
      }),
    giveBack: (all: ReadonlyArray<Lease>) =>
      Effect.sync(() => void given.push(...all.map(({ delivery }) => delivery.id))),
    record: () => recording,
    nextDue: () => Effect.sync(() => database.nextDue),
    linesOf: (_: string, { after }: { readonly after: string }) =>
      Effect.sync(() => (database.asked.push(after), database.pages.get(after) ?? []))
  }
  const works: Array<Work> = []
  const worker = {
    wake: () => undefined,
    hold: () => void seen.held++,
    release: () => void seen.held--
  }
  let raise: (isOwn: boolean) => void = () => undefined
  const services = Layer.mergeAll(
    Layer.succeed(Workers, {
      supervise: (make: (one: typeof worker) => Work) => Effect.sync(() => void works.push(make(worker)))
    } as unknown as Workers["Service"]),
    Layer.succeed(Wakeups, {
      onRaise: (_: string, listener: typeof raise) => Effect.sync(() => void (raise = listener)),
      pass: () => void seen.passed++
    } as unknown as Wakeups["Service"]),
    Layer.succeed(DeliveryStore, store as unknown as DeliveryStore["Service"]),
    Layer.succeed(EndpointHealth, { unwell: makeUnwell() } as EndpointHealth["Service"]),
    Layer.succeed(Merchants, { find: () => Effect.succeed(merchant) } as unknown as Merchants["Service"]),
    Layer.succeed(Secrets, { decrypt: () => "whsec_AAAA" } as unknown as Secrets["Service"]),
    Layer.succeed(Events, { deliverable: () => "{}" } as unknown as Events["Service"]),
    Layer.succeed(Settings, { allowPrivateWebhooks: false } as Settings["Service"]),
    Layer.succeed(Outbound, {
      post: ({ url }) => {
        posts.push(url)
        return outcome === undefined
          ? Effect.callback<Outcome>((resume) => void unanswered.push(resume))
          : Effect.succeed(outcome)
      }
    }),
    MerchantClocks.layer
  )
  const scope = yield* Scope.fork(yield* Effect.scope)
  yield* Layer.buildWithScope(Layer.provide(DeliveryJobs.layer, services), scope)
  const work = works[0]!
  return {
    answer: (answer: Outcome = answered) =>
      Effect.suspend(() => {
        unanswered.shift()!(Effect.succeed(answer))
        return Effect.replicateEffect(Effect.yieldNow, 10, { discard: true })
      }),
    close: Scope.close(scope, Exit.void),
    database,
    given,
    leases,
    next: Effect.map(work.next, Option.map(DateTime.toEpochMillis)),
    posts,
    raise: (isOwn: boolean) => raise(isOwn),
    seen,
    work
  }
})

it.effect("what is due is leased for half a minute, as far as there are places, and begun", () =>
  Effect.gen(function* () {
    const { database, leases, posts, seen, work } = yield* world()
    assert.deepInclude(work, { callsOutside: true, wakeup: "deliveries", passesOn: false })
    yield* TestClock.setTime(1_000)
    database.due = [line("a", 2), line("b", 8)]
    assert.strictEqual(yield* work.run, 10)
    yield* Effect.yieldNow
    assert.deepStrictEqual([posts.length, seen.held], [10, 10])
    const [leased] = leases
    assert.deepStrictEqual(leased!.leaseUntil, DateTime.makeUnsafe(31_000))
    assert.deepStrictEqual(
      leased!.lines.map(({ places }) => places),
      [2, 8]
    )
    const full = yield* world()
    full.database.due = [line("a", placesPerLine + 8)]
    assert.strictEqual(yield* full.work.run, placesPerLine)
  })
)

it.effect("where nothing is due nothing is leased, and the next look is when a row is due or a lease ends", () =>
  Effect.gen(function* () {
    const { database, leases, next, work } = yield* world({ _tag: "NotDelivered", reason: "proxy", detail: "502" })
    assert.strictEqual(yield* work.run, 0)
    assert.isEmpty(leases)
    assert.deepStrictEqual(yield* next, Option.none())
    database.nextDue = Option.some(DateTime.makeUnsafe(60_000))
    assert.deepStrictEqual(yield* next, Option.some(60_000))
    // The operator's proxy failed, which leaves no trace in the row.
    database.due = [line("a", 1)]
    assert.strictEqual(yield* work.run, 1)
    yield* Effect.yieldNow
    assert.deepStrictEqual(yield* next, Option.some(30_000))
    database.nextDue = Option.none()
    assert.deepStrictEqual(yield* next, Option.some(30_000))
    database.nextDue = Option.some(DateTime.makeUnsafe(20_000))
    assert.deepStrictEqual(yield* next, Option.some(20_000))
  })
)

it.effect("new ones that this runner has committed and has no place for go to others, once, and no others do", () =>
  Effect.gen(function* () {
    const { database, next, raise, seen, work } = yield* world()
    const quiet = yield* world()
    quiet.database.due = [line("a", placesPerLine + 1)]
    yield* quiet.work.run
    yield* quiet.next
    assert.strictEqual(quiet.seen.passed, 0, "nothing was ever new")
    raise(true)
    yield* next
    assert.strictEqual(seen.passed, 0, "places are free and nothing is left")
    database.due = [line("a", placesPerLine + 1)]
    yield* work.run
    yield* next
    assert.strictEqual(seen.passed, 0, "nothing is new")
    raise(false)
    yield* next
    assert.strictEqual(seen.passed, 0, "another runner's")
    raise(true)
    raise(false)
    yield* next
    assert.strictEqual(seen.passed, 1)
    yield* next
    assert.strictEqual(seen.passed, 1)
  })
)

it.effect(
  "of a backlog more are leased than there are places for, and given back when they have waited or it stops",
  () =>
    Effect.gen(function* () {
      for (const how of ["waited", "stops"] as const) {
        const { close, database, given, next, posts, seen, work } = yield* world()
        yield* TestClock.setTime(0)
        database.due = Array.from({ length: 20 }, (_, n) => line(`${n}.example`, oldestMax))
        const leased = yield* work.run
        yield* Effect.yieldNow
        const waiting = leased - posts.length
        assert.isAbove(waiting, 0)
        assert.strictEqual(seen.held, leased)
        assert.isEmpty(given)
        if (how === "stops") yield* close
        else {
          // Few wait, so the worker would look for more; nothing is due now.
          database.due = []
          assert.strictEqual(yield* work.run, 0)
          assert.deepStrictEqual(yield* next, Option.some(5_000))
          yield* TestClock.setTime(4_999)
          yield* work.run
          assert.isEmpty(given)
          yield* TestClock.setTime(5_000)
          yield* work.run
          assert.strictEqual(seen.held, posts.length)
        }
        assert.lengthOf(given, waiting)
      }
    })
)

it.effect("of a sandbox whose clock was moved the lines are read page by page, until some were begun", () =>
  Effect.gen(function* () {
    const { database, posts, seen, work } = yield* world()
    const { isPosting, run } = work.ofSandbox!
    assert.isTrue(isPosting)
    const idle = Array.from({ length: destinationsMax }, (_, n) => line(`d${n}`, 0))
    database.pages.set("", idle)
    database.pages.set(`d${destinationsMax - 1}`, [line("e", 0), line("f", 3)])
    assert.strictEqual(yield* run("m"), 3)
    yield* Effect.yieldNow
    assert.strictEqual(posts.length, 3)
    assert.deepStrictEqual(database.asked, ["", `d${destinationsMax - 1}`])
    database.pages.set("", [...idle.slice(1), line("first", 1)])
    assert.strictEqual(yield* run("m"), 1)
    database.pages.set("", idle.slice(1))
    assert.strictEqual(yield* run("m"), 0)
    assert.deepStrictEqual(database.asked.slice(2), ["", ""])
    // None waits for a place: a leased row would stop its sandbox's clock.
    database.pages.set(
      "",
      Array.from({ length: 30 }, (_, n) => line(`${n}.example`, 8))
    )
    assert.isAbove(yield* run("m"), 0)
    yield* Effect.yieldNow
    assert.strictEqual(seen.held, posts.length)
  })
)

it.effect("nothing is leased while 1,024 results wait to be written", () =>
  Effect.gen(function* () {
    const go = yield* Deferred.make<void>()
    const { database, seen, work } = yield* world(answered, Deferred.await(go))
    for (let n = 0; n < 1_024 / placesPerLine; n++) {
      database.due = [line(`${n}.example`, placesPerLine)]
      assert.strictEqual(yield* work.run, placesPerLine)
      yield* TestClock.adjust(1)
    }
    const { looks } = seen
    database.due = [line("more.example", 1)]
    database.pages.set("", database.due)
    assert.strictEqual(yield* work.run, 0)
    assert.strictEqual(yield* work.ofSandbox!.run("m"), 0)
    assert.deepStrictEqual([seen.looks, database.asked], [looks, []])
    yield* Deferred.succeed(go, undefined)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* work.run, 1)
  })
)

/** More than can be read at once, for many destinations. */
const backlog = Array.from({ length: 20 }, (_, n) => line(`${n}.example`, oldestMax))

/** As many posts as there are places of a mode, each to a merchant of its own, in lines of each standing. */
const crowded = Effect.gen(function* () {
  const machine = yield* machineClock
  const one = yield* world()
  const { answer, database, posts, work } = one
  const merchants = (name: string, from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => line("shop.example", 1, `${name} ${from + n}`))
  const begin = Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>) {
    const before = posts.length
    machine.millis += 50
    database.due = [...due]
    yield* work.run
    yield* Effect.yieldNow
    return posts.length - before
  })
  const known = Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>, millis: number, outcome?: Outcome) {
    const begun = yield* begin(due)
    assert.strictEqual(begun, due.length)
    yield* TestClock.adjust(millis)
    yield* Effect.replicateEffect(answer(outcome), begun, { discard: true })
  })
  const { answers, hung, new: fresh } = placesOf
  yield* known(merchants("hung", 0, hung), 5_000, { _tag: "NotDelivered", reason: "timeout", detail: "" })
  for (const from of [0, fresh]) yield* known(merchants("well", from, from + fresh), 0)
  const last = merchants("hung", 0, hung)
  return { ...one, begin, due: [...last, ...merchants("well", 0, answers), ...merchants("new", 0, fresh)] }
})

it.effect("a mode without a free place is looked through only where few of its backlog wait", () =>
  Effect.gen(function* () {
    for (const isBacklog of [false, true]) {
      const { begin, database, due } = yield* crowded
      const [first, ...others] = due
      assert.strictEqual(yield* begin(isBacklog ? [{ ...first!, due: oldestMax }, ...others] : due), sumOf(placesOf))
      database.walked.length = 0
      yield* begin(backlog)
      assert.deepStrictEqual([...new Set(database.walked)], isBacklog ? ["live", "sandbox"] : ["live"])
    }
  })
)

it.effect("those that have waited while results could not be written are begun by the worker's next round", () =>
  Effect.gen(function* () {
    const machine = yield* machineClock
    const go = yield* Deferred.make<void>()
    const { answer, database, posts, work } = yield* world(undefined, Deferred.await(go))
    let leased = 0
    // The last of them end when no result can be added, and free their places.
    for (let ended = 0; ended < 1_024 + placesPerLine; ended++) {
      database.due = backlog
      if (ended % placesPerLine === 0) leased += yield* work.run
      yield* answer()
    }
    const begun = posts.length
    assert.isAbove(leased, begun)
    // Nothing more is due, and what the last look has found is forgotten.
    database.due = []
    machine.millis += 50
    assert.deepStrictEqual([yield* work.run, posts.length], [0, begun])
    yield* Deferred.succeed(go, undefined)
    yield* TestClock.adjust(1)
    assert.strictEqual(posts.length, begun)
    assert.strictEqual(yield* work.run, 0)
    yield* Effect.yieldNow
    assert.isAbove(posts.length, begun)
  })
)

it.effect("the worker looks again soon after it has begun some of many, and not where it could begin none", () =>
  Effect.gen(function* () {
    const machine = yield* machineClock
    const { database, next, work } = yield* world()
    const now = (yield* Clock.currentTimeMillis) + 50
    database.due = [line("a", placesPerLine + 8)]
    yield* work.run
    assert.deepStrictEqual([yield* next, yield* next], [Option.some(now), Option.none()])
    database.due = [line("a", 8)]
    assert.deepStrictEqual([yield* work.run, yield* next], [0, Option.none()])
    // After 50 ms the look is forgotten.
    database.due = [line("b", placesPerLine + 8)]
    machine.millis += 50
    assert.isAbove(yield* work.run, 0)
    machine.millis += 50
    assert.deepStrictEqual(yield* next, Option.none())
  })
)
