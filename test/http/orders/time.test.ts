/** Automatic changes as time passes, on a real database, with the clock under the test's control. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Option } from "effect"
import { Workers } from "../../../src/platform/jobs/Workers.ts"
import { receiver } from "../../kit/Receiver.ts"
import { start } from "../../kit/Service.ts"

describe("expiry", () => {
  it.live("an unpaid order expires 24 hours after creation and not one millisecond before", () =>
    Effect.gen(function* () {
      const { api, merchant, pass } = yield* start({ clock: "test" })
      const hook = yield* receiver
      const key = merchant.sandboxKey
      const created = yield* api.post("/v1/orders", key, { amount: 1000, notify_url: hook.url })
      const path = `/v1/orders/${created.body.data.trade_no}`

      yield* pass(Duration.subtract(Duration.hours(24), Duration.millis(1)))
      assert.strictEqual((yield* api.get(path, key)).body.data.status, "pending")
      assert.deepStrictEqual(hook.all, [])

      yield* pass("1 milli")
      assert.strictEqual((yield* api.get(path, key)).body.data.status, "expired")
      assert.deepStrictEqual(
        hook.all.map(({ event }) => event.type),
        ["payment.expired"]
      )
    })
  )
})

describe("a pass of time", () => {
  it.live("stops at no moment of a quarter in which nothing is due", () =>
    Effect.gen(function* () {
      const { context, now, pass } = yield* start({ clock: "test" })
      yield* pass("1 hour")
      const wake = yield* Context.get(context, Workers).nextWake
      assert.isAbove(Option.getOrElse(wake, () => 0) - now(), Duration.toMillis("90 days"))
    })
  )

  it.live("lets workers that only tidy look at its end, and not each hour", () =>
    Effect.gen(function* () {
      const { api, pass } = yield* start({ clock: "test" })
      const rounds = Effect.map(api.get("/metrics"), ({ text }) =>
        Number(/^coffer_worker_rounds_total\{.*worker="expired reports".*\} (\d+)$/m.exec(text)![1])
      )
      const before = yield* rounds
      yield* pass("90 days")
      const after = yield* rounds
      assert.isAbove(after, before)
      assert.isBelow(after, before + 10)
    })
  )
})

describe("redelivery", () => {
  it.live(
    "a receiver that answers 500 gets 7 attempts: at once, then 30 s, 2 min, 10 min, 30 min, 2 h and 6 h after each failure",
    () =>
      Effect.gen(function* () {
        const { api, atRest, merchant, pass, sql } = yield* start({ clock: "test" })
        const hook = yield* receiver
        hook.answer(500)
        const key = merchant.sandboxKey
        const created = yield* api.post("/v1/orders", key, { amount: 1000, notify_url: hook.url })
        yield* api.post(`/v1/test_helpers/orders/${created.body.data.trade_no}/pay`, key, {})
        yield* atRest
        assert.strictEqual(hook.all.length, 1)

        const delays = ["30 seconds", "2 minutes", "10 minutes", "30 minutes", "2 hours", "6 hours"] as const
        for (const [index, delay] of delays.entries()) {
          yield* pass(Duration.subtract(Duration.fromInputUnsafe(delay), Duration.millis(1)))
          assert.strictEqual(hook.all.length, index + 1, `too early for the redelivery after ${delay}`)
          yield* pass("1 milli")
          assert.strictEqual(hook.all.length, index + 2, `no redelivery after ${delay}`)
        }
        yield* pass("7 days")
        assert.strictEqual(hook.all.length, 7)
        assert.strictEqual(new Set(hook.all.map(({ raw }) => raw)).size, 1, "the bytes are the same each time")
        assert.strictEqual(new Set(hook.all.map(({ headers }) => headers["x-service-event-id"])).size, 1)
        assert.strictEqual(
          new Set(hook.all.map(({ headers }) => headers["x-service-signature"])).size,
          7,
          "a fresh timestamp signs each"
        )
        const rows = yield* sql`select status, attempts from deliveries`
        assert.deepStrictEqual(rows, [{ status: "failed", attempts: 7 }])
      })
  )
})
