/** Refunds read back: one by one, as pages, filtered, and as CSV (spec: Endpoints, Refunds; silences: R13). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const many = Effect.gen(function* () {
  const service = yield* start({ clock: "test" })
  const shop = merchantOf(service)
  yield* shop.paid(100_000)
  const card = yield* shop.paid(1_000)
  const alipay = yield* shop.paid(1_000, {}, "alipay")
  const made: Array<string> = []
  for (const [order, name] of [
    [card, "c-1"],
    [alipay, "a-1"],
    [card, "c-2"],
    [alipay, "=a-2"]
  ] as const) {
    const reply = yield* shop.refund({ trade_no: order["trade_no"], amount: 10, out_refund_no: name, reason: name })
    made.push(reply.body.data.refund_no)
    yield* service.pass("1 second")
  }
  yield* shop.settle("a-1", "failed")
  const named = (query: string) =>
    Effect.map(shop.get(`/v1/refunds?${query}`), ({ body }) =>
      body.data.data.map((refund: { out_refund_no: string }) => refund.out_refund_no)
    )
  return { service, shop, card, alipay, made, named }
})

describe("refunds", () => {
  it.live("are listed newest first, in pages, with the standard list body", () =>
    Effect.gen(function* () {
      const { made, named, shop } = yield* many
      const { body } = yield* shop.get("/v1/refunds?limit=3")
      assert.deepInclude(body.data, { object: "list", resource: "refund", has_more: true, url: "/v1/refunds" })
      assert.deepStrictEqual(yield* named(`limit=3`), ["=a-2", "c-2", "a-1"])
      assert.deepStrictEqual(yield* named(`limit=3&starting_after=${made[1]}`), ["c-1"])
      assert.deepStrictEqual(yield* named(`limit=1&ending_before=${made[1]}`), ["c-2"])
      assertRefused(yield* shop.get("/v1/refunds?starting_after=rfd_none"), 400, "invalid_request", "starting_after")
    })
  )

  it.live("are filtered by trade_no, out_refund_no and status, all of which have to match", () =>
    Effect.gen(function* () {
      const { alipay, card, named, shop } = yield* many
      assert.deepStrictEqual(yield* named(`trade_no=${card["trade_no"]}`), ["c-2", "c-1"])
      assert.deepStrictEqual(yield* named("out_refund_no=a-1"), ["a-1"])
      assert.deepStrictEqual(yield* named("status=pending"), ["=a-2"])
      assert.deepStrictEqual(yield* named("status=succeeded"), ["c-2", "c-1"])
      assert.deepStrictEqual(yield* named(`status=failed&trade_no=${alipay["trade_no"]}`), ["a-1"])
      assert.deepStrictEqual(yield* named(`status=failed&trade_no=${card["trade_no"]}`), [])
      assert.deepStrictEqual(yield* named("out_refund_no=a-1&status=pending"), [])
      assert.deepStrictEqual(yield* named("created[gte]=4000000000"), [])
      assertRefused(yield* shop.get("/v1/refunds?status=reserved"), 400, "invalid_request", "status")
    })
  )

  it.live("are exported as CSV, amounts with two decimals, text that begins like a formula with a quote", () =>
    Effect.gen(function* () {
      const { shop } = yield* many
      const { headers, text } = yield* shop.get("/v1/refunds?format=csv&limit=1&status=pending")
      assert.include(headers.get("content-type"), "text/csv")
      assert.include(headers.get("content-disposition"), "refunds.csv")
      const [header, row, end] = text.split("\r\n")
      assert.match(text, /^\uFEFF?"?refund_no/)
      assert.match(header!, /refund_no.*out_refund_no.*trade_no.*amount.*reason.*status/)
      assert.include(row!, ",'=a-2,")
      assert.include(row!, "0.10")
      assert.strictEqual(end, "")
    })
  )

  it.live("are read by either number, and take a merge of metadata", () =>
    Effect.gen(function* () {
      const { made, shop } = yield* many
      const read = (ref: string) =>
        Effect.map(shop.get(`/v1/refunds/${encodeURIComponent(ref)}`), ({ body }) => body.data)
      assert.deepStrictEqual(yield* read(made[3]!), yield* read("=a-2"))
      yield* shop.post("/v1/refunds/c-1", { metadata: { a: "1", b: "2" } })
      const { body, status } = yield* shop.post(`/v1/refunds/${made[0]}`, { metadata: { a: null, c: "" } })
      assert.deepStrictEqual([status, body.data.metadata], [200, { b: "2", c: "" }])
      assert.deepStrictEqual((yield* shop.post("/v1/refunds/c-1", { metadata: null })).body.data.metadata, {})
      assertRefused(yield* shop.get("/v1/refunds/none"), 404, "refund_not_found")
      assertRefused(yield* shop.post("/v1/refunds/none", { metadata: {} }), 404, "refund_not_found")
    })
  )
})
