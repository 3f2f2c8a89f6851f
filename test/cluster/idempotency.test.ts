/**
 * One `Idempotency-Key` at two doors: two services on one database, as two runners of a cluster are (silences: I1,
 * I6).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocking } from "../kit/Faults.ts"
import { asRunner, freshDatabase, type Running, start } from "../kit/Service.ts"

const create = ({ api }: Running, key: string) =>
  api.call("POST", "/v1/orders", { key, headers: { "Idempotency-Key": "k" }, body: { amount: 100 } })

describe("an Idempotency-Key on two runners", () => {
  it.live("50 creates at once: one 201, the rest 409 idempotency_in_progress or the replay; one order", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const a = yield* start({ database, env: yield* asRunner })
      const b = yield* start({ database, env: yield* asRunner })
      const key = a.merchant.sandboxKey

      const replies = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? a : b)),
        (door) => create(door, key),
        { concurrency: "unbounded" }
      )

      const kinds = replies.map(({ body, headers, status }) => {
        if (status === 201) return headers.has("idempotent-replayed") ? "replay" : "created"
        return `${status} ${body.error}`
      })
      assert.strictEqual(kinds.filter((kind) => kind === "created").length, 1)
      const others = kinds.filter((kind) => !["created", "replay", "409 idempotency_in_progress"].includes(kind))
      assert.deepStrictEqual(others, [])

      const orders = yield* a.sql<{ trade_no: string }>`select trade_no from orders`
      assert.strictEqual(orders.length, 1)
      for (const door of [a, b]) {
        const replay = yield* create(door, key)
        assert.strictEqual(replay.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(replay.body.data.trade_no, orders[0]!.trade_no)
      }
      const told = replies.filter(({ status }) => status === 201).map(({ body }) => body.data.trade_no)
      assert.deepStrictEqual([...new Set(told)], [orders[0]!.trade_no])
    })
  )

  it.live("when the first runner dies between claim and commit, the other takes over after the lease of 30 s", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const fault = yield* blocking("Idempotency.run", "before")
      const dying = yield* start({ database, env: yield* asRunner, clock: "test", faults: fault.layer })
      const other = yield* start({ database, env: yield* asRunner, clock: "test" })
      const key = dying.merchant.sandboxKey
      const first = yield* Effect.forkChild(create(dying, key))
      yield* Deferred.await(fault.reached)

      assert.strictEqual((yield* create(other, key)).body.error, "idempotency_in_progress")
      yield* other.pass("30 seconds")
      const retried = yield* create(other, key)
      assert.strictEqual(retried.status, 201)
      assert.isFalse(retried.headers.has("idempotent-replayed"))

      // It was only slow: what it held is another's now, so it writes nothing.
      yield* fault.release
      assert.strictEqual((yield* Fiber.join(first)).status, 503)
      const orders = yield* other.sql<{ trade_no: string }>`select trade_no from orders`
      assert.deepStrictEqual(orders, [{ trade_no: retried.body.data.trade_no }])
    })
  )
})
