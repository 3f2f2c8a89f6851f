/** Time travel in one merchant's sandbox (docs/decisions/0005; silences: T1 to T7, T10). */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { webhooks } from "@coffer/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { callerOf, clockStory } from "../../kit/stories/clockStory.ts"
import { dropListeners } from "../../kit/runners/dropListeners.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { requestTime } from "../../kit/program/requestTime.ts"
import { start } from "../../kit/Service.ts"

const hour = 3_600_000

/** Takes posts and answers the first of them on command. */
const holdingReceiver = Effect.gen(function* () {
  const held = yield* Deferred.make<ServerResponse>()
  const server = createServer((request, response) => {
    request.resume().on("end", () => Deferred.doneUnsafe(held, Effect.succeed(response)))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const post = Deferred.await(held)
  return { url, isHeld: Effect.asVoid(post), answer: Effect.map(post, (response) => void response.end()) }
})

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

  it.live("answers 202 after 5 seconds, goes on, and refuses another advance by naming where it is going", () =>
    Effect.gen(function* () {
      const time = requestTime()
      const { api, merchant } = yield* start({ clock: "test", beneath: time.layer })
      const { call, clock, order } = callerOf([api], merchant.sandboxKey)
      const hook = yield* holdingReceiver
      const { expires_at } = yield* order({ notify_url: hook.url })
      const target = "1970-01-02T01:00:00.000Z"
      const asked = (body: object) => call("POST", "/test_helpers/clock/advance", body)
      const first = yield* Effect.forkChild(asked({ by: "25h" }))
      // The clock is stopped at the moment at which the order expires: its event is being posted.
      yield* hook.isHeld
      time.move(4_999)
      // Meanwhile the caller that waits looks again, too.
      for (let look = 0; look < 20; look++) {
        assert.deepInclude(yield* clock, { status: "advancing", now: expires_at, target })
      }
      assert.isUndefined(first.pollUnsafe())
      time.move(1)
      const { body, status } = yield* Fiber.join(first)
      assert.deepStrictEqual([status, body.code, body.message], [202, 202, "accepted"])
      assert.deepInclude(body.data, { status: "advancing", now: expires_at, ahead_ms: 24 * hour, target })

      const second = yield* asked({ by: "1h" })
      assertRefused(second, 409, "conflict")
      assert.include(second.body.message, target)
      assert.deepInclude(yield* clock, { status: "advancing", target })

      yield* hook.answer
      const there = yield* Effect.repeat(clock, { until: ({ status }) => status === "ready" })
      assert.deepInclude(there, { now: target, ahead_ms: 25 * hour, target: null })
      assert.deepStrictEqual(there.happened, { "payment.expired": 1, webhook_attempts: 1 })
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
        assert.strictEqual(body.data.ahead_ms, 25 * hour)
      }
      assert.strictEqual((yield* clock).ahead_ms, 25 * hour)
    })
  )

  it.live("dates a call of the log, and drops none: calls are kept for 30 days of real time (silences: A14)", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start({ clock: "live" })
      const { advance, get, order } = callerOf([api], merchant.sandboxKey)
      yield* advance({ by: "365d" })
      const { created_at } = yield* order()
      const ofOrders = get("/logs?path=/v1/orders")
      const seen = yield* Effect.repeat(ofOrders, { until: ({ data }) => data.length === 1 })
      assert.strictEqual(seen.data[0].created_at.slice(0, 10), created_at.slice(0, 10))
      yield* advance({ by: "31d" })
      assert.deepStrictEqual((yield* ofOrders).data, seen.data)
      const [{ request_id }] = seen.data
      assert.deepStrictEqual((yield* get(`/logs?ending_before=${request_id}&path=/v1/orders`)).data, [])
    })
  )

  it.live("dates an attempt, and not its signature, which a receiver compares with a clock of its own", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start({ clock: "live" })
      const { advance, get, paid } = callerOf([api], merchant.sandboxKey)
      const hook = yield* receiver
      yield* advance({ by: "90d" })
      const { paid_at } = yield* paid("card", { notify_url: hook.url })
      const { headers, raw } = yield* hook.next
      const { secret } = yield* get("/webhook_signing_secret")
      const { type } = yield* Effect.promise(() => webhooks.verify(raw, headers, secret))
      assert.strictEqual(type, "payment.succeeded")
      const made = Effect.map(get("/webhook_deliveries"), ({ data }) => data[0].attempts)
      const [attempt] = yield* Effect.repeat(made, { until: ({ length }) => length === 1 })
      assert.isAtLeast(Date.parse(attempt.at), Date.parse(paid_at))
    })
  )

  it.live("is read with the merchant where no word of a move can arrive", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* start({ clock: "test" })
      const { order } = callerOf([api], merchant.sandboxKey)
      yield* order()
      yield* dropListeners(sql)
      // As another runner moves it.
      yield* sql`insert into sandbox_clocks (merchant_id, offset_ms) values (${merchant.merchantId}, 86400000)`
      assert.strictEqual((yield* order()).created_at, "1970-01-02T00:00:00.000Z")
    })
  )
})
