/**
 * Requests with an `Idempotency-Key` that take long, and rows of keys that cannot be written at once (silences: I6).
 * Both go by real time, which these tests move.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { reply } from "../../src/shared/http/replies.ts"
import { idempotencyKeys } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { NotCommitted, StaleVersion } from "../../src/platform/commit/Change.ts"
import { along, before, lost, makeKeyed } from "../kit/rules/keyedCalls.ts"
import { machineClock } from "../kit/rules/machineClock.ts"

const unknown = { error: new NotCommitted({ reason: "unknown" }) }
const stale = { error: new StaleVersion({ table: idempotencyKeys.name, key: "k" }) }

/** All that can run without waiting for time has run. */
const rest = Effect.replicateEffect(Effect.yieldNow, 200, { discard: true })

describe("a request that has taken longer than five seconds", () => {
  for (const route of [before, along]) {
    it.effect(`to ${route.path} has its answer before that is stored, and one of five seconds after it`, () =>
      Effect.gen(function* () {
        const machine = yield* machineClock
        for (const [millis, waits] of [
          [5_000, true],
          [5_001, false]
        ] as const) {
          const { send, state } = yield* makeKeyed()
          const stored = yield* Deferred.make<void>()
          const slow = Effect.sync(() => {
            machine.millis += millis
            state.meanwhile = Deferred.await(stored)
          })
          const fiber = yield* Effect.forkChild(send(Effect.andThen(slow, reply({ a: 1 })), {}, route))
          yield* rest
          assert.strictEqual(fiber.pollUnsafe() === undefined, waits, String(millis))
          yield* Deferred.succeed(stored, undefined)
          assert.strictEqual((yield* Fiber.join(fiber)).told, "200")
          yield* rest
          assert.strictEqual((yield* send(Effect.die("it ran"), {}, route)).told, "replayed 200")
        }
      })
    )
  }
})

describe("the end of a claim that cannot be written", () => {
  it.effect("is tried again each second while it is not known whether it was, 30 times at most", () =>
    Effect.gen(function* () {
      const machine = yield* machineClock
      for (const [failures, stored] of [
        [3, true],
        [31, true],
        [32, false]
      ] as const) {
        machine.sleeps.length = 0
        const { commits, rows, send, state } = yield* makeKeyed()
        state.failing = [undefined, ...Array.from({ length: failures }, () => unknown)]
        assert.strictEqual((yield* send(reply({ a: 1 }))).told, "200")
        yield* rest
        assert.deepStrictEqual(
          machine.sleeps,
          Array.from({ length: Math.min(failures, 31) }, () => 1_000)
        )
        assert.lengthOf(commits, 1 + Math.min(failures + 1, 32))
        assert.strictEqual([...rows.values()][0]!.state, stored ? "done" : "running")
      }
    })
  )

  it.effect("is not tried again where another request has taken the claim over", () =>
    Effect.gen(function* () {
      const machine = yield* machineClock
      const { commits, send, state } = yield* makeKeyed()
      state.failing = [undefined, unknown, stale, undefined]
      yield* send(reply({ a: 1 }))
      yield* rest
      assert.deepStrictEqual([machine.sleeps, commits], [[1_000], ["insert running", "update done", "update done"]])
    })
  )

  it.effect("frees a claim of which its own request never learnt that it was written, and no other", () =>
    Effect.gen(function* () {
      const machine = yield* machineClock
      const { rows, send, state } = yield* makeKeyed()
      state.failing = [lost(unknown.error)]
      assert.strictEqual((yield* send(Effect.die("it ran"))).told, "internal_error")
      yield* rest
      assert.deepStrictEqual(
        [...rows.values()].map(({ state }) => state),
        ["released"]
      )
      assert.deepStrictEqual(machine.sleeps, [1_000])
      const [id] = rows.keys()
      rows.set(id!, { ...rows.get(id!)!, state: "running", run: 8, leaseUntil: DateTime.makeUnsafe(60_000) })
      assert.strictEqual((yield* send(Effect.die("it ran"))).told, "idempotency_in_progress")
      yield* rest
      assert.deepStrictEqual([machine.sleeps, rows.get(id!)!.state], [[1_000], "running"])
    })
  )
})
