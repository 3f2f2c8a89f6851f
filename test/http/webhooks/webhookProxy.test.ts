/** The operator's proxy, as deliveries and the start use it (silences: W21). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { receiver } from "../../kit/Receiver.ts"
import { start } from "../../kit/Service.ts"
import { proxying } from "../../webhooks/proxy.ts"

describe("a delivery through the operator's proxy", () => {
  it.live("is not counted while the proxy fails, and is the first attempt when it works again", () =>
    Effect.gen(function* () {
      let works = false
      const proxy = yield* proxying(() => (works ? undefined : 407))
      const env = { WEBHOOK_PROXY: Redacted.value(proxy.url), WORKER_POLL: "5 seconds" }
      const { api, merchant, pass, sql } = yield* start({ clock: "test", env })
      const hook = yield* receiver
      yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, out_trade_no: "1", notify_url: hook.url })
      yield* api.post("/v1/test_helpers/orders/1/pay", merchant.sandboxKey, {})
      yield* pass("10 minutes")
      const rows = sql`select status, attempts from deliveries`
      assert.deepStrictEqual(yield* rows, [{ status: "pending", attempts: 0 }])
      assert.deepStrictEqual(yield* sql`select * from delivery_attempts`, [])
      assert.isAtLeast(proxy.asked.length, 10)
      const { text } = yield* api.get("/metrics")
      assert.include(text, `coffer_delivery_failures_total{outcome="proxy"} ${proxy.asked.length}`)

      works = true
      yield* pass("1 minute")
      yield* hook.next
      assert.deepStrictEqual(yield* rows, [{ status: "succeeded", attempts: 1 }])
      assert.strictEqual(hook.all.length, 1)
    })
  )
})

describe("WEBHOOK_PROXY", () => {
  for (const value of [
    "proxy.example:3128",
    "https://u:s3cret@proxy.example:3128",
    "socks5://u:s3cret@proxy.example:1080",
    "http://u:s3cret@proxy.example:3128/path",
    "http://u:s3cret@proxy.example:3128?a",
    "http://u:s3cret%@proxy.example:3128",
    "http://u:s3cret%ff@proxy.example:3128"
  ]) {
    it.live(`${value} stops the start with a sentence that does not repeat it`, () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(start({ env: { WEBHOOK_PROXY: value } }))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), "WEBHOOK_PROXY must look like")
        assert.notInclude(String(exit), "s3cret")
      })
    )
  }
})
