/** Requests that are sent on one connection before the first of them is answered (RFC 9112, 9.3.2; silences: G27). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocking } from "../../kit/faults/Faults.ts"
import { head, speak } from "../../kit/callers/Raw.ts"
import { start } from "../../kit/Service.ts"

const statusesOf = (said: string) => Array.from(said.matchAll(/HTTP\/1\.1 (\d+) /g), ([, status]) => Number(status))

describe("pipelined requests", () => {
  it.live("begin one after the other, each when the one before is answered, on both ways in", () =>
    Effect.gen(function* () {
      for (const type of ["application/json", "Application/JSON"]) {
        const fault = yield* blocking("Idempotency.run", "before")
        const { api, baseUrl, merchant, sql } = yield* start({ faults: fault.layer })
        const post = (headers: Record<string, string>) =>
          `${head("POST /v1/orders", {
            "X-Api-Key": merchant.sandboxKey,
            "Content-Type": type,
            "Content-Length": 14,
            ...headers
          })}{"amount":100}`
        const said = yield* Effect.forkChild(
          speak(
            baseUrl,
            post({ "Idempotency-Key": "k" }) + post({}) + post({ Expect: "100-continue", Connection: "close" })
          )
        )
        yield* Deferred.await(fault.reached)
        yield* Effect.repeat(api.get("/healthz"), { times: 5 })
        assert.deepStrictEqual(yield* sql`select trade_no from orders where merchant_id = ${merchant.merchantId}`, [])
        yield* fault.release
        assert.deepStrictEqual(
          statusesOf((yield* Fiber.join(said)).replace("HTTP/1.1 100 Continue", "")),
          [201, 201, 201]
        )
      }
    })
  )

  it.live("may be a hundred on a connection; one on which more are waiting is cut, and none of the rest begins", () =>
    Effect.gen(function* () {
      const { api, baseUrl } = yield* start()
      const begun = Effect.map(api.get("/metrics"), ({ text }) =>
        Number(/^coffer_http_requests_total\{[^}]*route="\/healthz"[^}]*\} (\d+)/m.exec(text)?.[1])
      )
      const get = head("GET /healthz")
      const hundred = yield* speak(baseUrl, get.repeat(100) + head("GET /healthz", { Connection: "close" }))
      assert.deepStrictEqual(
        statusesOf(hundred),
        Array.from({ length: 101 }, () => 200)
      )

      const before = yield* begun
      assert.isAtMost(statusesOf(yield* speak(baseUrl, get.repeat(3_000))).length, 101)
      assert.isAtMost((yield* begun) - before, 101)
    })
  )
})
