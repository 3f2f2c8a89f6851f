/**
 * Payouts by the operator's API: money to a merchant's bank, and the ledger rows it leaves (silences: B2).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Merchant } from "../../kit/Api.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/payouts") {}

/** A merchant with 941 minor units of USD, having paid 59 of 1,000 as a fee. */
const funded = Effect.fnUntraced(function* (settings: object = {}) {
  const { api } = yield* Service
  const merchant = yield* api.newMerchant()
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, settings)
  yield* merchantOf(yield* Service, merchant.sandboxKey).paid(1000)
  return merchant
})

const request = Effect.fnUntraced(function* ({ merchantId }: Merchant, body: object) {
  const { api } = yield* Service
  return yield* api.operator("POST", `/merchants/${merchantId}/payouts`, { mode: "sandbox", currency: "USD", ...body })
})

const take = Effect.fnUntraced(function* (payoutNo: string, step: string) {
  const { api } = yield* Service
  return yield* api.operator("POST", `/payouts/${payoutNo}/${step}`)
})

const balanceOf = Effect.fnUntraced(function* ({ sandboxKey }: Merchant) {
  const { available, fee, frozen, payout } = yield* merchantOf(yield* Service, sandboxKey).balance()
  return [available, frozen, payout, fee]
})

const rowsOf = Effect.fnUntraced(function* ({ sandboxKey }: Merchant, payoutNo: string) {
  return yield* merchantOf(yield* Service, sandboxKey).ledger(payoutNo)
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("payouts", (it) => {
  it.effect("a payout that succeeds: frozen on request, taken with its fee at the end", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const merchant = yield* funded({ payout_fee: { USD: 25 } })
      const requested = yield* request(merchant, { amount: 500 })
      assert.strictEqual(requested.status, 201)
      const { created_at, payout_no, updated_at, ...rest } = requested.body.data
      assert.match(payout_no, /^pyt_[0-9A-Z]{26}$/)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
      assert.strictEqual(updated_at, created_at)
      assert.deepStrictEqual(rest, {
        object: "payout",
        merchant_id: merchant.merchantId,
        mode: "sandbox",
        currency: "USD",
        amount: 500,
        fee: 25,
        status: "requested",
        approved_at: null,
        reference: null
      })
      assert.deepStrictEqual(yield* balanceOf(merchant), [441, 500, 0, 59])

      const approved = yield* take(payout_no, "approve")
      assert.deepStrictEqual([approved.status, approved.body.data.status], [200, "approved"])
      assert.deepStrictEqual(yield* balanceOf(merchant), [441, 500, 0, 59])

      const approvedAt = approved.body.data.approved_at
      assert.strictEqual(approvedAt, approved.body.data.updated_at)
      const completed = yield* take(payout_no, "complete")
      assert.strictEqual(completed.body.data.approved_at, approvedAt)
      assert.deepStrictEqual([completed.status, completed.body.data.status], [200, "succeeded"])
      assert.deepStrictEqual(yield* balanceOf(merchant), [416, 0, 500, 84])
      assert.deepStrictEqual(yield* rowsOf(merchant, payout_no), [
        ["payout_freeze", -500, 941, 441],
        ["payout_success", -500, 441, 441],
        ["payout_fee", -25, 441, 416]
      ])
      const read = yield* api.operator("GET", `/payouts/${payout_no}`)
      assert.deepStrictEqual(read.body.data, completed.body.data)
    })
  )

  it.effect("a payout that is rejected, or fails, gives its amount back and costs nothing", () =>
    Effect.gen(function* () {
      const merchant = yield* funded({ payout_fee: { USD: 25 } })
      for (const steps of [["reject"], ["approve", "fail"]]) {
        const { payout_no } = (yield* request(merchant, { amount: 916 })).body.data
        for (const step of steps) assert.strictEqual((yield* take(payout_no, step)).status, 200)
        assert.deepStrictEqual(yield* balanceOf(merchant), [941, 0, 0, 59])
        assert.deepStrictEqual(yield* rowsOf(merchant, payout_no), [
          ["payout_freeze", -916, 941, 25],
          ["payout_unfreeze", 916, 25, 941]
        ])
      }
    })
  )

  it.effect("a fee of 0 is a row as well", () =>
    Effect.gen(function* () {
      const merchant = yield* funded()
      const { payout_no } = (yield* request(merchant, { amount: 941 })).body.data
      yield* take(payout_no, "approve")
      yield* take(payout_no, "complete")
      assert.deepStrictEqual((yield* rowsOf(merchant, payout_no)).at(-1), ["payout_fee", 0, 0, 0])
    })
  )

  it.effect("what is available has to cover the amount and its fee, and what is promised cannot be had twice", () =>
    Effect.gen(function* () {
      const merchant = yield* funded({ payout_fee: { USD: 41 } })
      const tooMuch = yield* request(merchant, { amount: 901 })
      assertRefused(tooMuch, 400, "insufficient_balance", "amount")
      assert.notInclude(tooMuch.body.message, "refund")
      const first = yield* request(merchant, { amount: 500 })
      assert.strictEqual(first.status, 201)
      // 441 are available, 41 of them promised, and the second fee comes on top.
      assertRefused(yield* request(merchant, { amount: 360 }), 400, "insufficient_balance", "amount")
      assert.strictEqual((yield* request(merchant, { amount: 359 })).status, 201)
      assertRefused(yield* request(merchant, { amount: 1 }), 400, "insufficient_balance", "amount")
      for (const step of ["approve", "complete"]) {
        assert.strictEqual((yield* take(first.body.data.payout_no, step)).status, 200, "the fee was kept aside")
      }
      assertRefused(yield* request(merchant, { amount: 1, currency: "HKD" }), 400, "insufficient_balance", "amount")
    })
  )

  it.effect("the fee is the one of the request, whatever the merchant pays later", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const merchant = yield* funded({ payout_fee: { USD: 5 } })
      const { payout_no } = (yield* request(merchant, { amount: 936 })).body.data
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { payout_fee: { USD: 500 } })
      yield* take(payout_no, "approve")
      const completed = yield* take(payout_no, "complete")
      assert.deepStrictEqual([completed.status, completed.body.data.fee], [200, 5])
      assert.deepStrictEqual(yield* balanceOf(merchant), [0, 0, 936, 64])
    })
  )

  it.effect("a step taken twice is answered like the first, and one that does not follow gets 409", () =>
    Effect.gen(function* () {
      const merchant = yield* funded()
      const { payout_no } = (yield* request(merchant, { amount: 100 })).body.data
      assertRefused(yield* take(payout_no, "complete"), 409, "conflict")
      assertRefused(yield* take(payout_no, "fail"), 409, "conflict")
      for (const [step, others] of [
        ["approve", ["reject"]],
        ["complete", ["approve", "reject", "fail"]]
      ] as const) {
        const once = yield* take(payout_no, step)
        const twice = yield* take(payout_no, step)
        assert.strictEqual(twice.status, 200)
        assert.deepStrictEqual(twice.body.data, once.body.data)
        for (const other of others) assertRefused(yield* take(payout_no, other), 409, "conflict")
      }
      assert.strictEqual((yield* rowsOf(merchant, payout_no)).length, 3)
    })
  )

  it.effect("many who take opposite steps at once: exactly one happens", () =>
    Effect.gen(function* () {
      const merchant = yield* funded()
      for (let round = 0; round < 5; round++) {
        const { payout_no } = (yield* request(merchant, { amount: 100 })).body.data
        yield* take(payout_no, "approve")
        const steps = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? "complete" : "fail"))
        const replies = yield* Effect.forEach(steps, (step) => take(payout_no, step), { concurrency: "unbounded" })
        const winners = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body.data.status))
        assert.strictEqual(winners.size, 1, JSON.stringify([...winners]))
        for (const [index, reply] of replies.entries()) {
          const wanted = steps[index] === "complete" ? "succeeded" : "failed"
          if (!winners.has(wanted)) assertRefused(reply, 409, "conflict")
        }
        assert.strictEqual((yield* rowsOf(merchant, payout_no)).length, winners.has("succeeded") ? 3 : 2)
      }
    })
  )

  it.effect("a reference makes a request repeatable: one payout, however often and however much at once", () =>
    Effect.gen(function* () {
      const merchant = yield* funded()
      const asked = { amount: 600, reference: "October / 1" }
      const replies = yield* Effect.forEach(Array.from({ length: 10 }), () => request(merchant, asked), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [...Array(9).fill(200), 201])
      assert.strictEqual(new Set(replies.map(({ body }) => body.data.payout_no)).size, 1)
      const { payout_no } = replies[0]!.body.data
      assert.deepStrictEqual(yield* balanceOf(merchant), [341, 600, 0, 59])

      assertRefused(yield* request(merchant, { ...asked, amount: 601 }), 409, "conflict", "amount")
      assertRefused(yield* request(merchant, { ...asked, currency: "CNY" }), 409, "conflict", "currency")
      yield* take(payout_no, "approve")
      const later = yield* request(merchant, asked)
      assert.deepStrictEqual([later.status, later.body.data.status], [200, "approved"])
      // Another merchant's reference is independent.
      const other = yield* funded()
      assert.strictEqual((yield* request(other, asked)).status, 201)
      // Without a reference, each is another payout.
      for (const _ of [1, 2]) assert.strictEqual((yield* request(merchant, { amount: 100 })).status, 201)
    })
  )

  it.effect("a body that is not right gets 400 with the field's name", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const merchant = yield* funded()
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ amount: 0 }, "amount"],
        [{ amount: -5 }, "amount"],
        [{ amount: "5" }, "amount"],
        [{ amount: 1.5 }, "amount"],
        [{ amount: 100_000_000_001 }, "amount"],
        [{}, "amount"],
        [{ amount: 1, currency: "EUR" }, "currency"],
        [{ amount: 1, mode: "test" }, "mode"],
        [{ amount: 1, reference: "" }, "reference"],
        [{ amount: 1, reference: "a".repeat(129) }, "reference"],
        [{ amount: 1, reference: "a\u0000" }, "reference"],
        [{ amount: 1, reference: 5 }, "reference"]
      ]
      for (const [body, param] of wrong) assertRefused(yield* request(merchant, body), 400, "invalid_request", param)
      assertRefused(yield* request(merchant, { amount: 1, mode: "live" }), 400, "invalid_request", "currency")
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { live_currencies: ["USD"] })
      assertRefused(yield* request(merchant, { amount: 1, mode: "live" }), 400, "insufficient_balance", "amount")
    })
  )

  it.effect("what is not there gets 404: merchant_not_found, payout_not_found", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const id of ["mer_00000000000000000000000000", "1", "%00"]) {
        assertRefused(
          yield* api.operator("POST", `/merchants/${id}/payouts`, { mode: "sandbox", currency: "USD", amount: 1 }),
          404,
          "merchant_not_found"
        )
        assertRefused(yield* api.operator("GET", `/merchants/${id}/payouts?mode=live`), 404, "merchant_not_found")
      }
      for (const id of ["pyt_00000000000000000000000000", "1", "%00", merchant.merchantId]) {
        assertRefused(yield* api.operator("GET", `/payouts/${id}`), 404, "payout_not_found")
        for (const step of ["approve", "reject", "complete", "fail"]) {
          assertRefused(yield* take(id, step), 404, "payout_not_found")
        }
      }
    })
  )

  it.effect("merchants have no such endpoint, and a merchant's key is no operator's token", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const headers = { Authorization: `Bearer ${merchant.sandboxKey}` }
      const path = `/operator/v1/merchants/${merchant.merchantId}/payouts`
      assertRefused(yield* api.call("GET", `${path}?mode=sandbox`, { headers }), 401, "invalid_api_key")
      assertRefused(yield* api.call("POST", path, { headers, body: {} }), 401, "invalid_api_key")
      assertRefused(yield* api.get("/v1/payouts", merchant.sandboxKey), 404, "route_not_found")
    })
  )

  it.effect("the list is one environment's, newest first, in pages", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const merchant = yield* funded()
      const numbers: Array<string> = []
      for (const amount of [1, 2, 3]) numbers.unshift((yield* request(merchant, { amount })).body.data.payout_no)
      const path = `/merchants/${merchant.merchantId}/payouts`
      const list = (query: string) => Effect.map(api.operator("GET", `${path}?${query}`), ({ body }) => body)
      const noOf = ({ payout_no }: { readonly payout_no: string }) => payout_no

      const { data } = yield* list("mode=sandbox")
      assert.deepStrictEqual(data.data.map(noOf), numbers)
      assert.deepInclude(data, { object: "list", resource: "payout", has_more: false, url: `/operator/v1${path}` })
      assert.deepStrictEqual((yield* list("mode=live")).data.data, [])
      const page = (yield* list("mode=sandbox&limit=2")).data
      assert.deepStrictEqual([page.data.map(noOf), page.has_more], [numbers.slice(0, 2), true])
      const rest = (yield* list(`mode=sandbox&limit=2&starting_after=${numbers[1]}`)).data
      assert.deepStrictEqual([rest.data.map(noOf), rest.has_more], [numbers.slice(2), false])
      for (const [query, param] of [
        ["", "mode"],
        ["mode=test", "mode"],
        ["mode=sandbox&limit=0", "limit"],
        [`mode=live&starting_after=${numbers[0]}`, "starting_after"]
      ] as const) {
        assertRefused(yield* api.operator("GET", `${path}?${query}`), 400, "invalid_request", param)
      }
    })
  )

  it.effect("after all that the ledger is whole", () => Effect.flatMap(Service, ({ sql }) => assertLedgerWhole(sql)))
})
