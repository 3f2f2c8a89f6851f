/**
 * A request with an `Idempotency-Key`, and its repeat: when it runs, the row of its key, and the words for its caller
 * (silences: I1 to I6; docs/decisions/0004). `test/http/idempotency` has the same over HTTP and Postgres.
 */
import * as Wire from "@coffer/contract/Errors"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { busy, refuseWith, reply } from "../../src/shared/http/replies.ts"
import { type IdempotencyKey, idempotencyKeys } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { AlreadyExists, NotCommitted, StaleVersion } from "../../src/platform/commit/Change.ts"
import { accountOf, along, before, lost, makeKeyed, makeRows, ownRun } from "../kit/rules/keyedCalls.ts"

const unknown = new NotCommitted({ reason: "unknown" })
const taken = { error: new AlreadyExists({ table: idempotencyKeys.name, key: "k" }) }
const refused = refuseWith((request_id) => new Wire.Conflict({ message: "No.", request_id }), "no")
const unrun = Effect.die("it ran")

/** Answers with how often it has run. */
const counting = (status = 200) => {
  let runs = 0
  return Effect.suspend(() => reply({ runs: ++runs }, status))
}

for (const route of [before, along]) {
  describe(`a request to ${route.path}`, () => {
    it.effect("without a key, and one that is no POST or DELETE, runs each time and leaves no row", () =>
      Effect.gen(function* () {
        const { commits, committing, send } = yield* makeKeyed()
        const handled = counting()
        for (const call of [{ key: "" }, { key: "" }, { method: "GET" }, { method: "PUT" }]) {
          assert.strictEqual((yield* send(handled, call, route)).told, "200")
        }
        assert.deepStrictEqual((yield* send(handled, { key: "" }, route)).data, { runs: 5 })
        assert.strictEqual((yield* send(committing({ a: 1 }), { key: "" }, route)).told, "200")
        assert.isEmpty(commits)
      })
    )

    it.effect("with an invalid key is refused before it runs", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        assert.strictEqual((yield* send(unrun, { key: "\n" }, route)).told, "invalid_request")
      })
    )

    it.effect("runs once: its repeat gets its answer again, with its status, for a POST and for a DELETE", () =>
      Effect.gen(function* () {
        for (const method of ["POST", "DELETE"]) {
          const { send } = yield* makeKeyed()
          const first = yield* send(counting(201), { method }, route)
          assert.deepStrictEqual([first.told, first.data], ["201", { runs: 1 }])
          const again = yield* send(unrun, { method }, route)
          assert.deepStrictEqual([again.told, again.data], ["replayed 201", { runs: 1 }])
        }
      })
    )

    it.effect("at another runner is a repeat as well", () =>
      Effect.gen(function* () {
        const rows = makeRows()
        const [one, other] = [yield* makeKeyed(rows), yield* makeKeyed(rows)]
        assert.strictEqual((yield* one.send(one.committing({ a: 1 }, 200), {}, route)).told, "200")
        const again = yield* other.send(other.committing({ a: 2 }, 200), {}, route)
        assert.deepStrictEqual([again.told, again.data], ["replayed 200", { a: 1 }])
        const third = yield* other.send(unrun, {}, route)
        assert.deepStrictEqual([third.told, third.data], ["replayed 200", { a: 1 }])
      })
    )

    it.effect("is another one with another key, path, method, environment or merchant", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        const handled = counting()
        yield* send(handled, {}, route)
        for (const call of [
          { key: "other" },
          { path: "/v1/refunds/other" },
          { method: "DELETE" },
          { account: accountOf("mer_1", "live") },
          { account: accountOf("mer_2") }
        ]) {
          assert.strictEqual((yield* send(handled, call, route)).told, "200")
        }
      })
    )

    it.effect("is the same where its body says the same, and idempotency_error where it says something else", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        const deep = `${"[".repeat(40)}${"]".repeat(40)}`
        for (const [key, body, same, other] of [
          ["order", '{"a":1,"b":2}', '{ "b":2, "a":1 }', '{"a":1,"b":3}'],
          ["none", "", "{}", "[]"],
          ["text", "no json", "no json", "no json "],
          ["deep", deep, deep, `${deep} `]
        ] as const) {
          yield* send(counting(), { key, body }, route)
          assert.strictEqual((yield* send(unrun, { key, body: same }, route)).told, "replayed 200", key)
          assert.strictEqual((yield* send(refused, { key, body: other }, route)).told, "idempotency_error", key)
        }
      })
    )

    it.effect("says the same with a null that its endpoint does not read, and not with one that it does", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        const Part = Schema.Struct({ kept: Schema.optionalKey(Schema.NullOr(Schema.Number)) })
        const whole = Schema.Struct({
          ...Part.fields,
          parts: Schema.optionalKey(Schema.Array(Part)),
          option: Schema.optionalKey(Schema.OptionFromNullOr(Schema.Number))
        })
        const payload = new Map([["application/json", { schemas: [whole] }]]) as never
        for (const [key, body, same, other] of [
          ["flat", '{"ignored":null}', "{}", '{"kept":null}'],
          ["deep", '{"parts":[{"kept":1},{"no":null}]}', '{"parts":[{"kept":1},{}]}', '{"parts":[{"kept":1}]}'],
          ["listed", '{"parts":[{"kept":null}]}', '{"parts":[{"kept":null}]}', '{"parts":[{}]}'],
          ["unknown", '{"ignored":1,"no":null}', '{"ignored":1}', '{"no":null}'],
          ["option", '{"option":null}', '{"option":null,"no":null}', "{}"],
          ["refused", '{"kept":"","ignored":null}', '{"ignored":null,"kept":""}', '{"kept":""}']
        ] as const) {
          yield* send(counting(), { key, body, payload }, route)
          assert.strictEqual((yield* send(unrun, { key, body: same, payload }, route)).told, "replayed 200", key)
          assert.strictEqual(
            (yield* send(refused, { key, body: other, payload }, route)).told,
            "idempotency_error",
            key
          )
        }
      })
    )

    it.effect("is the same as one that an earlier version compared as it was sent", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        const body = '{"ignored":null}'
        yield* send(counting(), { body }, route)
        const payload = new Map([
          ["application/json", { schemas: [Schema.Struct({ known: Schema.optionalKey(Schema.Number) })] }]
        ]) as never
        assert.strictEqual((yield* send(unrun, { body, payload }, route)).told, "replayed 200")
      })
    )

    it.effect("leaves its key free where it is refused or brings no answer to keep: the next one runs", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        const bare = Effect.succeed(HttpServerResponse.empty({ status: 204 }))
        for (const [handled, told] of [
          [refused, "conflict"],
          [bare, "204"],
          [reply({}, 300), "300"]
        ] as const) {
          assert.strictEqual((yield* send(handled, {}, route)).told, told)
        }
        assert.strictEqual((yield* send(counting(), { body: '{"other":1}' }, route)).told, "200")
      })
    )

    it.effect("keeps its answer for a day, and then its key is free", () =>
      Effect.gen(function* () {
        const { send } = yield* makeKeyed()
        const handled = counting()
        yield* send(handled, {}, route)
        yield* TestClock.adjust(24 * 3_600_000 - 1)
        assert.strictEqual((yield* send(unrun, {}, route)).told, "replayed 200")
        yield* TestClock.adjust(1)
        const later = yield* send(handled, { body: '{"other":1}' }, route)
        assert.deepStrictEqual([later.told, later.data], ["200", { runs: 2 }])
        assert.strictEqual((yield* send(unrun, { body: '{"other":1}' }, route)).told, "replayed 200")
      })
    )

    it.effect("whose answer was committed with its change writes nothing more, also where it fails afterwards", () =>
      Effect.gen(function* () {
        const { commits, committing, send } = yield* makeKeyed()
        const told = yield* send(committing({ a: 1 }, 200, refused), {}, route)
        assert.strictEqual(told.told, "conflict")
        assert.strictEqual((yield* send(unrun, {}, route)).told, "replayed 200")
        assert.strictEqual(commits.filter((commit) => commit.endsWith("done")).length, 1)
      })
    )
  })
}

