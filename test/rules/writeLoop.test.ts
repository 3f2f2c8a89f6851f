/**
 * The loop around one command: when the object is read, when it is decided again, and what the caller is told
 * (docs/decisions/0019).
 */
import { nothing } from "@coffer/rules/Consequence"
import { RefundRefused } from "@coffer/rules/order/Order"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Metric } from "effect"
import { idempotencyKeys } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { insertion } from "../../src/money/orders/OrderStore.ts"
import { AlreadyExists, NotCommitted, renumberedMax, StaleVersion } from "../../src/platform/commit/Change.ts"
import type { CarriedOut } from "../../src/money/wallets/Instructions.ts"
import { type Entry, noEntry } from "../../src/money/wallets/Wallets.ts"
import { ledger } from "../../src/money/wallets/WalletStore.ts"
import {
  answer,
  count,
  Full,
  instruction,
  makeCounting,
  Missing,
  movement,
  order,
  row,
  staleOwn,
  takenOwn,
  tradeNo
} from "../kit/rules/countingLoop.ts"
import { pendingOrder } from "../kit/rules/fixtures.ts"

const staleKey = new StaleVersion({ table: "idempotency_keys", key: "claim" })
const overtaken = new NotCommitted({ reason: "overtaken" })
const owned = { kind: "counts", rememberedMax: 5 }
const failed = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(effect)

/** By all fields: two errors of one name are equal to the library, whatever their reasons. */
const assertFailed = (actual: object, expected: object) => assert.deepStrictEqual({ ...actual }, { ...expected })

