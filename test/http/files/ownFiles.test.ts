/** Evidence files by the merchant's own key: the operator's checks, the merchant's quota and log (silences: D6). */
import { fileBytesMax } from "@coffer/model/Limits"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { type Running, start } from "../../kit/Service.ts"
import { type Answer, fileOf, filePart, formOf, modePart, type Part, uploadOwn } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/ownFiles") {}

const isRefused = ({ body, status }: Answer, code: number, error: string, param?: string) =>
  assert.deepStrictEqual([status, body.error, body.param], [code, error, param])

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a file that a merchant hands in", (it) => {
  it.effect("has an address that gives the same bytes, and that evidence of this environment may name", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant } = yield* Service
      const content = fileOf("png", 300_000)
      // The key names the owner.
      const { body, status } = yield* uploadOwn(
        baseUrl,
        merchant.sandboxKey,
        formOf(filePart(content), modePart("live"))
      )
      assert.strictEqual(status, 201)
      const { url, ...rest } = body.data
      assert.deepStrictEqual(rest, { content_type: "image/png", size: content.length })
      const read = yield* Effect.promise(async () => Buffer.from(await (await fetch(url)).arrayBuffer()))
      assert.deepStrictEqual(read, content)

      yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, out_trade_no: "sold" })
      yield* api.post("/v1/test_helpers/orders/sold/pay", merchant.sandboxKey, {})
      const dispute = yield* api.post("/v1/test_helpers/orders/sold/dispute", merchant.sandboxKey, {})
      const path = `/v1/disputes/${dispute.body.data.dispute_no}/evidence`
      const evidence = (file: string) =>
        api.post(path, merchant.sandboxKey, { files: [{ type: "receipt", url: file }] })
      assert.strictEqual((yield* evidence(url)).status, 200)
      const other = yield* api.newMerchant()
      const theirs = yield* uploadOwn(baseUrl, other.sandboxKey, formOf(filePart(fileOf("pdf"))))
      assert.strictEqual((yield* evidence(theirs.body.data.url)).status, 400)
    })
  )

  it.effect("is refused for what it is, by the field's name, and nothing of it stays", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant, sql } = yield* Service
      const before = yield* sql`select name from files`
      const send = (...parts: ReadonlyArray<Part>) => uploadOwn(baseUrl, merchant.sandboxKey, formOf(...parts))
      isRefused(yield* send(filePart(Buffer.from("<html>"))), 400, "invalid_request", "file")
      isRefused(yield* send(filePart(fileOf("pdf", fileBytesMax + 1))), 400, "invalid_request", "file")
      isRefused(yield* send(filePart(fileOf("pdf")), filePart(fileOf("pdf"))), 400, "invalid_request", "file")
      isRefused(yield* send(), 400, "invalid_request", "file")
      isRefused(yield* send({ name: "note", content: "a".repeat(5_000) }), 400, "invalid_request")
      const json = { "Content-Type": "application/json" }
      isRefused(yield* uploadOwn(baseUrl, merchant.sandboxKey, Buffer.from("{}"), json), 400, "invalid_request")
      isRefused(yield* uploadOwn(baseUrl, merchant.sandboxKey, Buffer.alloc(0)), 400, "invalid_request", "file")
      assert.deepStrictEqual(yield* sql`select name from files`, before)
    })
  )

  it.effect("needs a key that may write, and counts as a write", () =>
    Effect.gen(function* () {
      const { api, baseUrl } = yield* Service
      const form = formOf(filePart(fileOf("pdf")))
      isRefused(yield* uploadOwn(baseUrl, "svc_test_none", form), 401, "invalid_api_key")
      const merchant = yield* api.newMerchant()
      isRefused(yield* uploadOwn(baseUrl, merchant.liveKey, form), 403, "merchant_not_approved")
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { quotas: { writes: 1 } })
      assert.strictEqual((yield* uploadOwn(baseUrl, merchant.sandboxKey, form)).status, 201)
      isRefused(yield* uploadOwn(baseUrl, merchant.sandboxKey, form), 429, "rate_limited")
    })
  )

  it.effect("is logged by its size only", () =>
    Effect.gen(function* () {
      const { api, baseUrl, context } = yield* Service
      const { sandboxKey } = yield* api.newMerchant()
      const form = formOf(filePart(fileOf("pdf")))
      assert.strictEqual((yield* uploadOwn(baseUrl, sandboxKey, form)).status, 201)
      yield* Effect.flatMap(Logs, ({ flushed }) => flushed).pipe(Effect.provide(context))
      const { body } = yield* api.get("/v1/logs?path=/v1/files", sandboxKey)
      const [log] = body.data.data
      assert.deepInclude(log, { method: "POST", path: "/v1/files", status: 201 })
      assert.notInclude(JSON.stringify(log.request_body), "PDF")
      assert.include(JSON.stringify(log.request_body), String(form.length))
    })
  )
})
