/**
 * The key of a request of one change is written with that change (docs/decisions/0004). Two services on one database,
 * as two runners are: the change that commits first is the request, and any other gets the answer of that one.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import type { Reply } from "../kit/Api.ts"
import { timeOf } from "../kit/faults/Crash.ts"
import { blocking } from "../kit/faults/Faults.ts"
import { trap } from "../kit/faults/failures.ts"
import { assertRefused } from "../kit/Merchant.ts"
import { asRunner, freshDatabase, type Running, start } from "../kit/Service.ts"

const post = ({ api, merchant }: Running, path: string, body: object, key = "k") =>
  api.call("POST", path, { key: merchant.sandboxKey, headers: { "Idempotency-Key": key }, body })
const create = (service: Running, body: object = { amount: 100 }) => post(service, "/v1/orders", body)

const assertReplayed = (reply: Reply, first: Reply) => {
  assert.strictEqual(reply.status, first.status, reply.text)
  assert.strictEqual(reply.headers.get("idempotent-replayed"), "true")
  assert.strictEqual(unplaced(reply), unplaced(first))
}

/** Each runner of a test has its own address for pages. */
const unplaced = ({ body }: Reply) => JSON.stringify(body.data).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "")

const orders = ({ sql }: Running) => Effect.map(sql`select 1 from orders`, ({ length }) => length)

/** A slow runner, whose requests stop before they do anything, and another. Both know one merchant. */
const twoRunners = Effect.gen(function* () {
  const database = yield* freshDatabase
  const fault = yield* blocking("Idempotency.run", "before")
  const slow = yield* start({ database, env: yield* asRunner, clock: "test", faults: fault.layer })
  const other = { ...(yield* start({ database, env: yield* asRunner, clock: "test" })), merchant: slow.merchant }
  return { slow, other, fault }
})

describe("two creates with one key at once on two runners", () => {
  it.live("do not block each other: the second is done, and the first gets the answer of the second", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      const first = yield* Effect.forkChild(create(slow))
      yield* Deferred.await(fault.reached)
      const second = yield* create(other)
      assert.strictEqual(second.status, 201, second.text)
      assert.isFalse(second.headers.has("idempotent-replayed"))
      yield* fault.release
      assertReplayed(yield* Fiber.join(first), second)
      assert.strictEqual(yield* orders(other), 1)
    })
  )

  it.live("with other content: the one whose change comes later gets idempotency_error, and makes nothing", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      const first = yield* Effect.forkChild(create(slow, { amount: 101 }))
      yield* Deferred.await(fault.reached)
      assert.strictEqual((yield* create(other)).status, 201)
      yield* fault.release
      assertRefused(yield* Fiber.join(first), 400, "idempotency_error")
      assert.strictEqual(yield* orders(other), 1)
    })
  )
})

describe("a repeat on another runner is not judged by what it would do now:", () => {
  it.live("a create that would find its own order gets 201 as the first did, and not which fields were dropped", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      const body = { amount: 100, out_trade_no: "cart", receipt_email: "a@example.com" }
      yield* fault.release
      const first = yield* create(slow, body)
      assert.strictEqual(first.status, 201, first.text)
      const changed = post(slow, "/v1/orders/cart", { receipt_email: "b@example.com" }, "change")
      assert.strictEqual((yield* changed).status, 200)
      const again = yield* create(other, body)
      assertReplayed(again, first)
      assert.isFalse(again.headers.has("coffer-not-taken"))
      assert.strictEqual(yield* orders(other), 1)
    })
  )

  it.live("an update is not made again over a later one", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      yield* fault.release
      yield* post(slow, "/v1/orders", { amount: 100, out_trade_no: "cart" }, "make")
      const update = (service: Running, value: string) =>
        post(service, "/v1/orders/cart", { metadata: { a: value } }, value)
      const first = yield* update(slow, "1")
      assert.strictEqual((yield* update(slow, "2")).status, 200)
      assertReplayed(yield* update(other, "1"), first)
      const { body } = yield* other.api.get("/v1/orders/cart", other.merchant.sandboxKey)
      assert.deepStrictEqual(body.data.metadata, { a: "2" })
    })
  )

  it.live("one that would be refused by now gets the answer of the first; other content is idempotency_error", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      yield* fault.release
      const expires_at = DateTime.formatIso(DateTime.makeUnsafe((yield* timeOf(slow)) + 12 * 3_600_000))
      const link = { amount: 100, expires_at }
      const first = yield* post(slow, "/v1/payment_links", link)
      assert.strictEqual(first.status, 201, first.text)
      yield* other.pass("13 hours")
      assertRefused(yield* post(other, "/v1/payment_links", link, "new"), 400, "invalid_request", "expires_at")
      assertReplayed(yield* post(other, "/v1/payment_links", link), first)
      // Its form is wrong, too. The key comes first (silences: G10).
      assertRefused(yield* post(other, "/v1/payment_links", { amount: 0 }), 400, "idempotency_error")
    })
  )

  it.live("an endpoint's secret is shown again, and no second endpoint is made", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      yield* fault.release
      const body = { url: "https://shop.example/hook", enabled_events: ["*"] }
      const first = yield* post(slow, "/v1/webhook_endpoints", body)
      assert.strictEqual(first.status, 201, first.text)
      assertReplayed(yield* post(other, "/v1/webhook_endpoints", body), first)
      const listed = yield* other.api.get("/v1/webhook_endpoints", other.merchant.sandboxKey)
      assert.lengthOf(listed.body.data.data, 1)
    })
  )
})

