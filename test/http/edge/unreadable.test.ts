/**
 * Bytes that are no HTTP never reach a route, and are answered in the envelope all the same (spec: General rules, 3).
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { head, sendRaw, speak } from "../../kit/callers/Raw.ts"
import { onOneService, sharedService } from "../../kit/Service.ts"

const garbage = "NONSENSE\r\n\r\n"
/** An order whose body has begun. */
const begun = (key: string) =>
  `${head("POST /v1/orders", { "X-Api-Key": key, "Content-Type": "application/json", "Transfer-Encoding": "chunked" })}3\r\n{"a\r\n`

onOneService((it) => {
  describe("every response carries request_id, in the body and in the X-Request-Id header", () => {
    it.effect("also that to a request without Host, which HTTP/1.1 requires and HTTP/1.0 does not", () =>
      Effect.gen(function* () {
        const { baseUrl, merchant } = yield* sharedService
        const key = { Host: undefined, "X-Api-Key": merchant.sandboxKey }
        for (const [line, more] of [
          ["GET /v1/balance", {}],
          ["GET /v1/nothing", {}],
          ["GET /healthz", {}],
          ["POST /v1/orders", { "Content-Type": "application/json", "Content-Length": 100 }]
        ] as const) {
          const { body, headers, status } = yield* sendRaw(baseUrl, head(line, { ...key, ...more }))
          assert.deepStrictEqual([status, body.code, body.error, body.param], [400, 400, "invalid_request", "Host"])
          assert.strictEqual(headers["x-request-id"], body.request_id)
        }
        const old = head("GET /v1/balance", key).replace("HTTP/1.1", "HTTP/1.0")
        assert.strictEqual((yield* sendRaw(baseUrl, old)).status, 200)
      })
    )

    it.effect(
      "also that to CONNECT, and to an address with a fragment, which router and quota would read differently: 400",
      () =>
        Effect.gen(function* () {
          const { baseUrl, merchant } = yield* sharedService
          const key = { "X-Api-Key": merchant.sandboxKey }
          const targets = ["/v1/orders#format=csv", "/v1/orders#", "/v1/balance#x", "/#x"].map(
            (target) => `GET ${target}`
          )
          for (const line of [...targets, "CONNECT /v1/orders"]) {
            const { body, headers, status } = yield* sendRaw(baseUrl, head(line, key))
            assert.deepStrictEqual([status, body?.error], [400, "invalid_request"], line)
            assert.strictEqual(headers["x-request-id"], body.request_id)
          }
        })
    )

    it.effect("also that to a request with an unknown Expect, which is answered as any other", () =>
      Effect.gen(function* () {
        const { baseUrl, merchant } = yield* sharedService
        const headers = { "X-Api-Key": merchant.sandboxKey, Expect: "a-miracle" }
        const { body, status } = yield* sendRaw(baseUrl, head("GET /v1/balance", headers))
        assert.deepStrictEqual([status, body?.code], [200, 200])
      })
    )

    it.effect("also that to bytes that cannot be read as HTTP: 400 invalid_request", () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* sharedService
        for (const bytes of [
          garbage,
          "GET /v1/orders/\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n",
          "GET /v1/balance HTTP/9.9\r\nHost: a\r\n\r\n",
          "GET /v1/balance HTTP/1.1\r\nHost: a\r\nX Api Key: b\r\n\r\n",
          `GET /v1/orders/${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
          `GET /v1/balance HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${"a".repeat(20_000)}\r\n\r\n`,
          "POST /v1/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        ]) {
          const [head = "", body = ""] = (yield* speak(baseUrl, bytes)).split("\r\n\r\n")
          assert.match(head, /^HTTP\/1\.1 400 /, bytes.slice(0, 60))
          const { code, error, request_id } = JSON.parse(body)
          assert.deepStrictEqual([code, error], [400, "invalid_request"])
          assert.include(head.toLowerCase(), `x-request-id: ${String(request_id).toLowerCase()}`)
        }
      })
    )

    it.effect(
      "also that to requests which came before such bytes: each in its turn, and then the connection ends",
      () =>
        Effect.gen(function* () {
          const { baseUrl, merchant } = yield* sharedService
          const key = { "X-Api-Key": merchant.sandboxKey }
          const get = head("GET /v1/balance", key)
          const list = head("GET /v1/orders?limit=1", key)
          const csv = head("GET /v1/orders?format=csv", key)
          const upgrade = head("GET /v1/balance", { ...key, Connection: "Upgrade, close", Upgrade: "websocket" })
          for (const [bytes, statuses] of [
            [get + list + garbage, [200, 200, 400]],
            [csv + get + garbage, [200, 200, 400]],
            [`${get}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`, [200, 400]],
            [get + upgrade, [200, 200]],
            [`${get + begun(merchant.sandboxKey)}no size\r\n`, [200, 400]],
            // It has its answer before its body breaks off, or has not begun.
            [`${begun("")}no size\r\n`, [401]],
            [`${get + begun("")}no size\r\n`, [200, 400]],
            [head("GET /v1/balance", { ...key, Connection: "close" }) + garbage, [200]]
          ] as const) {
            const said = yield* speak(baseUrl, bytes)
            const answered = Array.from(said.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => Number(status))
            assert.deepStrictEqual(answered, [...statuses], bytes)
            assert.strictEqual(said.match(/^cache-control: no-store\r$/gim)?.length, statuses.length, bytes)
            assert.strictEqual(
              said.match(/"request_id":"req_/g)?.length,
              statuses.length - (bytes.includes(csv) ? 1 : 0)
            )
          }
        })
    )
  })
})
