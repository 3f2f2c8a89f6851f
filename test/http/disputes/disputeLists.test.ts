/**
 * GET /v1/disputes and GET /v1/disputes/{ref}: filters, pages, files, both numbers, and that no merchant sees another's
 * (spec: Endpoints, Disputes; List conventions; General rules, 4).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/disputeLists") {}

const header =
  "dispute_no,trade_no,merchant_id,processor_dispute_id,amount,fee,currency,status,processor_status,reason,mode," +
  "funds_frozen,evidence_due_by,opened_at,closed_at,created_at,updated_at,out_trade_no"

const amountsOf = (reply: Reply): ReadonlyArray<number> => {
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body.data.data.map(({ amount }: { readonly amount: number }) => amount)
}

/** Disputes of 1 to 7 minor units: 1 is won, 2 lost, 3 closed, 4 under review; 6 and 7 are another order's. */
const merchantWithSeven = Effect.gen(function* () {
  const running = yield* Service
  const first = yield* disputed(running, { amount: 1, reason: "=1+1" })
  const { api, key } = first
  const numbers = [first.no]
  for (const amount of [2, 3, 4, 5]) numbers.push((yield* first.open({ amount })).body.data.dispute_no)
  const other = yield* api.post("/v1/orders", key, { amount: 1000, out_trade_no: "2" })
  yield* api.post("/v1/test_helpers/orders/2/pay", key, {})
  for (const amount of [6, 7]) {
    numbers.push((yield* api.post("/v1/test_helpers/orders/2/dispute", key, { amount })).body.data.dispute_no)
  }
  for (const [index, outcome] of ["won", "lost", "closed"].entries()) {
    yield* api.post(`/v1/test_helpers/disputes/${numbers[index]}/resolve`, key, { outcome })
  }
  const evidence = { customer_name: "A" }
  yield* api.post(`/v1/disputes/${numbers[3]}/evidence`, key, { evidence, submit: true })
  const list = (query = "", as = key) => api.get(`/v1/disputes?${query}`, as)
  return { ...first, numbers, list, otherTradeNo: other.body.data.trade_no as string }
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("disputes are read", (it) => {
  it.effect("as a list, newest first, each as its own endpoint answers it", () =>
    Effect.gen(function* () {
      const { api, key, list, numbers } = yield* merchantWithSeven
      const { body } = yield* list()
      const { data, has_more, object, resource, url } = body.data
      assert.deepStrictEqual([object, resource, url, has_more], ["list", "dispute", "/v1/disputes", false])
      assert.deepStrictEqual(
        data.map(({ dispute_no }: { readonly dispute_no: string }) => dispute_no),
        numbers.toReversed()
      )
      for (const dispute of data) {
        assert.deepStrictEqual((yield* api.get(`/v1/disputes/${dispute.dispute_no}`, key)).body.data, dispute)
      }
    })
  )

  it.effect("filtered by status and by trade_no, alone and together", () =>
    Effect.gen(function* () {
      const { list, otherTradeNo, tradeNo } = yield* merchantWithSeven
      for (const [query, amounts] of [
        ["status=needs_response", [7, 6, 5]],
        ["status=under_review", [4]],
        ["status=closed", [3]],
        ["status=lost", [2]],
        ["status=won", [1]],
        [`trade_no=${tradeNo}`, [5, 4, 3, 2, 1]],
        [`trade_no=${otherTradeNo}`, [7, 6]],
        [`trade_no=${otherTradeNo}&status=needs_response`, [7, 6]],
        [`trade_no=${tradeNo}&status=lost`, [2]],
        [`trade_no=${otherTradeNo}&status=lost`, []],
        ["trade_no=1", [5, 4, 3, 2, 1]],
        ["trade_no=none", []],
        ["trade_no=", []],
        ["trade_no=%00", []]
      ] as const) {
        assert.deepStrictEqual(amountsOf(yield* list(query)), amounts, query)
      }
      for (const wrong of ["", "LOST", "paid", "won&status=lost"]) {
        assertRefused(yield* list(`status=${wrong}`), 400, "invalid_request", "status")
      }
    })
  )

  it.effect("in pages there and back, filtered too", () =>
    Effect.gen(function* () {
      const { list, numbers, tradeNo } = yield* merchantWithSeven
      for (const [filter, all] of [
        ["", [7, 6, 5, 4, 3, 2, 1]],
        [`trade_no=${tradeNo}&`, [5, 4, 3, 2, 1]],
        ["status=needs_response&", [7, 6, 5]]
      ] as const) {
        const there: Array<number> = []
        for (let after = ""; ;) {
          const page = yield* list(`${filter}limit=2${after}`)
          there.push(...amountsOf(page))
          if (!page.body.data.has_more) break
          after = `&starting_after=${numbers[there.at(-1)! - 1]}`
        }
        assert.deepStrictEqual(there, [...all])
        const back = there.slice(-1)
        for (let more = true; more;) {
          const page = yield* list(`${filter}limit=2&ending_before=${numbers[back[0]! - 1]}`)
          back.unshift(...amountsOf(page))
          more = page.body.data.has_more
        }
        assert.deepStrictEqual(back, [...all])
      }
      assertRefused(yield* list("limit=0"), 400, "invalid_request", "limit")
      assertRefused(yield* list("limit=101"), 400, "invalid_request", "limit")
      for (const cursor of ["none", tradeNo]) {
        assertRefused(yield* list(`starting_after=${cursor}`), 400, "invalid_request", "starting_after")
      }
      const both = `starting_after=${numbers[0]}&ending_before=${numbers[1]}`
      assertRefused(yield* list(both), 400, "invalid_request", "ending_before")
      assert.deepStrictEqual(amountsOf(yield* list("created[lte]=2020-01-01T00:00:00Z")), [])
      assert.strictEqual(amountsOf(yield* list("created[gte]=2020-01-01T00:00:00Z")).length, 7)
    })
  )

  it.effect("as a file: the fields in their order, amounts with two decimals, texts that no spreadsheet runs", () =>
    Effect.gen(function* () {
      const { list, read } = yield* merchantWithSeven
      const { headers, status, text } = yield* list("format=csv&limit=1")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"])
      assert.strictEqual(headers.get("content-disposition"), 'attachment; filename="disputes.csv"')
      const lines = text.split("\r\n")
      assert.deepStrictEqual([lines[0], lines.length], [header, 9])
      const first = yield* read
      assert.strictEqual(
        lines[7],
        [
          first.dispute_no,
          first.trade_no,
          first.merchant_id,
          first.processor_dispute_id,
          "0.01,,USD,won,won,'=1+1,sandbox,false",
          first.evidence_due_by,
          first.opened_at,
          first.closed_at,
          first.created_at,
          first.updated_at,
          first.out_trade_no
        ].join(",")
      )
      const lost = (yield* list("format=csv&status=lost")).text.split("\r\n")
      assert.include(lost[1], ",0.02,15.00,USD,lost,lost,")
      assert.strictEqual(lost.length, 3)
    })
  )

  it.effect("by our number and by the channel's", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { evidence, key, no, opened, resolve } = yield* disputed(yield* Service)
      const path = `/v1/disputes/${opened.processor_dispute_id}`
      assert.deepStrictEqual((yield* api.get(path, key)).body.data, opened)
      assert.deepStrictEqual((yield* api.get(`${path}/evidence`, key)).body.data, yield* evidence)
      const saved = yield* api.post(`${path}/evidence`, key, { evidence: { customer_name: "A" } })
      assert.deepStrictEqual([saved.status, saved.body.data.dispute_no], [200, no])
      assert.strictEqual((yield* api.post(`${path}/accept`, key)).status, 200)
      const helper = `/v1/test_helpers/disputes/${opened.processor_dispute_id}/resolve`
      assert.strictEqual((yield* api.post(helper, key, { outcome: "lost" })).body.data.status, "lost")
      assert.strictEqual((yield* resolve("lost")).status, 200)
    })
  )

  it.effect("only by their merchant: not by another one, not with the live key, not in lists, files or cursors", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { list, merchantId, no, numbers, opened, tradeNo } = yield* merchantWithSeven
      const stranger = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
      const reset = yield* api.operator("POST", `/merchants/${merchantId}/keys/live/reset`)
      for (const key of [stranger.sandboxKey, reset.body.data.key as string]) {
        for (const ref of [no, opened.processor_dispute_id]) {
          assertRefused(yield* api.get(`/v1/disputes/${ref}`, key), 404, "dispute_not_found")
          assertRefused(yield* api.get(`/v1/disputes/${ref}/evidence`, key), 404, "dispute_not_found")
          const body = { evidence: { customer_name: "A" }, submit: true }
          assertRefused(yield* api.post(`/v1/disputes/${ref}/evidence`, key, body), 404, "dispute_not_found")
          assertRefused(yield* api.post(`/v1/disputes/${ref}/accept`, key), 404, "dispute_not_found")
        }
        for (const query of ["", `trade_no=${tradeNo}`, "status=lost"]) {
          assert.deepStrictEqual(amountsOf(yield* list(query, key)), [])
        }
        assertRefused(yield* list(`starting_after=${numbers[3]}`, key), 400, "invalid_request", "starting_after")
        assert.strictEqual((yield* list("format=csv", key)).text, `${header}\r\n`)
      }
      const helper = `/v1/test_helpers/disputes/${numbers[4]}/resolve`
      assertRefused(yield* api.post(helper, stranger.sandboxKey, { outcome: "won" }), 404, "dispute_not_found")
      assert.strictEqual(amountsOf(yield* list("status=needs_response")).length, 3)
    })
  )

  describe("a number that no dispute has", () => {
    for (const ref of ["dsp_00000000000000000000000000", "none", "%00", "%F0%9F%98%80", "x".repeat(2_000)]) {
      it.effect(ref.slice(0, 40), () =>
        Effect.gen(function* () {
          const { api, merchant } = yield* Service
          const reply = yield* api.get(`/v1/disputes/${ref}`, merchant.sandboxKey)
          assertRefused(reply, 404, "dispute_not_found")
        })
      )
    }
  })
})