describe("a command", () => {
  it.effect(
    "is decided on the object as it is read, committed in the object's lane, and gives the object after it",
    () =>
      Effect.gen(function* () {
        const { loop, seen } = yield* makeCounting()
        assert.deepStrictEqual(yield* loop.perform("c", { add: 2 }), count(12))
        assert.deepStrictEqual([seen.lanes, seen.sets, seen.ways], [["c"], [["10 by 12"]], ["commit"]])
      })
  )

  it.effect("changes the row beside its object, which is read before each decision", () =>
    Effect.gen(function* () {
      let reads = 0
      const related = {
        read: (id: string) => Effect.sync(() => `${id} read ${++reads}`),
        changes: (id: string, before: string) => [row(ledger, `${id} beside`, before)]
      }
      const staleBeside = new StaleVersion({ table: "ledger", key: "c beside" })
      const { loop, seen } = yield* makeCounting({ related, outcomes: [staleBeside, undefined] })
      yield* loop.perform("c", { add: 1 })
      assert.deepStrictEqual([reads, seen.befores], [2, ["c read 1", "c read 2"]])
    })
  )

  it.effect("goes to the wallet if it moves or promises money, and to the order if the order has to do its part", () =>
    Effect.gen(function* () {
      for (const [follows, way] of [
        [{}, "commit"],
        [{ movements: [movement] }, "post"],
        [{ reserve: -1 }, "post"],
        [{ order }, "order"],
        [{ order, movements: [movement], reserve: 1 }, "order"]
      ] as const) {
        const { loop, seen } = yield* makeCounting({ follows })
        yield* loop.perform("c", { add: 1 })
        assert.deepStrictEqual([seen.ways, seen.sets], [[way], [["10 by 11"]]])
      }
    })
  )

  it.effect("is decided again on a new read when another writer was first, and a bounded number of times", () =>
    Effect.gen(function* () {
      for (const outcome of [staleOwn, takenOwn]) {
        const { loop, seen } = yield* makeCounting({ outcomes: [outcome, outcome, undefined], sums: [10, 20, 30] })
        assert.deepStrictEqual(yield* loop.perform("c", { add: 1 }), count(31))
        assert.deepStrictEqual(seen.sets, [["10 by 11"], ["20 by 21"], ["30 by 31"]])
        const never = yield* makeCounting({ outcomes: [outcome] })
        assertFailed(yield* failed(never.loop.perform("c", { add: 1 })), new NotCommitted({ reason: "overloaded" }))
        assert.lengthOf(never.seen.sets, 3)
      }
    })
  )

  it.effect("is decided again if its order has performed it already, and its answer was lost", () =>
    Effect.gen(function* () {
      const not = (reason: RefundRefused["reason"]) => new RefundRefused({ tradeNo, reason, remaining: 0 })
      const lost = yield* makeCounting({ outcomes: [not("not_promised"), undefined] })
      yield* lost.loop.perform("c", { add: 1 })
      assert.lengthOf(lost.seen.sets, 2)
      const refused = yield* makeCounting({ outcomes: [not("nothing_left")] })
      assertFailed(yield* failed(refused.loop.perform("c", { add: 1 })), not("nothing_left"))
      assert.lengthOf(refused.seen.sets, 1)
    })
  )

  it.effect("fails immediately if the failure is not about the object, and its caller gets that failure", () =>
    Effect.gen(function* () {
      for (const failure of [
        new NotCommitted({ reason: "unknown" }),
        new NotCommitted({ reason: "overloaded" }),
        new InsufficientBalance({ usable: 3 }),
        new AlreadyExists({ table: "orders", key: "another" }),
        new AlreadyExists({ table: "ledger", key: "c" })
      ]) {
        const { loop, seen } = yield* makeCounting({ outcomes: [failure] })
        assertFailed(yield* failed(loop.perform("c", { add: 1 })), failure)
        assert.lengthOf(seen.sets, 1)
      }
    })
  )

  it.effect("tells its caller of a stale row that the caller brought, and of no other row", () =>
    Effect.gen(function* () {
      const stale = new StaleVersion({ table: "ledger", key: "w" })
      const entry = { ...noEntry, changes: [row(ledger, "w", 1)] }
      for (const [brought, outcome, told] of [
        [entry, stale, stale],
        [undefined, stale, new NotCommitted({ reason: "overloaded" })],
        [entry, new StaleVersion({ table: "ledger", key: "v" }), new NotCommitted({ reason: "overloaded" })]
      ] as const) {
        const { loop, seen } = yield* makeCounting({ outcomes: [outcome] })
        assertFailed(yield* failed(loop.perform("c", { add: 1 }, { entry: brought })), told)
        assert.lengthOf(seen.sets, 1)
      }
    })
  )

  it.effect("takes new numbers when lists have passed its own: this is no attempt, and is done so often at most", () =>
    Effect.gen(function* () {
      const passed = Array.from({ length: renumberedMax }, () => overtaken)
      const written = yield* makeCounting({ outcomes: [...passed, undefined], attemptsMax: 1 })
      // An update brings no number.
      const entry: Entry = { ...noEntry, changes: [row(ledger, "w", 1)] }
      assert.deepStrictEqual(yield* written.loop.perform("c", { add: 1 }, { entry }), count(11))
      const never = yield* makeCounting({ outcomes: [overtaken] })
      assertFailed(yield* failed(never.loop.perform("c", { add: 1 })), overtaken)
      assert.lengthOf(never.seen.sets, renumberedMax + 1)
    })
  )

  it.effect("leaves numbers that its caller brought to the caller", () =>
    Effect.gen(function* () {
      const entry: Entry = { ...noEntry, changes: [insertion(pendingOrder)] }
      const { loop, seen } = yield* makeCounting({ outcomes: [overtaken] })
      assertFailed(yield* failed(loop.perform("c", { add: 1 }, { entry })), overtaken)
      assert.lengthOf(seen.sets, 1)
    })
  )

  it.effect("commits before it refuses, and raises the alarm of each fact when that is committed", () =>
    Effect.gen(function* () {
      const refused = yield* makeCounting()
      assertFailed(yield* failed(refused.loop.perform("c", { add: 2, atMost: 5 })), new Full())
      assert.deepStrictEqual([refused.seen.sets, refused.seen.alarms], [[["10 by 11"]], ["c 1"]])
      assert.strictEqual(refused.seen.loads, 1)
      const quiet = yield* makeCounting()
      yield* quiet.loop.perform("c", { add: 7 })
      assert.deepStrictEqual(quiet.seen.alarms, [])
      const lost = yield* makeCounting({ outcomes: [new NotCommitted({ reason: "unknown" })] })
      yield* failed(lost.loop.perform("c", { add: 2 }))
      assert.deepStrictEqual(lost.seen.alarms, [])
    })
  )

  it.effect("is committed with its answer, unless it is refused", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting()
      yield* loop.perform("c", { add: 1 }, { answer })
      yield* Effect.exit(loop.perform("c", { add: 2, atMost: 5 }, { answer }))
      assert.deepStrictEqual(seen.sets, [["10 by 11", "idempotency_keys"], ["10 by 11"]])
    })
  )

  it.effect(
    "of a request whose key another has taken over is not written, unless the channel's word must not be lost",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(staleKey.table, idempotencyKeys.name)
        const usual = yield* makeCounting({ outcomes: [staleKey, undefined] })
        const told = yield* failed(usual.loop.perform("c", { add: 1 }, { answer }))
        assertFailed(told, new NotCommitted({ reason: "overloaded" }))
        assert.lengthOf(usual.seen.sets, 1)
        const channels = yield* makeCounting({ outcomes: [staleKey, undefined], outlivesRequest: true })
        yield* channels.loop.perform("c", { add: 1 }, { answer })
        assert.deepStrictEqual(channels.seen.sets, [["10 by 11", "idempotency_keys"], ["10 by 11"]])
        const other = yield* makeCounting({
          outcomes: [new StaleVersion({ table: "ledger", key: "w" })],
          outlivesRequest: true
        })
        yield* failed(other.loop.perform("c", { add: 1 }, { answer }))
        assert.lengthOf(other.seen.sets, 1)
      })
  )
})