describe("a repeat in the very batch of the first", () => {
  it.live("gets the first one's answer, and the rest of the batch is written", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const stopped = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const set = trap()
      const service = yield* start({ faults: set.layer })
      const batches: Array<string> = []
      set.at = (point, tables) => {
        if (point !== "Transactor.write") return undefined
        batches.push(tables)
        // Each lane writes a batch.
        const lane = stopped[batches.length - 1]
        if (lane !== undefined) Deferred.doneUnsafe(lane, Effect.void)
        return (effect) => Effect.andThen(Deferred.await(gate), effect)
      }
      const plain = (name: string) =>
        service.api.post("/v1/orders", service.merchant.sandboxKey, { amount: 1, out_trade_no: name })
      // The second lane begins while the first one's batch takes long.
      const plugs = yield* Effect.forEach(stopped, (lane, index) =>
        Effect.tap(Effect.forkChild(plain(`plug-${index}`)), () => Deferred.await(lane))
      )
      const both = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(create(service)))
      const beside = yield* Effect.forEach(
        Array.from({ length: 16 }, (_, index) => `beside-${index}`),
        (name) => Effect.forkChild(plain(name))
      )
      // They wait for their lane: later calls were answered.
      yield* Effect.repeat(service.api.get("/healthz"), { times: 20 })
      yield* Deferred.succeed(gate, undefined)
      const replies = yield* Effect.forEach(both, (fiber) => Fiber.join(fiber))
      const [first, ...others] = replies.toSorted(
        (a, b) => Number(a.headers.has("idempotent-replayed")) - Number(b.headers.has("idempotent-replayed"))
      )
      assert.strictEqual(first!.status, 201, first!.text)
      assert.isFalse(first!.headers.has("idempotent-replayed"))
      for (const other of others) assertReplayed(other, first!)
      for (const fiber of [...plugs, ...beside]) assert.strictEqual((yield* Fiber.join(fiber)).status, 201)
      assert.strictEqual(yield* orders(service), 19)
      assert.isTrue(batches.every((tables) => tables !== "idempotency_keys"))
    })
  )
})

describe("a key whose row is there, of a request that was begun before keys were written along,", () => {
  /** As a runner of an earlier version left it. */
  const heldBy = (service: Running, row: { readonly state: string; readonly run: number | null }) =>
    service.sql`update idempotency_keys set state = ${row.state}, status = null, data = null, run = ${row.run}::int4,
      lease_until = case when ${row.state}::text = 'running' then created_at + interval '30 seconds' end`

  it.live("is in progress until its lease ends if it is unknown whether its runner lives; then it is taken over", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      yield* fault.release
      yield* create(slow)
      yield* heldBy(slow, { state: "running", run: null })
      const told = yield* create(other)
      assertRefused(told, 409, "idempotency_in_progress")
      assert.strictEqual(told.headers.get("retry-after"), "30")
      assertRefused(yield* create(other, { amount: 101 }), 400, "idempotency_error")
      yield* other.pass("30 seconds")
      const taken = yield* create(other)
      assert.strictEqual(taken.status, 201, taken.text)
      assert.isFalse(taken.headers.has("idempotent-replayed"))
      assertReplayed(yield* create(slow), taken)
      assert.strictEqual(yield* orders(other), 2)
    })
  )

  it.live("is taken over at once where its runner has died", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      yield* fault.release
      yield* create(slow)
      // No process has this run.
      yield* heldBy(slow, { state: "running", run: 999_999 })
      const taken = yield* create(other)
      assert.strictEqual(taken.status, 201, taken.text)
      assertReplayed(yield* create(slow), taken)
    })
  )

  it.live("is free where its request had no answer to keep, also for other content", () =>
    Effect.gen(function* () {
      const { fault, other, slow } = yield* twoRunners
      yield* fault.release
      yield* create(slow)
      yield* heldBy(slow, { state: "released", run: null })
      assertRefused(yield* create(other, { amount: 0 }), 400, "invalid_request", "amount")
      const taken = yield* create(other, { amount: 102 })
      assert.strictEqual(taken.status, 201, taken.text)
      assertReplayed(yield* create(slow, { amount: 102 }), taken)
    })
  )
})

describe("a request that dies at any step", () => {
  it.live("leaves either its change with its answer, or nothing: its repeat makes the order once", () =>
    Effect.gen(function* () {
      for (const [point, side] of [
        ["Idempotency.run", "before"],
        ["Transactor.write", "before"],
        ["Transactor.write", "after"],
        ["Idempotency.finish", "before"]
      ] as const) {
        const database = yield* freshDatabase
        const fault = yield* blocking(
          point,
          side,
          (tables) => point !== "Transactor.write" || tables.includes("idempotency_keys")
        )
        const dying = yield* start({ database, env: yield* asRunner, clock: "test", faults: fault.layer })
        const next = {
          ...(yield* start({ database, env: yield* asRunner, clock: "test" })),
          merchant: dying.merchant
        }
        const first = yield* Effect.forkChild(create(dying))
        yield* Deferred.await(fault.reached)
        const isWritten = side === "after" || point === "Idempotency.finish"
        assert.strictEqual(yield* orders(next), isWritten ? 1 : 0)
        const repeated = yield* create(next)
        assert.strictEqual(repeated.status, 201, repeated.text)
        assert.strictEqual(repeated.headers.has("idempotent-replayed"), isWritten)
        yield* fault.release
        // It was still alive.
        const late = yield* Fiber.join(first)
        assert.strictEqual(unplaced(late), unplaced(repeated))
        assert.strictEqual(yield* orders(next), 1)
      }
    })
  )
})
