/** Errors as problem details (RFC 9457), when they are asked for (silences: G3). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../kit/Service.ts"

describe("an error", () => {
  it.live("is a problem to who accepts application/problem+json, and says all that the error body says", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const headers = { accept: "application/problem+json, application/json" }
      const call = { key: merchant.sandboxKey, body: { amount: "1" } }
      const plain = yield* api.call("POST", "/v1/orders", call)
      const problem = yield* api.call("POST", "/v1/orders", { ...call, headers })
      assert.strictEqual(problem.headers.get("content-type"), "application/problem+json")
      const said = JSON.parse(problem.text)
      assert.deepStrictEqual(said, {
        type: "about:blank",
        title: "invalid request",
        status: 400,
        detail: plain.body.message,
        instance: `urn:coffer:${problem.headers.get("x-request-id")}`,
        ...plain.body,
        request_id: problem.headers.get("x-request-id")
      })
      assert.include(plain.headers.get("content-type"), "application/json")
      assert.notProperty(plain.body, "detail")
      const unknown = yield* api.call("GET", "/v1/nothing", { headers })
      assert.strictEqual(unknown.headers.get("content-type"), "application/problem+json")
      const fine = yield* api.call("GET", "/v1/balance", { key: merchant.sandboxKey, headers })
      assert.include(fine.headers.get("content-type"), "application/json")
      assert.strictEqual(problem.headers.get("ratelimit-policy"), plain.headers.get("ratelimit-policy"))
    })
  )

  it.live("is a problem only where that is preferred to JSON, by quality, and by place where that is the same", () =>
    Effect.gen(function* () {
      const { api } = yield* start()
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
