/** Time travel in one merchant's sandbox (docs/decisions/0043; silences: T1 to T6). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { callerOf, clockStory } from "../../kit/clockStory.ts"
import { deafen } from "../../kit/deafen.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

describe("the clock of a sandbox", () => {
  it.live("takes one merchant through a whole story, and leaves the other where it is", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* start({ clock: "test" })
      yield* clockStory({ apis: [api], merchant, other: yield* api.newMerchant(), sql, late: 0 })
    })
  )

  it.live("goes forward only, five years in all, in the sandbox alone, and says which field is wrong", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start({ clock: "test" })
      const { advance, call } = callerOf([api], merchant.sandboxKey)
      const asked = (body: unknown) => call("POST", "/test_helpers/clock/advance", body)
      yield* advance({ by: 3_600 })
      for (const [body, param] of [
        [{}, "by"],
        [{ by: "1h", to: "1970-01-02T00:00:00Z" }, "to"],
        [{ to: "1970-01-01T01:00:00Z" }, "to"],
        [{ by: "1826d" }, "by"],
        [{ by: "1 hour" }, "by"],
        [{ by: 0 }, "by"]
      ] as const) {
        const refused = yield* asked(body)
        assertRefused(refused, 400, "invalid_request", param)
      }
      const live = yield* callerOf([api], merchant.liveKey).call("GET", "/test_helpers/clock")
      assert.isAtLeast(live.status, 403)
    })
  )

  it.live("is moved once by one Idempotency-Key, however often the request is sent", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start({ clock: "test" })
      const { clock } = callerOf([api], merchant.sandboxKey)
      for (let again = 0; again < 3; again++) {
        const headers = { "Idempotency-Key": "a day" }
        const path = "/v1/test_helpers/clock/advance"
        const { body } = yield* api.call("POST", path, { key: merchant.sandboxKey, body: { by: "25h" }, headers })
        assert.strictEqual(body.data.ahead_ms, 25 * 3_600_000)
      }
      assert.strictEqual((yield* clock).ahead_ms, 25 * 3_600_000)
    })
  )

  it.live("takes the logs along: a call is dated by it, and listed for 30 days of it", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start({ clock: "live" })
      const { advance, get, order } = callerOf([api], merchant.sandboxKey)
      yield* advance({ by: "365d" })
      const { created_at } = yield* order()
      const ofOrders = get("/logs?path=/v1/orders")
      const seen = yield* Effect.repeat(ofOrders, { until: ({ data }) => data.length === 1 })
      assert.strictEqual(seen.data[0].created_at.slice(0, 10), created_at.slice(0, 10))
      yield* advance({ by: "31d" })
      assert.deepStrictEqual((yield* ofOrders).data, [])
    })
  )

  it.live("is read with the merchant where no word of a move can arrive", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* start({ clock: "test" })
      const { order } = callerOf([api], merchant.sandboxKey)
      yield* order()
      yield* deafen(sql)
      // As another runner moves it.
      yield* sql`insert into sandbox_clocks (merchant_id, offset_ms) values (${merchant.merchantId}, 86400000)`
      assert.strictEqual((yield* order()).created_at, "1970-01-02T00:00:00.000Z")
    })
  )
})
