/** Errors as problem details (RFC 9457), when they are asked for (silences: G3). */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { onOneService, sharedService } from "../../kit/Service.ts"

onOneService((it) => {
  describe("an error", () => {
    it.effect("is a problem to who accepts application/problem+json, and says all that the error body says", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* sharedService
        const headers = { accept: "application/problem+json, application/json" }
        const call = { key: merchant.sandboxKey, body: { amount: "1" } }
        const plain = yield* api.call("POST", "/v1/orders", call)
        const problem = yield* api.call("POST", "/v1/orders", { ...call, headers })
        assert.strictEqual(problem.headers.get("content-type"), "application/problem+json")
        const said = JSON.parse(problem.text)
        assert.deepStrictEqual(said, {
          type: "urn:coffer:refusal:invalid_request",
          title: "invalid request",
          status: 400,
          detail: plain.body.message,
          instance: `urn:coffer:${problem.headers.get("x-request-id")}`,
          doc_url: said.doc_url,
          ...plain.body,
          request_id: problem.headers.get("x-request-id")
        })
        assert.include(plain.headers.get("content-type"), "application/json")
        for (const field of ["detail", "doc_url"]) assert.notProperty(plain.body, field)
        const unknown = yield* api.call("GET", "/v1/nothing", { headers })
        assert.strictEqual(unknown.headers.get("content-type"), "application/problem+json")
        const fine = yield* api.call("GET", "/v1/balance", { key: merchant.sandboxKey, headers })
        assert.include(fine.headers.get("content-type"), "application/json")
        assert.strictEqual(problem.headers.get("ratelimit-policy"), plain.headers.get("ratelimit-policy"))
      })
    )

    it.effect("leads to its reason on the page of its code in the documents, by a link and in problem details", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* sharedService
        const order = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).body.data
        const { origin } = new URL(order.checkout_url)
        for (const [path, key, code] of [
          ["/v1/orders/none", merchant.sandboxKey, "order_not_found"],
          ["/v1/orders", "svc_test_none", "invalid_api_key"],
          ["/v1/orders", undefined, "missing_api_key"],
          ["/v1/nothing", undefined, "route_not_found"],
          ["/operator/v1/merchants", undefined, "invalid_api_key"]
        ] as const) {
          const page = `${origin}/docs/errors/${code}`
          const headers = { accept: "application/problem+json" }
          const reply = yield* api.call("GET", path, { headers, ...(key && { key }) })
          assert.strictEqual(reply.headers.get("link"), `<${page}>; rel="help"`, path)
          assert.strictEqual(JSON.parse(reply.text).doc_url, page)
          assert.strictEqual((yield* api.get(`/docs/errors/${code}`)).status, 200)
        }
        const terms = { trade_no: order.trade_no, amount: 1 }
        const unpaid = yield* api.post("/v1/refunds", merchant.sandboxKey, terms)
        const reason = unpaid.headers.get("coffer-reason")
        assert.strictEqual(unpaid.headers.get("link"), `<${origin}/docs/errors/conflict#${reason}>; rel="help"`)
        assert.include((yield* api.get("/docs/errors/conflict")).text, `id="${reason}"`)
        assert.isNull((yield* api.get("/v1/balance", merchant.sandboxKey)).headers.get("link"))
      })
    )

    it.effect(
      "is a problem only where that is preferred to JSON, by quality, and by place where that is the same",
      () =>
        Effect.gen(function* () {
          const { api } = yield* sharedService
          for (const [accept, type] of [
            ["application/problem+json", "problem+json"],
            ["Application/Problem+JSON", "problem+json"],
            ["application/problem+json, application/json;q=0.9", "problem+json"],
            ["application/json;q=0.1, application/problem+json;q=0.2", "problem+json"],
            ["application/problem+json;q=0.5, */*;q=0.1", "problem+json"],
            ["application/problem+json, */*", "problem+json"],
            ["*/*, application/problem+json", "problem+json"],
            ["application/json, application/problem+json", "json"],
            ["application/json, application/problem+json;q=0.5", "json"],
            ["application/problem+json;q=0.5, application/json", "json"],
            ["application/problem+json;q=0.5, application/*", "json"],
            ["application/problem+json;q=0", "json"],
            ["application/problem+json;q=0.0, text/html", "json"],
            ["application/problem+json;q=nonsense, application/json;q=0.1", "json"],
            ["application/problem+jsonp", "json"],
            ["text/html;a=application/problem+json", "json"],
            ["*/*", "json"],
            ["text/html", "json"],
            ["", "json"]
          ] as const) {
            const { headers } = yield* api.call("GET", "/v1/nothing", { headers: { accept } })
            assert.strictEqual(headers.get("content-type"), `application/${type}`, accept)
          }
        })
    )
  })

  describe("a refusal", () => {
    it.effect("says why in a header and in problem details, finer than its code; the body stays as it is", () =>
      Effect.gen(function* () {
        const service = yield* sharedService
        const { api, merchant } = service
        const shop = merchantOf(service)
        const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 2_000, out_trade_no: "cart-1" }))
        const reasonOf = (method: string, path: string, body?: object) =>
          Effect.map(api.call(method, path, { key: merchant.sandboxKey, ...(body && { body }) }), (reply) => {
            assert.notProperty(reply.body, "reason")
            return [reply.status, reply.headers.get("coffer-reason")]
          })
        assert.deepStrictEqual(
          yield* reasonOf("POST", `/v1/orders/${trade_no}/send_receipt`, { email: "a@b.example" }),
          [409, "no_receipt"]
        )
        assert.deepStrictEqual(yield* reasonOf("POST", "/v1/orders", { amount: 1_999, out_trade_no: "cart-1" }), [
          409,
          "order_number_taken"
        ])
        assert.deepStrictEqual(yield* reasonOf("POST", "/v1/refunds", { trade_no }), [409, "not_paid"])
        yield* shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { outcome: "redirect" })
        assert.deepStrictEqual(yield* reasonOf("POST", `/v1/orders/${trade_no}/expire`), [409, "buyer_busy"])
        yield* shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, {})
        assert.deepStrictEqual(yield* reasonOf("POST", `/v1/orders/${trade_no}/expire`), [409, "not_pending"])
        assert.deepStrictEqual(yield* reasonOf("GET", "/v1/orders/none"), [404, "order_not_found"])
        assert.deepStrictEqual(yield* reasonOf("GET", "/v1/nothing"), [404, "route_not_found"])
        assert.deepStrictEqual(yield* reasonOf("POST", "/v1/orders", {}), [400, "invalid_request"])
        const problem = yield* api.call("POST", `/v1/orders/${trade_no}/expire`, {
          key: merchant.sandboxKey,
          headers: { accept: "application/problem+json" }
        })
        assert.strictEqual(JSON.parse(problem.text).type, "urn:coffer:refusal:not_pending")
        assert.isNull((yield* shop.get("/v1/balance")).headers.get("coffer-reason"))
      })
    )

    it.effect("is none for a repeated create, which says in a header which of its fields were not taken", () =>
      Effect.gen(function* () {
        const shop = merchantOf(yield* sharedService)
        const terms = { amount: 2_000, out_trade_no: "cart-1", metadata: { a: "1", b: "2" }, locale: "en" }
        yield* said(shop.post("/v1/orders", terms))
        const same = yield* shop.post("/v1/orders", { ...terms, metadata: { a: "1" } })
        assert.deepStrictEqual([same.status, same.headers.get("coffer-not-taken")], [200, null])
        const other = { metadata: { a: "2" }, return_url: "https://shop.example/", receipt_email: "a@b.example" }
        const again = yield* shop.post("/v1/orders", { ...terms, ...other })
        assert.deepStrictEqual(
          [again.status, again.headers.get("coffer-not-taken")],
          [200, "return_url, receipt_email, metadata"]
        )
      })
    )
  })

  describe("a field that a call does not know", () => {
    for (const [way, padding] of [
      ["the short path", 0],
      ["the framework", 70_000]
    ] as const) {
      it.effect(
        `is named in the sandbox with the nearest known one, and refused where strictness is asked: ${way}`,
        () =>
          Effect.gen(function* () {
            const { api, merchant } = yield* sharedService
            const body = { amount: 2_000, metadta: { a: "1" }, zzz: 1, subject: "Tea".padEnd(padding + 3, " ") }
            const ask = (more: object, headers = {}) =>
              api.call("POST", "/v1/orders", { key: merchant.sandboxKey, body: { ...body, ...more }, headers })
            const taken = yield* ask({})
            assert.strictEqual(taken.headers.get("coffer-ignored-fields"), "metadta;nearest=metadata, zzz")
            if (padding === 0) assert.strictEqual(taken.status, 201)
            const strict = yield* ask({}, { "Coffer-Strict": "true" })
            assert.deepStrictEqual([strict.status, strict.body.param], [400, "metadta"])
            assert.strictEqual(strict.body.message, "Unknown field `metadta`. Did you mean `metadata`?")
            const plain = yield* ask({ metadta: undefined, zzz: undefined }, { "Coffer-Strict": "true" })
            assert.isNull(plain.headers.get("coffer-ignored-fields"))
          })
      )
    }
  })
})
