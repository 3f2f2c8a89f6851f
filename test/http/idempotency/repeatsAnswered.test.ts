/**
 * A number that was accepted is never refused to a client that sends it again: two at once, after a 503, and after
 * settings have changed (silences: O3, R4, R16, B11).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Reply } from "../../kit/Api.ts"
import { blocking } from "../../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { requestTime } from "../../kit/program/requestTime.ts"
import { errorsLoggedIn, freshDatabase, type Options, start } from "../../kit/Service.ts"

const rounds = 6

const opened = (options: Options = {}) =>
  Effect.map(start({ clock: "test", ...options }), (service) => ({
    service,
    shop: merchantOf(service)
  }))

const pair = <A, E>(effect: Effect.Effect<A, E>) => Effect.all([effect, effect], { concurrency: "unbounded" })

describe("a refund that was accepted is never answered 400", () => {
  it.live("to the second of two that arrive at once, whether order or balance has no room for both", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened()
      yield* shop.paid(1_000_000)
      for (let round = 0; round < rounds; round++) {
        const { trade_no } = yield* shop.paid(1_000)
        const replies = yield* pair(shop.refund({ trade_no, amount: 600, out_refund_no: `order-${round}` }))
        assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [200, 201], replies[0].text)
      }
      for (let round = 0; round < rounds; round++) {
        const poor = merchantOf(service, (yield* service.api.newMerchant()).sandboxKey)
        const { trade_no } = yield* poor.paid(1_000)
        const replies = yield* pair(poor.refund({ trade_no, amount: 500, out_refund_no: "balance" }))
        assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [200, 201], replies[1].text)
      }
      yield* assertLedgerWhole(service.sql)
    })
  )

  for (const [what, body, headers] of [
    ["by its number", { out_refund_no: "r", amount: 600 }, {}],
    ["of all that is left, by its number", { out_refund_no: "r" }, {}],
    ["by its Idempotency-Key", { amount: 600 }, { "Idempotency-Key": "k" }]
  ] as const) {
    it.live(`to who sends it again after a 503, ${what}: it is the first one's, and it is done`, () =>
      Effect.gen(function* () {
        let isArmed = false
        const fault = yield* blocking("Transactor.write", "before", (tables) => isArmed && tables.includes("refunds"))
        const time = requestTime(true)
        const { service, shop } = yield* opened({ faults: fault.layer, beneath: time.layer })
        yield* Effect.gen(function* () {
          yield* shop.paid(100_000)
          const { trade_no } = yield* shop.paid(1_000)
          isArmed = true
          const ask = shop.refund({ trade_no, ...body }, headers)
          const first = yield* Effect.forkChild(ask)
          yield* Deferred.await(fault.reached)
          yield* Effect.provideContext(TestClock.adjust("5 seconds"), service.context)
          time.move(5_000)
          assertRefused(yield* Fiber.join(first), 503, "internal_error")
          const second = yield* Effect.forkChild(ask)
          // A later call was answered, so it is under way.
          yield* shop.get("/v1/refunds")
          yield* fault.release
          let reply = yield* Fiber.join(second)
          // The first one's change was being written.
          if (reply.status === 409) reply = yield* ask
          assert.include([200, 201], reply.status, reply.text)
          assert.strictEqual(reply.body.data.status, "succeeded")
          assert.strictEqual((yield* service.sql`select 1 from sandbox_refunds`).length, 1)
          yield* assertLedgerWhole(service.sql)
        }).pipe(Effect.ensuring(fault.release))
      })
    )
  }
})

describe("an existing order is never refused to a caller who repeats its number", () => {
  it.live("when its currency was disabled or its notification target is gone: 200; what differs is 409", () =>
    Effect.gen(function* () {
      const { service } = yield* opened()
      const { api } = service
      const { liveKey, merchantId } = yield* api.newMerchant()
      const settle = (settings: object) => api.operator("POST", `/merchants/${merchantId}`, settings)
      const live = merchantOf(service, liveKey)
      yield* settle({
        approved: true,
        live_currencies: ["USD", "HKD"],
        live: { default_notify_url: "https://shop.example/hook" }
      })
      const terms = { amount: 100, currency: "HKD", out_trade_no: "cart" }
      const first = yield* live.post("/v1/orders", terms)
      assert.strictEqual(first.status, 201, first.text)
      yield* settle({ live_currencies: ["USD"], live: { default_notify_url: null } })

      const again = yield* live.post("/v1/orders", terms)
      assert.strictEqual(again.status, 200, again.text)
      assert.strictEqual(again.body.data.trade_no, first.body.data.trade_no)
      assertRefused(yield* live.post("/v1/orders", { ...terms, amount: 101 }), 409, "conflict", "amount")
      assertRefused(yield* live.post("/v1/orders", { ...terms, currency: "CNY" }), 409, "conflict", "currency")
      // A value that no order could have is wrong whether or not there is one (silences: G10).
      const unfit = { ...terms, metadata: { svc_payment_link: "1" } }
      assertRefused(yield* live.post("/v1/orders", unfit), 400, "invalid_request", "currency")
      assertRefused(
        yield* live.post("/v1/orders", { ...terms, out_trade_no: "new" }),
        400,
        "invalid_request",
        "currency"
      )
      assertRefused(yield* live.post("/v1/orders", { amount: 1, currency: "HKD" }), 400, "invalid_request", "currency")
    })
  )
})

describe("an accepted payout is never refused to an operator who repeats its reference", () => {
  it.live("two at once, after the balance is gone, after its currency was disabled and its fee changed", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened()
      const { api, merchant } = service
      yield* shop.paid(1_000)
      const payout = (reference: string, body: object = {}) =>
        api.operator("POST", `/merchants/${merchant.merchantId}/payouts`, {
          mode: "sandbox",
          currency: "USD",
          amount: 600,
          reference,
          ...body
        })
      const replies = yield* pair(payout("may"))
      assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [200, 201])
      assertRefused(yield* payout("june"), 400, "insufficient_balance", "amount")
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { payout_fee: { USD: 7 } })
      const again = yield* payout("may")
      assert.deepStrictEqual([again.status, again.body.data.fee], [200, 0])
      assertRefused(yield* payout("may", { amount: 601 }), 409, "conflict", "amount")
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("after a 503, when what it is paid from was being written as well", () =>
    Effect.gen(function* () {
      let isArmed = false
      const fault = yield* blocking("Transactor.write", "before", (tables) => isArmed && tables.includes("ledger"))
      const time = requestTime(true)
      const { service, shop } = yield* opened({ faults: fault.layer, beneath: time.layer })
      yield* Effect.gen(function* () {
        yield* shop.paid(100)
        yield* shop.post("/v1/orders", { amount: 1_000, out_trade_no: "funds" })
        const payout = service.api.operator("POST", `/merchants/${service.merchant.merchantId}/payouts`, {
          mode: "sandbox",
          currency: "USD",
          amount: 600,
          reference: "may"
        })
        isArmed = true
        const paid = yield* Effect.forkChild(shop.post("/v1/test_helpers/orders/funds/pay"))
        yield* Deferred.await(fault.reached)
        const first = yield* Effect.forkChild(payout)
        // Later calls were answered, so it is under way.
        yield* Effect.repeat(shop.get("/v1/balance"), { times: 5 })
        yield* Effect.provideContext(TestClock.adjust("5 seconds"), service.context)
        time.move(5_000)
        assertRefused(yield* Fiber.join(paid), 503, "internal_error")
        assertRefused(yield* Fiber.join(first), 503, "internal_error")
        const second = yield* Effect.forkChild(payout)
        yield* Effect.repeat(shop.get("/v1/balance"), { times: 5 })
        yield* fault.release
        const reply = yield* Fiber.join(second)
        assert.strictEqual(reply.status, 200, reply.text)
        assert.strictEqual((yield* service.sql`select 1 from payouts`).length, 1)
        yield* assertLedgerWhole(service.sql)
      }).pipe(Effect.ensuring(fault.release))
    })
  )
})

describe("repeats cause no error in Postgres' log", () => {
  it.live("a number under another Idempotency-Key, one after the other and many at once; a key; a payment", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { service, shop } = yield* opened({ database })
      let keys = 0
      /** Each time with a key of its own. */
      const post = (path: string, body: object) =>
        Effect.suspend(() => shop.post(path, body, { "Idempotency-Key": `key-${keys++}` }))
      const codes = (calls: ReadonlyArray<Effect.Effect<Reply>>, concurrency: 1 | "unbounded") =>
        Effect.map(Effect.all(calls, { concurrency }), (replies) => replies.map(({ status }) => status).toSorted())
      const created = [200, 200, 200, 200, 200, 201]

      const { trade_no } = yield* shop.paid(100_000)
      for (const concurrency of [1, "unbounded"] as const) {
        const number = `${concurrency}`
        const order = post("/v1/orders", { amount: 100, out_trade_no: number })
        const refund = post("/v1/refunds", { trade_no, amount: 100, out_refund_no: number })
        const payout = service.api.operator("POST", `/merchants/${service.merchant.merchantId}/payouts`, {
          mode: "sandbox",
          currency: "USD",
          amount: 100,
          reference: number
        })
        for (const call of [order, refund, payout]) {
          assert.deepStrictEqual(
            yield* codes(
              Array.from(created, () => call),
              concurrency
            ),
            created
          )
        }
      }
      const keyed = shop.post("/v1/orders", { amount: 100 }, { "Idempotency-Key": "one" })
      assert.include(yield* codes([keyed, keyed, keyed], "unbounded"), 201)
      const pay = post("/v1/test_helpers/orders/1/pay", { payment_method: "card" })
      assert.include(yield* codes([pay, pay, pay], "unbounded"), 200)
      yield* assertLedgerWhole(service.sql)
      assert.deepStrictEqual(errorsLoggedIn(database), [])
    })
  )
})
