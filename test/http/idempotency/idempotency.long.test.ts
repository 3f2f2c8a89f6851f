/** `Idempotency-Key` (silences: I1 to I6; spec: Orders, rule 4): kept answers, refusals, races, and crashes. */
import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocking } from "../../kit/faults/Faults.ts"
import { onOneService, type Running, sharedService, start } from "../../kit/Service.ts"

const create = ({ api, merchant }: Running, key: string, body: object | string, path = "/v1/orders") =>
  api.call("POST", path, {
    key: merchant.sandboxKey,
    headers: { "Idempotency-Key": key },
    ...(typeof body === "string" ? { raw: body } : { body })
  })

const countOrders = ({ merchant, sql }: Running) =>
  Effect.map(sql`select 1 from orders where merchant_id = ${merchant.merchantId}`, (rows) => rows.length)

onOneService((it) => {
  describe("a repeated key", () => {
    it.effect(
      "the same request gets the stored answer: data and status verbatim, a fresh request_id, Idempotent-Replayed",
      () =>
        Effect.gen(function* () {
          const service = yield* sharedService
          const first = yield* create(service, "k", { amount: 100, subject: "a" })
          // The order of keys in the body does not matter.
          const second = yield* create(service, "k", { subject: "a", amount: 100 })
          assert.strictEqual(first.status, 201)
          assert.strictEqual(second.status, 201)
          assert.deepStrictEqual(second.body.data, first.body.data)
          assert.notStrictEqual(second.body.request_id, first.body.request_id)
          assert.isNull(first.headers.get("idempotent-replayed"))
          assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
          assert.strictEqual(yield* countOrders(service), 1)
        })
    )

    it.effect("two keys' claims begin at versions of their own, so that a late end of one frees no later claim", () =>
      Effect.gen(function* () {
        const service = yield* start()
        for (const key of ["k1", "k2"]) yield* create(service, key, { amount: 100 })
        const versions = yield* service.sql<{ version: number }>`select distinct version from idempotency_keys`
        assert.lengthOf(versions, 2)
      })
    )

    it.effect("with different content gives 400 idempotency_error", () =>
      Effect.gen(function* () {
        const service = yield* sharedService
        yield* create(service, "k", { amount: 100 })
        const other = yield* create(service, "k", { amount: 101 })
        assert.strictEqual(other.status, 400)
        assert.strictEqual(other.body.error, "idempotency_error")
        assert.strictEqual(yield* countOrders(service), 1)
      })
    )

    it.effect("only 2xx answers are kept: after a refusal the key is free, also for other content", () =>
      Effect.gen(function* () {
        const service = yield* start()
        for (const refused of [{ amount: 0 }, "{not json", { amount: 1, currency: "EUR" }]) {
          assert.strictEqual((yield* create(service, "k", refused)).status, 400)
        }
        // A create makes no outside call: it is refused without a claim.
        assert.deepStrictEqual(yield* service.sql`select id from idempotency_keys`, [])
        assert.strictEqual((yield* create(service, "k", { amount: 100 })).status, 201)
      })
    )

    it.effect("expire with the same key after a 502 asks the channel again, and its success is replayed", () =>
      Effect.gen(function* () {
        const service = yield* sharedService
        const { api, merchant } = service
        const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
        const path = `/v1/orders/${body.data.trade_no}/expire`
        yield* api.post("/v1/test_helpers/channel", merchant.sandboxKey, { reachable: false })
        assert.strictEqual((yield* create(service, "k", "", path)).status, 502)
        yield* api.post("/v1/test_helpers/channel", merchant.sandboxKey, { reachable: true })
        const closed = yield* create(service, "k", "", path)
        assert.strictEqual(closed.status, 200)
        assert.strictEqual(closed.body.data.status, "expired")
        const again = yield* create(service, "k", "", path)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.deepStrictEqual(again.body.data, closed.body.data)
      })
    )

    it.effect(
      "the header comes first, then the business number: a new key with a known out_trade_no gets the order, 200",
      () =>
        Effect.gen(function* () {
          const service = yield* sharedService
          yield* create(service, "a", { amount: 100, out_trade_no: "cart" })
          const other = yield* create(service, "b", { amount: 100, out_trade_no: "cart" })
          assert.strictEqual(other.status, 200)
          const replayed = yield* create(service, "b", { amount: 100, out_trade_no: "cart" })
          assert.strictEqual(replayed.status, 200)
          assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
          assert.strictEqual((yield* create(service, "c", { amount: 1, out_trade_no: "cart" })).status, 409)
        })
    )

    it.effect("its scope is merchant, environment, method and path", () =>
      Effect.gen(function* () {
        const service = yield* sharedService
        const other = yield* service.api.newMerchant()
        const first = yield* create(service, "k", { amount: 100 })
        const foreign = yield* create({ ...service, merchant: other }, "k", { amount: 7 })
        assert.strictEqual(foreign.status, 201)
        const elsewhere = yield* create(service, "k", { metadata: {} }, `/v1/orders/${first.body.data.trade_no}`)
        assert.strictEqual(elsewhere.status, 200)
        const prefixed = yield* create(service, "k", { amount: 100 }, "/api/v1/orders")
        assert.deepStrictEqual(prefixed.body.data, first.body.data)
      })
    )

    for (const [what, key] of [
      ["empty", ""],
      ["longer than 255 characters", "k".repeat(256)],
      ["not ASCII", "schlüssel"]
    ] as const) {
      it.effect(`a key that is ${what} gives 400 with param Idempotency-Key`, () =>
        Effect.gen(function* () {
          const { body, status } = yield* create(yield* sharedService, key, { amount: 100 })
          assert.strictEqual(status, 400)
          assert.strictEqual(body.param, "Idempotency-Key")
        })
      )
    }

    it.effect("is forgotten after 24 hours, and its row removed", () =>
      Effect.gen(function* () {
        const service = yield* start({ clock: "test" })
        const first = yield* create(service, "k", { amount: 100 })
        yield* service.pass("23 hours")
        const replayed = yield* create(service, "k", { amount: 100 })
        assert.strictEqual(replayed.body.data.trade_no, first.body.data.trade_no)
        yield* service.pass("1 hour")
        const fresh = yield* create(service, "k", { amount: 100 })
        assert.notStrictEqual(fresh.body.data.trade_no, first.body.data.trade_no)
        yield* service.pass("26 hours")
        assert.deepStrictEqual(yield* service.sql`select id from idempotency_keys`, [])
      })
    )

    it.effect("is remembered as long as KEEP_IDEMPOTENCY_KEYS says, and its row stays as long", () =>
      Effect.gen(function* () {
        const service = yield* start({ clock: "test", env: { KEEP_IDEMPOTENCY_KEYS: "3 days" } })
        const first = yield* create(service, "k", { amount: 100 })
        yield* service.pass("71 hours")
        const replayed = yield* create(service, "k", { amount: 100 })
        assert.strictEqual(replayed.body.data.trade_no, first.body.data.trade_no)
        assert.strictEqual((yield* create(service, "k", { amount: 101 })).body.error, "idempotency_error")
        yield* service.pass("1 hour")
        const fresh = yield* create(service, "k", { amount: 100 })
        assert.notStrictEqual(fresh.body.data.trade_no, first.body.data.trade_no)
        yield* service.pass("74 hours")
        assert.deepStrictEqual(yield* service.sql`select id from idempotency_keys`, [])
      })
    )
  })

  describe("at once", () => {
    it.effect("50 creates with one key: one 201, the rest 409 idempotency_in_progress or the replay; one order", () =>
      Effect.gen(function* () {
        const service = yield* sharedService
        const replies = yield* Effect.forEach(Array.from({ length: 50 }), () => create(service, "k", { amount: 100 }), {
          concurrency: "unbounded"
        })
        const fresh = replies.filter(({ headers, status }) => status === 201 && !headers.has("idempotent-replayed"))
        const replayed = replies.filter(({ headers }) => headers.has("idempotent-replayed"))
        const waiting = replies.filter(({ body }) => body.error === "idempotency_in_progress")
        const others = replies.filter((r) => !fresh.includes(r) && !replayed.includes(r) && !waiting.includes(r))
        assert.deepStrictEqual(
          others.map(({ body, status }) => [status, body]),
          []
        )
        assert.strictEqual(fresh.length, 1)
        assert.strictEqual(replayed.length + waiting.length, 49)
        assert.strictEqual(yield* countOrders(service), 1)
      })
    )
  })

  describe("a crash", () => {
    it.effect(
      "between claim and commit of a payment: 409 until the lease of 30 s ends, then the retry pays; the dead one does not",
      () =>
        Effect.gen(function* () {
          const fault = yield* blocking("Idempotency.run", "before")
          const service = yield* start({ clock: "test", faults: fault.layer })
          yield* service.api.post("/v1/orders", service.merchant.sandboxKey, { amount: 100, out_trade_no: "known" })
          const pay = create(service, "k", {}, "/v1/test_helpers/orders/known/pay")
          const dead = yield* Effect.forkChild(pay)
          yield* Deferred.await(fault.reached)
          assert.strictEqual((yield* pay).body.error, "idempotency_in_progress")
          yield* service.pass("29 seconds")
          assert.strictEqual((yield* pay).body.error, "idempotency_in_progress")
          yield* service.pass("1 second")
          const retried = yield* pay
          assert.strictEqual(retried.body.data.status, "paid")

          // It was not dead after all: its claim is another's now, so its payment is not written.
          yield* fault.release
          assert.strictEqual((yield* Fiber.join(dead)).status, 503)
          const payments = yield* service.sql`select payment_id from sandbox_payments`
          assert.deepStrictEqual(payments, [{ payment_id: retried.body.data.payment_id }])
          assert.deepStrictEqual((yield* pay).body.data, retried.body.data)
        })
    )

    it.effect(
      "between the bank's books and the answer of a chargeback: the retry gets the same dispute, and it is the one",
      () =>
        Effect.gen(function* () {
          const fault = yield* blocking("Idempotency.finish", "before")
          const service = yield* start({ clock: "test", faults: fault.layer })
          const { api, merchant } = service
          yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100, out_trade_no: "known" })
          yield* api.post("/v1/test_helpers/orders/known/pay", merchant.sandboxKey, {})
          const dispute = create(service, "k", { amount: 40 }, "/v1/test_helpers/orders/known/dispute")
          const dead = yield* Effect.forkChild(dispute)
          yield* Deferred.await(fault.reached)
          yield* service.pass("30 seconds")

          const { body, status } = yield* dispute
          assert.strictEqual(status, 201)
          yield* fault.release
          assert.strictEqual((yield* Fiber.join(dead)).body.data.dispute_no, body.data.dispute_no)
          assert.strictEqual((yield* service.sql`select 1 from sandbox_disputes`).length, 1)
          assert.strictEqual((yield* service.sql`select 1 from disputes`).length, 1)

          yield* service.pass("24 hours")
          assert.notStrictEqual((yield* dispute).body.data.dispute_no, body.data.dispute_no)
        })
    )

    for (const [what, path, body, status] of [
      ["a create", "/v1/orders", { amount: 100 }, 201],
      ["an update", "/v1/orders/known", { metadata: { a: "1" } }, 200],
      ["an expire", "/v1/orders/known/expire", "", 200],
      ["a payment", "/v1/test_helpers/orders/known/pay", {}, 200],
      ["an unreported payment", "/v1/test_helpers/orders/known/pay", { outcome: "succeed_unreported" }, 200]
    ] as const) {
      it.effect(`between commit and answer of ${what}: the retry gets the stored answer at once`, () =>
        Effect.gen(function* () {
          const fault = yield* blocking("Idempotency.finish", "before")
          const service = yield* start({ clock: "test", faults: fault.layer })
          yield* service.api.post("/v1/orders", service.merchant.sandboxKey, { amount: 100, out_trade_no: "known" })
          const first = yield* Effect.forkChild(create(service, "k", body, path))
          yield* Deferred.await(fault.reached)

          const retried = yield* create(service, "k", body, path)
          assert.strictEqual(retried.status, status)
          assert.strictEqual(retried.headers.get("idempotent-replayed"), "true")
          assert.strictEqual(yield* countOrders(service), status === 201 ? 2 : 1)
          yield* fault.release
          assert.deepStrictEqual((yield* Fiber.join(first)).body.data, retried.body.data)
        })
      )
    }
  })
})