describe("a request that claims its key before it runs", () => {
  it.effect("lets no other run meanwhile, here or at another runner, and says how long its lease lasts", () =>
    Effect.gen(function* () {
      const rows = makeRows()
      const [one, other] = [yield* makeKeyed(rows), yield* makeKeyed(rows)]
      const [begun, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.andThen(Deferred.succeed(begun, undefined), Effect.andThen(Deferred.await(go), reply({})))
      const first = yield* Effect.forkChild(one.send(slow))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("12 seconds")
      // Twice: the second one's failed claim takes nothing from the first.
      for (const _ of [1, 2]) {
        const told = yield* one.send(unrun)
        assert.deepStrictEqual([told.told, told.record.headers], ["idempotency_in_progress", { "retry-after": "18" }])
      }
      assert.strictEqual((yield* one.send(unrun, { body: '{"other":1}' })).told, "idempotency_error")
      // By its number the run has ended. It has not, and this process knows better.
      const [row] = rows.values()
      assert.strictEqual(row!.run, ownRun)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(first)).told, "200")
      assert.strictEqual((yield* other.send(unrun)).told, "replayed 200")
      // Nothing of it is left here: a row that says it runs here is abandoned.
      const [[id, ended]] = [...rows] as [[string, IdempotencyKey]]
      rows.set(id, { ...ended, state: "running", run: ownRun, leaseUntil: DateTime.makeUnsafe(60_000) })
      assert.strictEqual((yield* one.send(counting())).told, "200")
    })
  )

  it.effect("takes over from a run that has ended, or whose lease has, and not before", () =>
    Effect.gen(function* () {
      for (const how of ["ended", "lease"] as const) {
        const { dead, rows, send } = yield* makeKeyed()
        yield* send(reply({}))
        const [[id, row]] = [...rows] as [[string, IdempotencyKey]]
        const running = {
          state: "running",
          run: 8,
          leaseUntil: DateTime.makeUnsafe(30_000),
          status: null,
          data: null
        } as const
        rows.set(id, { ...row, ...running })
        yield* TestClock.setTime(29_999)
        assert.strictEqual((yield* send(unrun)).told, "idempotency_in_progress")
        if (how === "ended") dead.add(8)
        else yield* TestClock.setTime(30_000)
        assert.strictEqual((yield* send(counting())).told, "200")
        assert.notInclude([row.version, row.version + 1, row.version + 2], rows.get(id)!.version)
        yield* TestClock.setTime(0)
      }
    })
  )

  it.effect("keeps its answer where another could not take its claim over, and frees what it did not get", () =>
    Effect.gen(function* () {
      const rows = makeRows()
      const [one, other] = [yield* makeKeyed(rows), yield* makeKeyed(rows)]
      const [begun, go, frees] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const slow = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
      const first = yield* Effect.forkChild(one.send(Effect.andThen(slow, one.committing({ runs: 1 }))))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("30 seconds")
      // The lease is over. Whether the claim was taken over is not known, and it was not.
      other.state.failing = [undefined, { error: unknown }]
      assert.strictEqual((yield* other.send(unrun)).told, "internal_error")
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(first)).told, "200")
      other.state.meanwhile = Deferred.succeed(frees, undefined)
      yield* Deferred.await(frees)
      while (!other.commits.includes("update released")) yield* Effect.yieldNow
      const again = yield* other.send(unrun)
      assert.deepStrictEqual([again.told, again.data], ["replayed 200", { runs: 1 }])
    })
  )

  it.effect("comes second where another takes the free key in the same moment, or the row is gone again", () =>
    Effect.gen(function* () {
      const { send, state } = yield* makeKeyed()
      yield* send(refused)
      state.failing = [undefined, { error: new StaleVersion({ table: idempotencyKeys.name, key: "k" }) }]
      const second = yield* send(unrun)
      assert.deepStrictEqual([second.told, second.record.headers], ["idempotency_in_progress", { "retry-after": "1" }])
      assert.strictEqual((yield* send(counting())).told, "200")
      state.failing = [taken]
      const gone = yield* send(unrun, { key: "gone" })
      assert.deepStrictEqual([gone.told, gone.record.headers], ["idempotency_in_progress", { "retry-after": "1" }])
    })
  )

  it.effect("has to be retried if its claim may not have been written, and its retry runs immediately", () =>
    Effect.gen(function* () {
      for (const failure of [lost(unknown), { error: unknown }]) {
        const { send, state } = yield* makeKeyed()
        state.failing = [failure]
        assert.strictEqual((yield* send(unrun)).told, "internal_error")
        assert.strictEqual((yield* send(counting())).told, "200")
      }
    })
  )

  it.effect("has its answer also where its end cannot be written, and where another has taken its claim over", () =>
    Effect.gen(function* () {
      for (const error of [unknown, new StaleVersion({ table: idempotencyKeys.name, key: "k" }), taken.error]) {
        const { send, state } = yield* makeKeyed()
        state.failing = [undefined, { error }]
        assert.strictEqual((yield* send(counting())).told, "200")
        // It runs here no more, so that its retry need not wait for the lease.
        assert.strictEqual((yield* send(counting())).told, "200")
      }
    })
  )

  it.effect("frees its key when its caller leaves", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* makeKeyed()
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(send(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(commits, ["insert running", "update released"])
      assert.strictEqual((yield* send(counting())).told, "200")
    })
  )

  it.effect("ends before its caller is answered, except one that has to be retried", () =>
    Effect.gen(function* () {
      const { commits, send, state } = yield* makeKeyed()
      const go = yield* Deferred.make<void>()
      const ending = (handled: typeof busy | ReturnType<typeof counting>, key: string) =>
        send(
          Effect.andThen(
            Effect.sync(() => (state.meanwhile = Deferred.await(go))),
            handled
          ),
          { key }
        )
      assert.strictEqual((yield* ending(busy, "busy")).told, "internal_error")
      state.meanwhile = Effect.void
      const fiber = yield* Effect.forkChild(ending(counting(), "done"))
      yield* Effect.yieldNow
      yield* TestClock.adjust(1)
      assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(fiber)).told, "200")
      assert.include(commits, "update released")
    })
  )
})