describe("an object that this runner owns", () => {
  it.effect("is read once: the next command is decided on the object that the last one left", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting({ owned })
      yield* loop.perform("c", { add: 1 })
      yield* loop.perform("c", { add: 1 })
      assert.deepStrictEqual([seen.loads, seen.sets], [1, [["10 by 11"], ["11 by 12"]]])
    })
  )

  it.effect("is read before each command where every runner may write it", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting({ sums: [10, 20] })
      yield* loop.perform("c", { add: 1 })
      loop.offer({ state: count(15), version: 15 })
      yield* loop.perform("c", { add: 1 })
      assert.deepStrictEqual([seen.loads, seen.sets], [2, [["10 by 11"], ["20 by 21"]]])
    })
  )

  it.effect("is taken as its caller has written it where every runner may write it, and read if that is old", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting({ outcomes: [staleOwn, undefined] })
      yield* loop.perform("c", { add: 1 }, { known: { state: count(40), version: 4 } })
      assert.deepStrictEqual([seen.loads, seen.sets], [1, [["4 by 41"], ["10 by 11"]]])
    })
  )

  it.effect("is taken as its reader has just read it", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting({ owned })
      loop.offer({ state: count(40), version: 4 })
      yield* loop.perform("c", { add: 1 })
      assert.deepStrictEqual([seen.loads, seen.sets], [0, [["4 by 41"]]])
    })
  )

  it.effect("is read again before a command is refused, or found to have nothing to do", () =>
    Effect.gen(function* () {
      for (const [command, sets] of [
        [{ add: 1, atMost: 30 }, [["10 by 11"]]],
        [{ add: 2, atMost: 30 }, [["10 by 12"]]],
        [{ add: 0 }, [[]]]
      ] as const) {
        const { loop, seen } = yield* makeCounting({ owned })
        loop.offer({ state: count(40), version: 4 })
        yield* loop.perform("c", command)
        assert.deepStrictEqual([seen.loads, seen.sets], [1, sets])
      }
    })
  )

  it.effect("is read again after a commit that failed", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting({ owned, outcomes: [staleOwn, undefined] })
      loop.offer({ state: count(40), version: 4 })
      yield* loop.perform("c", { add: 1 })
      assert.deepStrictEqual([seen.loads, seen.sets], [1, [["4 by 41"], ["10 by 11"]]])
      const lost = yield* makeCounting({ owned, outcomes: [new NotCommitted({ reason: "unknown" })] })
      lost.loop.offer({ state: count(40), version: 4 })
      yield* failed(lost.loop.perform("c", { add: 1 }))
      yield* failed(lost.loop.perform("c", { add: 1 }))
      assert.strictEqual(lost.seen.loads, 1)
    })
  )

  it.effect(
    "takes one command after the other; if every runner may write the object, they are decided concurrently",
    () =>
      Effect.gen(function* () {
        for (const [isOwned, decided] of [
          [true, 1],
          [false, 2]
        ] as const) {
          const held = yield* Deferred.make<void>()
          let reads = 0
          const load = () =>
            Effect.suspend(() => {
              reads++
              return Effect.as(Deferred.await(held), { state: count(10), version: 10 })
            })
          const { loop } = yield* makeCounting({ load, ...(isOwned ? { owned } : {}) })
          const both = yield* Effect.forkChild(
            Effect.all([loop.perform("c", { add: 1 }), loop.perform("c", { add: 1 })], { concurrency: 2 })
          )
          yield* Effect.yieldNow
          assert.strictEqual(reads, decided)
          yield* Deferred.succeed(held, undefined)
          yield* Fiber.join(both)
        }
      })
  )

  it.effect("is counted by its kind while a command is at work on it", () =>
    Effect.gen(function* () {
      yield* makeCounting({ owned: { ...owned, kind: "counts of a test" } })
      const kinds = (yield* Metric.snapshot).map(({ attributes }) => attributes?.["kind"])
      assert.include(kinds, "counts of a test")
    })
  )
})

