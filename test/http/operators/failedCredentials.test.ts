/** Keys and tokens that are nobody's: counted, logged now and then, and refused by address when they are many. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { entriesOf } from "../../kit/operators.ts"
import { start } from "../../kit/Service.ts"

const env = { TRUSTED_PROXIES: "127.0.0.1" }
const from = (ip: string, key: string) => ({ headers: { "X-Api-Key": key, "X-Forwarded-For": ip } })

it.live("an address with 300 wrong keys in a minute is refused, and others and known keys are not", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const ask = (ip: string, key: string) => api.call("GET", "/v1/balance", from(ip, key))
    yield* ask("203.0.113.7", merchant.sandboxKey)
    const wrong = Array.from({ length: 300 }, (_, index) => ask("203.0.113.7", `svc_test_${index}`))
    const statuses = (yield* Effect.all(wrong, { concurrency: 10 })).map(({ status }) => status)
    assert.deepStrictEqual(new Set(statuses), new Set([401]))
    const refused = yield* ask("203.0.113.7", "svc_test_next")
    assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    assert.strictEqual((yield* ask("203.0.113.7", merchant.sandboxKey)).status, 200)
    assert.strictEqual((yield* ask("203.0.113.8", "svc_test_next")).status, 401)
    const metrics = yield* api.call("GET", "/metrics", { headers: {} })
    assert.match(metrics.text, /coffer_credentials_refused\{of="merchant"\} 301/)
    const entries = yield* entriesOf(api, "&act=credentials.merchant")
    assert.sameMembers(
      entries.map(({ target }) => target),
      ["203.0.113.7", "203.0.113.8"]
    )
  })
)
