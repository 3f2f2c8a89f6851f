/** Card numbers and secrets in what a call sends never reach the API logs (spec: API log; silences: A3). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { flushed, storedLogs } from "../../kit/rows/logs.ts"
import { start } from "../../kit/Service.ts"

const card = "4111111111111111"

it.effect("a card number in the body, path, query or a header is cut before anything is stored", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant } = running
    const key = merchant.sandboxKey
    const created = yield* api.call("POST", `/v1/orders?card=${card}`, {
      key,
      body: { amount: 1000, out_trade_no: "1", subject: `For 4111 1111 1111 1111`, metadata: { note: card } },
      headers: { "User-Agent": `shop/1.0 (${card})`, "Idempotency-Key": `key-${card}` }
    })
    assert.strictEqual(created.body.data.metadata.note, card)
    yield* api.get(`/v1/orders/${card}`, key)
    yield* api.get("/v1/orders/4111%201111%201111%201111", key)
    yield* flushed(running)

    const logs = (yield* api.get("/v1/logs", key)).body.data.data
    assert.deepStrictEqual(
      logs.map(({ path }: { readonly path: string }) => path),
      ["/v1/orders/[redacted]", "/v1/orders/[redacted]", "/v1/orders"]
    )
    const { idempotency_key, request_body, response_body, user_agent } = logs[2]
    assert.deepStrictEqual([user_agent, idempotency_key], ["shop/1.0 ([redacted])", "key-[redacted]"])
    assert.deepStrictEqual(request_body, {
      amount: 1000,
      out_trade_no: "1",
      subject: "For [redacted]",
      metadata: { note: "[redacted]" }
    })
    assert.strictEqual(response_body.data.trade_no, created.body.data.trade_no)
    assert.notMatch(yield* storedLogs(running), /4111.{0,3}1111/)
  })
)

it.effect("a key, a webhook secret, a checkout token or a file's name in any of these is cut as well", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant } = running
    const key = merchant.sandboxKey
    const signing = yield* api.operator("GET", `/merchants/${merchant.merchantId}/signing_secret/sandbox`)
    const first = yield* api.post("/v1/orders", key, { amount: 1000 })
    const { checkout_url, trade_no } = first.body.data
    const token = checkout_url.slice(checkout_url.lastIndexOf("/") + 1)
    const file = `${"f1L3_nam-".repeat(5).slice(0, 43)}.pdf`
    const secrets = [key, merchant.liveKey, signing.body.data.secret, token, file]
    const note = `curl ${checkout_url} https://a.example/files/${file} ${secrets.join(" ")}`
    yield* api.call("POST", `/v1/orders?note=${encodeURIComponent(note)}`, {
      key,
      body: { amount: 1000, subject: `For ${key}`, metadata: { note, [`k${key.slice(0, 38)}`]: "1" } },
      headers: { "User-Agent": `shop/1.0 (${secrets.join("; ")})`, "Idempotency-Key": `key-${key}` }
    })
    for (const secret of secrets) yield* api.get(`/v1/orders/${encodeURIComponent(`a/${secret}`)}`, key)
    yield* flushed(running)

    const stored = yield* storedLogs(running)
    for (const secret of secrets) assert.notInclude(stored, secret)
    const logs = (yield* api.get("/v1/logs", key)).body.data.data
    assert.deepStrictEqual(
      logs.slice(0, 5).map(({ path }: { readonly path: string }) => path),
      ["[redacted]", "[redacted]", "whsec_[redacted]", "svc_live_[redacted]", "svc_test_[redacted]"].map(
        (cut) => `/v1/orders/a%2F${cut}`
      )
    )
    const { idempotency_key, request_body } = logs[5]
    assert.strictEqual(idempotency_key, "key-svc_test_[redacted]")
    assert.strictEqual(request_body.subject, "For svc_test_[redacted]")
    assert.include(
      request_body.metadata.note,
      "/checkout/[redacted] https://a.example/files/[redacted] svc_test_[redacted] "
    )
    assert.strictEqual(logs[6].response_body.data.trade_no, trade_no)
  })
)
