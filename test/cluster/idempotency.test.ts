/**
 * One `Idempotency-Key` at two doors: two services on one database, as two runners of a cluster are (silences: I1,
 * I6).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { blocking } from "../kit/faults/Faults.ts"
import { runLock } from "../kit/runners/runLock.ts"
import { cable } from "../kit/servers/Cable.ts"
import { eventually } from "../kit/Process.ts"
import { asRunner, freshDatabase, type Running, start } from "../kit/Service.ts"

const create = ({ api }: Running, key: string) =>
  api.call("POST", "/v1/orders", { key, headers: { "Idempotency-Key": "k" }, body: { amount: 100 } })

/** Its key is claimed before it runs, and no object's owner is asked. */
const report = ({ api }: Running, key: string) =>
  api.call("POST", "/v1/reports", { key, headers: { "Idempotency-Key": "k" }, body: { report: "frozen" } })

const reports = ({ sql }: Running) => sql<{ report_no: string }>`select report_no from reports`

/** The claim of a payment fences the rows that come with it. */
const pay = ({ api }: Running, key: string) =>
  api.call("POST", "/v1/test_helpers/orders/known/pay", { key, headers: { "Idempotency-Key": "k" }, body: {} })

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

  for (const [who, isKnown] of [
    ["a runner that lives", true],
    ["a runner of which it is unknown whether it lives", false]
  ] as const) {
    it.live(`${who} keeps its claim until the lease of 30 s ends; then the other takes over`, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const fault = yield* blocking("Idempotency.run", "before")
        const beneath = isKnown ? runLock(database) : Layer.empty
        const slow = yield* start({ database, env: yield* asRunner, clock: "test", faults: fault.layer, beneath })
        const other = yield* start({ database, env: yield* asRunner, clock: "test" })
        const key = slow.merchant.sandboxKey
        yield* slow.api.post("/v1/orders", key, { amount: 100, out_trade_no: "known" })
        const first = yield* Effect.forkChild(pay(slow, key))
        yield* Deferred.await(fault.reached)

        assert.strictEqual((yield* pay(other, key)).body.error, "idempotency_in_progress")
        yield* other.pass("29 seconds")
        const told = yield* pay(other, key)
        assert.deepStrictEqual([told.body.error, told.headers.get("retry-after")], ["idempotency_in_progress", "1"])
        yield* other.pass("1 second")
        const retried = yield* pay(other, key)
        assert.strictEqual(retried.status, 200, retried.text)
        assert.isFalse(retried.headers.has("idempotent-replayed"))

        // It was only slow: what it held is another's now, so it writes nothing.
        yield* fault.release
        assert.strictEqual((yield* Fiber.join(first)).status, 503)
        const payments = yield* other.sql<{ payment_id: string }>`select payment_id from sandbox_payments`
        assert.deepStrictEqual(payments, [{ payment_id: retried.body.data.payment_id }])
      })
    )
  }

  it.live("a runner that lost its connections is not waited for, and does nothing twice when it has them again", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const wire = yield* cable(database)
      const fault = yield* blocking("Idempotency.run", "before")
      const beneath = runLock(wire.url)
      const lost = { database: wire.url, env: yield* asRunner, clock: "test", faults: fault.layer, beneath } as const
      const cutOff = yield* start(lost)
      const other = yield* start({ database, env: yield* asRunner, clock: "test" })
      const key = cutOff.merchant.sandboxKey
      const first = yield* Effect.forkChild(report(cutOff, key))
      yield* Deferred.await(fault.reached)
      const [{ run } = { run: 0 }] = yield* other.sql<{ run: number }>`select run from idempotency_keys`
      const isHeld = Effect.map(
        other.sql`select 1 from pg_locks where locktype = 'advisory' and objid = ${run}::int4::oid`,
        ({ length }) => length > 0
      )
      assert.isTrue(yield* isHeld)

      wire.cut()
      yield* eventually(
        "Postgres to notice the cut",
        Effect.map(isHeld, (is) => !is)
      )
      const retried = yield* report(other, key)
      assert.strictEqual(retried.status, 202, retried.text)

      wire.heal()
      yield* eventually("the runner to take its lock again", isHeld)
      yield* fault.release
      yield* Fiber.join(first)
      assert.deepStrictEqual(yield* reports(other), [{ report_no: retried.body.data.report_no }])
      // It has just got its first connections again.
      const replay = yield* Effect.repeat(report(cutOff, key), { until: ({ status }) => status !== 503 })
      assert.strictEqual(replay.headers.get("idempotent-replayed"), "true", replay.text)
    })
  )

  it.live("when Postgres has lost all sessions no runner counts as dead, until the others had time to come back", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const [wire, otherWire] = [yield* cable(database), yield* cable(database)]
      const fault = yield* blocking("Idempotency.run", "before")
      const busy = yield* start({
        database,
        env: yield* asRunner,
        clock: "test",
        faults: fault.layer,
        beneath: runLock(wire.url)
      })
      const other = yield* start({ database, env: yield* asRunner, clock: "test", beneath: runLock(otherWire.url) })
      const key = busy.merchant.sandboxKey
      const states = Effect.map(other.api.operator("GET", "/cluster"), ({ body }) =>
        body.data.runners.map(({ state }: { state: string }) => state)
      )
      const first = yield* Effect.forkChild(report(busy, key))
      yield* Deferred.await(fault.reached)
      assert.strictEqual((yield* report(other, key)).body.error, "idempotency_in_progress")
      assert.deepStrictEqual(yield* states, ["alive", "alive"])

      wire.cut()
      otherWire.cut()
      const runs = other.sql`select 1 from pg_locks where locktype = 'advisory' and classid = 1668245094::oid
        and objid > 1::oid and database = (select oid from pg_database where datname = current_database())`
      yield* eventually(
        "Postgres to notice",
        Effect.map(runs, ({ length }) => length === 0)
      )
      assert.strictEqual((yield* report(other, key)).body.error, "idempotency_in_progress")
      assert.deepStrictEqual(yield* states, ["alive", "alive"])

      otherWire.heal()
      yield* eventually(
        "the other to be sure",
        Effect.map(report(other, key), ({ status }) => status === 202)
      )
      assert.deepStrictEqual((yield* states).toSorted(), ["alive", "gone"])
      yield* fault.release
      yield* Fiber.join(first)
      assert.lengthOf(yield* reports(other), 1)
    })
  )

  it.live(
    "a living runner frees claims that it could not end while Postgres was away: no retry waits for the lease",
    () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const wire = yield* cable(database)
        const fault = yield* blocking("Idempotency.run", "before")
        const beneath = runLock(database)
        const cutOff = yield* start({
          database: wire.url,
          env: yield* asRunner,
          clock: "test",
          faults: fault.layer,
          beneath
        })
        const other = yield* start({ database, env: yield* asRunner, clock: "test" })
        const key = cutOff.merchant.sandboxKey
        const first = yield* Effect.forkChild(report(cutOff, key))
        yield* Deferred.await(fault.reached)
        wire.cut()
        yield* fault.release
        assert.strictEqual((yield* Fiber.join(first)).status, 503)
        assert.strictEqual((yield* report(other, key)).body.error, "idempotency_in_progress")

        wire.heal()
        // The clock stands still, so the lease does not end.
        yield* eventually(
          "the key to be free",
          Effect.map(report(other, key), ({ status }) => status === 202),
          "1 minute"
        )
        assert.lengthOf(yield* reports(other), 1)
      })
  )

  it.live("a request whose end is written late frees no claim of a later one: a third gets the second's answer", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const wire = yield* cable(database)
      const held = yield* blocking("Idempotency.run", "before")
      const cutOff = yield* start({
        database: wire.url,
        env: yield* asRunner,
        clock: "test",
        beneath: runLock(database)
      })
      const other = yield* start({ database, env: yield* asRunner, clock: "test", faults: held.layer })
      const key = cutOff.merchant.sandboxKey
      yield* cutOff.api.get("/v1/orders", key)
      const rows = other.sql<{ state: string; version: number }>`select state, version from idempotency_keys`
      const staleOf = Effect.map(cutOff.api.get("/metrics"), ({ text }) =>
        Number(/^coffer_change_sets_total\S*outcome="stale"\S* (\d+)$/m.exec(text)![1])
      )

      // It is unknown whether its claim was written, so its runner keeps trying to free the key.
      wire.cutAt("idempotency_keys")
      assert.strictEqual((yield* report(cutOff, key)).status, 503)
      assert.deepStrictEqual(yield* rows, [])
      const second = yield* Effect.forkChild(report(other, key))
      yield* Deferred.await(held.reached)
      const [claimed] = yield* rows
      const before = yield* staleOf
      wire.heal()
      yield* eventually(
        "the end of the first to be written, or refused",
        Effect.gen(function* () {
          const [row] = yield* rows
          return (yield* staleOf) > before || row?.version !== claimed!.version
        }),
        "1 minute"
      )

      assert.deepStrictEqual(yield* rows, [claimed!])
      for (const door of [cutOff, other]) {
        assert.strictEqual((yield* report(door, key)).body.error, "idempotency_in_progress")
      }
      yield* held.release
      const { body, status } = yield* Fiber.join(second)
      assert.strictEqual(status, 202)
      for (const door of [cutOff, other]) {
        const third = yield* report(door, key)
        assert.strictEqual(third.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(third.body.data.report_no, body.data.report_no)
      }
      assert.lengthOf(yield* reports(other), 1)
    })
  )
})
