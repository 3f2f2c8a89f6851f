/** What is no HTTP: it never reaches a route, and is answered in the envelope all the same (spec: General rules, 3). */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { head, sendRaw } from "../../kit/Raw.ts"
import { start } from "../../kit/Service.ts"

/** Bytes that are no HTTP, and all that comes back until the service hangs up. */
const speak = (url: string, bytes: string) =>
  Effect.callback<string>((resume) => {
    const parts: Array<Buffer> = []
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes, "latin1"))
    socket.on("data", (part: Buffer) => parts.push(part))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(parts).toString())))
  })

describe("every response carries request_id, in the body and in the X-Request-Id header", () => {
  it.live("also that to a request without Host, which HTTP/1.1 requires and HTTP/1.0 does not", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
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

  it.live(
    "also that to CONNECT, and to an address with a fragment, which router and quota would read differently: 400",
    () =>
      Effect.gen(function* () {
        const { baseUrl, merchant } = yield* start()
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

  it.live("also that to a request whose Expect nobody knows, which is answered as any other", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
      const headers = { "X-Api-Key": merchant.sandboxKey, Expect: "a-miracle" }
      const { body, status } = yield* sendRaw(baseUrl, head("GET /v1/balance", headers))
      assert.deepStrictEqual([status, body?.code], [200, 200])
    })
  )

  it.live("also that to bytes that cannot be read as HTTP: 400 invalid_request", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      for (const bytes of [
        "NONSENSE\r\n\r\n",
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
})