describe("a creation", () => {
  it.effect("is written in the lane of the object, or in the one that is named", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting()
      assert.deepStrictEqual(yield* loop.create(count(1), nothing), count(1))
      yield* loop.create(count(2), nothing, { lane: "named", changes: [row(ledger, "w", 1)], answer })
      assert.deepStrictEqual(
        [seen.lanes, seen.sets],
        [
          ["c", "named"],
          [["new 1"], ["new 2", "ledger", "idempotency_keys"]]
        ]
      )
    })
  )

  it.effect("causes an event only if its consequence says so", () =>
    Effect.gen(function* () {
      const { loop, seen } = yield* makeCounting()
      yield* loop.create(count(1), nothing)
      assert.strictEqual(seen.recorders, 0)
      yield* loop.create(count(1), { ...nothing, announced: "dispute.created" })
      assert.deepStrictEqual([seen.recorders, seen.sets], [1, [["new 1"], ["new 1", "ledger"]]])
    })
  )

  it.effect("fails as overloaded when a row that came with it is stale, and as it is otherwise", () =>
    Effect.gen(function* () {
      for (const [outcome, told] of [
        [new StaleVersion({ table: "ledger", key: "w" }), new NotCommitted({ reason: "overloaded" })],
        [takenOwn, takenOwn],
        [new InsufficientBalance({ usable: 0 }), new InsufficientBalance({ usable: 0 })]
      ] as const) {
        const { loop, seen } = yield* makeCounting({ outcomes: [outcome] })
        assertFailed(yield* failed(loop.create(count(1), nothing)), told)
        assert.lengthOf(seen.sets, 1)
      }
    })
  )

  it.effect("has the instruction for another runner", () =>
    Effect.gen(function* () {
      const { loop } = yield* makeCounting()
      const told = { name: "create", encoded: () => 1 }
      const names = (carried: CarriedOut) => ("instructions" in carried ? carried.instructions : [])
      assert.deepStrictEqual(names(yield* loop.carryOutNew(count(1), nothing)), [])
      assert.deepStrictEqual(names(yield* loop.carryOutNew(count(1), nothing, { instruction: told })), [told])
    })
  )
})

describe("a command that another runner has performed", () => {
  const performed = (version: number, add = 1) => ({ id: "c", version, command: { add }, answer })

  it.effect("comes to the same rows here when the object is at the version that the other runner has seen", () =>
    Effect.gen(function* () {
      const { carryOut } = yield* makeCounting({ instruction, owned })
      const { changes, performed: command } = yield* carryOut(performed(10))
      assert.deepStrictEqual(
        changes.map(({ table }) => table),
        ["orders", "idempotency_keys"]
      )
      assert.deepStrictEqual(command, { add: 1 })
    })
  )

  it.effect("is stale at any other version, and if there is nothing to do", () =>
    Effect.gen(function* () {
      const { carryOut } = yield* makeCounting({ instruction })
      for (const command of [performed(9), performed(11), performed(10, 0), performed(9, 0)]) {
        assertFailed(yield* failed(carryOut(command)), staleOwn)
      }
    })
  )

  it.effect("is refused for an unknown object: no runner has performed it", () =>
    Effect.gen(function* () {
      const { carryOut } = yield* makeCounting({ instruction, load: () => Effect.fail(new Missing()) })
      assertFailed(yield* failed(carryOut(performed(1))), new NotCommitted({ reason: "rejected" }))
    })
  )

  it.effect("is not awaited for objects that have no instruction", () =>
    Effect.gen(function* () {
      const { carryOut } = yield* makeCounting()
      assert.isTrue(Exit.isFailure(yield* Effect.exit(carryOut(performed(10)))))
    })
  )
})
