/**
 * The same refund requested twice: by its number, by its Idempotency-Key, at once, and after a crash (silences: R4).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocking } from "../../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { type Options, start } from "../../kit/Service.ts"

const opened = (options: Options = {}) =>
  Effect.gen(function* () {
    const service = yield* start({ clock: "test", ...options })
    const shop = merchantOf(service)
    yield* shop.paid(100_000)
    const { trade_no } = yield* shop.paid(1_000)
    const movements = Effect.map(service.sql`select 1 from sandbox_refunds`, ({ length }) => length)
    return { service, shop, trade_no: trade_no as string, movements }
  })

describe("a repeat of an out_refund_no", () => {
  it.live("is answered 200 with the refund as it is now, and pays nothing back", () =>
    Effect.gen(function* () {
      const { movements, shop, trade_no } = yield* opened()
      const body = { trade_no, amount: 10, out_refund_no: "r" }
      const first = yield* shop.refund(body)
      yield* shop.post(`/v1/refunds/r`, { metadata: { a: "1" } })
      const again = yield* shop.refund({ ...body, reason: "another reason" })
      assert.deepStrictEqual([first.status, again.status], [201, 200])
      assert.deepStrictEqual(again.body.data, {
        ...first.body.data,
        metadata: { a: "1" },
        updated_at: again.body.data.updated_at
      })
      assert.strictEqual(yield* movements, 1)
    })
  )

  it.live("with another order or another amount is 409 conflict; an amount left out is not an amount named", () =>
    Effect.gen(function* () {
      const { shop, trade_no } = yield* opened()
      const other = yield* shop.paid(1_000)
      yield* shop.refund({ trade_no, amount: 1_000, out_refund_no: "named" })
      yield* shop.refund({ trade_no: other["trade_no"], out_refund_no: "whole" })
      const said = [
        [{ trade_no: other["trade_no"], amount: 1_000, out_refund_no: "named" }, "trade_no"],
        [{ trade_no, amount: 999, out_refund_no: "named" }, "amount"],
        [{ trade_no, out_refund_no: "named" }, "amount"],
        [{ trade_no: other["trade_no"], amount: 1_000, out_refund_no: "whole" }, "amount"]
      ] as const
      for (const [body, param] of said) assertRefused(yield* shop.refund(body), 409, "conflict", param)
      assert.strictEqual((yield* shop.refund({ trade_no: other["trade_no"], out_refund_no: "whole" })).status, 200)
    })
  )

  it.live("another refund beside a pending one of the whole is told that nothing is left, and never of 0 units", () =>
    Effect.gen(function* () {
      const { shop } = yield* opened()
      const { trade_no } = yield* shop.paid(1_000, {}, "alipay")
      yield* shop.refund({ trade_no })
      const part = yield* shop.refund({ trade_no, amount: 1 })
      assertRefused(part, 400, "invalid_request", "amount")
      assert.match(part.body.message, /exceeds what is left: pending refunds take all of it/)
      const whole = yield* shop.refund({ trade_no })
      assertRefused(whole, 409, "conflict")
      assert.match(whole.body.message, /Nothing is left to refund: it was refunded, is being refunded/)
    })
  )

  it.live("is answered before balance, dispute and state are looked at", () =>
    Effect.gen(function* () {
      const { shop, trade_no } = yield* opened()
      const body = { trade_no, out_refund_no: "all" }
      assert.strictEqual((yield* shop.refund(body)).status, 201)
      assert.strictEqual((yield* shop.refund(body)).status, 200, "though nothing is left of the order")
    })
  )

  it.live("belongs to one merchant and environment", () =>
    Effect.gen(function* () {
      const { service, shop, trade_no } = yield* opened()
      yield* shop.refund({ trade_no, amount: 1, out_refund_no: "shared" })
      const other = merchantOf(service, (yield* service.api.newMerchant()).sandboxKey)
      yield* other.paid(100_000)
      const theirs = yield* other.paid(1_000)
      const refund = yield* other.refund({ trade_no: theirs["trade_no"], amount: 1, out_refund_no: "shared" })
      assert.strictEqual(refund.status, 201)
      assertRefused(yield* other.get(`/v1/refunds/${trade_no}`), 404, "refund_not_found")
      const mine = (yield* shop.get("/v1/refunds/shared")).body.data
      assertRefused(yield* other.get(`/v1/refunds/${mine.refund_no}`), 404, "refund_not_found")
      assert.strictEqual((yield* other.get("/v1/refunds")).body.data.data.length, 1)
    })
  )

  it.live("while the channel is being asked waits for the same answer", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("RefundChannel.refund", "before")
      const { movements, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      const body = { trade_no, amount: 10, out_refund_no: "twice" }
      const first = yield* Effect.forkChild(shop.refund(body))
      yield* Deferred.await(fault.reached)
      const running = yield* shop.get("/v1/refunds/twice")
      assert.deepInclude(running.body.data, { status: "pending", funds_frozen: false })
      const second = yield* Effect.forkChild(shop.refund(body))
      // It is waiting: a later call was answered.
      yield* shop.get("/v1/refunds/twice")
      yield* fault.release
      const replies = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual(
        replies.map(({ body, status }) => [status, body.data.status]),
        [
          [201, "succeeded"],
          [200, "succeeded"]
        ]
      )
      assert.strictEqual(yield* movements, 1)
      yield* assertLedgerWhole(service.sql)
    })
  )
})

describe("an Idempotency-Key on a refund", () => {
  const key = { "Idempotency-Key": "k" }

  it.live("gets the first answer again, 201 or 202 as it was, though the refund has settled since", () =>
    Effect.gen(function* () {
      const { movements, service, shop } = yield* opened()
      const { trade_no } = yield* shop.paid(1_000, {}, "alipay")
      const first = yield* shop.refund({ trade_no, amount: 10 }, key)
      yield* service.pass("2 minutes")
      const again = yield* shop.refund({ trade_no, amount: 10 }, key)
      assert.deepStrictEqual([first.status, again.status], [202, 202])
      assert.deepStrictEqual(again.body.data, first.body.data)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(yield* movements, 1)
    })
  )

  it.live("may be used again after 502, and then pays back once", () =>
    Effect.gen(function* () {
      const { movements, shop, trade_no } = yield* opened()
      yield* shop.reachable(false)
      assertRefused(yield* shop.refund({ trade_no, amount: 10 }, key), 502, "processor_error")
      yield* shop.reachable(true)
      assert.strictEqual((yield* shop.refund({ trade_no, amount: 10 }, key)).status, 201)
      assert.strictEqual((yield* shop.refund({ trade_no, amount: 10 }, key)).status, 201)
      assert.strictEqual(yield* movements, 1)
    })
  )
})

describe("a channel that does not answer", () => {
  it.live("leaves the refund pending, found out later by its own number, never paid back twice", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("RefundChannel.refund", "after")
      const { movements, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      const asking = yield* Effect.forkChild(shop.refund({ trade_no, amount: 10, out_refund_no: "lost" }))
      yield* Deferred.await(fault.reached)
      // The time that a request may wait for the channel (silences: G29).
      yield* service.pass("7 seconds")
      const reply = yield* Fiber.join(asking)
      assert.deepStrictEqual([reply.status, reply.body.data.status], [202, "pending"])
      assert.deepInclude(reply.body.data, { funds_frozen: true })
      yield* service.pass("18 seconds")
      const { body } = yield* shop.get("/v1/refunds/lost")
      assert.deepInclude(body.data, { status: "succeeded", funds_frozen: false })
      assert.strictEqual(yield* movements, 1)
      assert.deepStrictEqual(yield* shop.events(body.data.refund_no), ["refund.succeeded"])
      yield* assertLedgerWhole(service.sql)
    })
  )
})
