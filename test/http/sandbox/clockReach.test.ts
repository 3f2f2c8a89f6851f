/** Times that follow the clock of a sandbox, each at its last moment and after it (silences: T2, T5, T7, T8). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { callerOf } from "../../kit/stories/clockStory.ts"
import { flushed } from "../../kit/rows/logs.ts"
import { assertRefused, type Json } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/http/sandbox/clockReach") {}

const hour = 3_600_000

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("a moved clock", (it) => {
  type Shop = ReturnType<typeof callerOf> & {
    readonly running: Running
    readonly keyed: (path: string, key: string, body: Json) => Effect.Effect<Reply>
  }
  /** With a merchant of its own. */
  const test = (name: string, story: (shop: Shop) => Effect.Effect<void, unknown, any>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const service = yield* Service
        const running = { ...service, merchant: yield* service.api.newMerchant() }
        const key = running.merchant.sandboxKey
        yield* story({
          ...callerOf([running.api], key),
          running,
          keyed: (path, name, body) =>
            running.api.call("POST", `/v1${path}`, { key, body, headers: { "Idempotency-Key": name } })
        })
      }).pipe(Effect.scoped)
    )

  test("keeps an Idempotency-Key for 24 hours, and then takes it for a new request", ({ advance, keyed }) =>
    Effect.gen(function* () {
      const create = Effect.map(keyed("/orders", "cart", { amount: 100 }), ({ body }) => body.data.trade_no)
      const first = yield* create
      yield* advance({ by: 24 * 3_600 - 1 })
      assert.strictEqual(yield* create, first)
      yield* advance({ by: 1 })
      assert.notStrictEqual(yield* create, first)
    }))

  test("is moved once by one Idempotency-Key for 24 hours from its arrival, and then again", ({ advance, keyed }) =>
    Effect.gen(function* () {
      const move = (body: Json) => keyed("/test_helpers/clock/advance", "move", body)
      const ahead = (reply: Reply) => reply.body.data.ahead_ms / hour
      assert.strictEqual(ahead(yield* move({ by: "30h" })), 30)
      assert.strictEqual(ahead(yield* move({ by: "30h" })), 30)
      // Another move in between changes nothing.
      yield* advance({ by: "1h" })
      assert.strictEqual(ahead(yield* move({ by: "30h" })), 30)
      assertRefused(yield* move({ by: "2h" }), 400, "idempotency_error")
      yield* advance({ by: "23h" })
      assert.strictEqual(ahead(yield* move({ by: "30h" })), 84)
    }))

  test("that was moved without a key is moved again by the same span, and not by the same moment", (shop) =>
    Effect.gen(function* () {
      const { advance, call } = shop
      yield* advance({ by: "1h" })
      const { now } = yield* advance({ by: "1h" })
      assert.strictEqual(Date.parse(now), 2 * hour)
      const again = yield* call("POST", "/test_helpers/clock/advance", { to: now })
      assertRefused(again, 400, "invalid_request", "to")
      assert.include(again.body.message, now)
    }))

  test("ends a payment link at its expiry", ({ advance, clock, post, running }) =>
    Effect.gen(function* () {
      const { now } = yield* clock
      const expires_at = new Date(Date.parse(now) + 48 * hour).toISOString()
      const { url } = yield* post("/payment_links", { amount: 100, expires_at })
      const visit = running.api.call("GET", new URL(url).pathname)
      yield* advance({ to: new Date(Date.parse(expires_at) - 1).toISOString() })
      assert.strictEqual((yield* visit).status, 303)
      yield* advance({ by: 1 })
      assert.notStrictEqual((yield* visit).status, 303)
    }))

  test("is named with its time where a link's expiry has passed by it, whatever real time is", ({ advance, call }) =>
    Effect.gen(function* () {
      const { now } = yield* advance({ by: "30d" })
      const expires_at = new Date(Date.parse(now) - 1).toISOString()
      const refused = yield* call("POST", "/payment_links", { amount: 100, expires_at })
      assertRefused(refused, 400, "invalid_request", "expires_at")
      assert.include(refused.body.message, `the clock of this sandbox says ${now}`)
    }))

  test("lets a receipt be sent five times within its hour", ({ advance, call, paid, post }) =>
    Effect.gen(function* () {
      const { trade_no } = yield* paid("card")
      const send = call("POST", `/orders/${trade_no}/send_receipt`, { email: "buyer@example.com" })
      for (let n = 0; n < 5; n++) {
        yield* post(`/orders/${trade_no}/send_receipt`, { email: "buyer@example.com" })
        yield* advance({ by: "1m" })
      }
      const refused = yield* send
      assertRefused(refused, 429, "rate_limited")
      assert.strictEqual(refused.headers.get("retry-after"), "3300")
      yield* advance({ by: "55m" })
      assert.strictEqual((yield* send).status, 200)
    }))

  test("gives a receipt the number of its month", ({ advance, paid, running }) =>
    Effect.gen(function* () {
      yield* advance({ by: "60d" })
      const { receipt_url } = yield* paid("card")
      const page = yield* running.api.call("GET", new URL(receipt_url).pathname)
      assert.match(page.text, /\b197003-?\d+/)
    }))

  test("ends the old secret of an endpoint after 24 hours", ({ advance, paid, post }) =>
    Effect.gen(function* () {
      const hook = yield* receiver
      const { id } = yield* post("/webhook_endpoints", { url: hook.url, event_types: ["payment.succeeded"] })
      yield* post(`/webhook_endpoints/${id}/rotate_secret`)
      const signatures = Effect.gen(function* () {
        yield* paid("card")
        yield* advance({ by: 1 })
        return String(hook.all.at(-1)!.headers["x-service-signature"]).match(/v1=/g)?.length
      })
      assert.strictEqual(yield* signatures, 2)
      yield* advance({ by: "24h" })
      assert.strictEqual(yield* signatures, 1)
      assert.strictEqual(hook.all.length, 2)
    }))

  test("dates what the operator sets for the sandbox, and not what is set for live", ({ advance, running }) =>
    Effect.gen(function* () {
      yield* advance({ by: "365d" })
      const { merchantId } = running.merchant
      const patch = (mode: string, url: string) =>
        running.api.operator("POST", `/merchants/${merchantId}`, { [mode]: { default_notify_url: url } })
      yield* patch("sandbox", "https://shop.example/s")
      yield* patch("live", "https://shop.example/l")
      const rows = yield* running.sql<{ mode: string; at: Date }>`select mode, default_endpoint->>'createdAt' as at
        from merchant_modes where merchant_id = ${merchantId}`
      const yearOf = (mode: string) => new Date(rows.find((row) => row.mode === mode)!.at).getUTCFullYear()
      assert.deepStrictEqual([yearOf("sandbox"), yearOf("live")], [1971, 1970])
    }))

  test("goes as fast as real time, so Retry-After of a wait by it says how long to wait anywhere", (shop) =>
    Effect.gen(function* () {
      const { advance, call, paid, post, running } = shop
      yield* advance({ by: "30d" })
      const path = `/orders/${(yield* paid("card")).trade_no}/send_receipt`
      const body = { email: "buyer@example.com" }
      for (let n = 0; n < 5; n++) {
        yield* post(path, body)
        yield* advance({ by: 1 })
      }
      const isToldToWait = (seconds: number) =>
        Effect.map(call("POST", path, body), (refused) => {
          assertRefused(refused, 429, "rate_limited")
          assert.strictEqual(refused.headers.get("retry-after"), String(seconds))
        })
      yield* isToldToWait(3_595)
      yield* running.pass("3594 seconds")
      yield* isToldToWait(1)
      yield* running.pass("1 second")
      yield* post(path, body)
    }))

  test("dates API logs, which a range of times finds to the millisecond", ({ advance, get, running }) =>
    Effect.gen(function* () {
      const moments: Array<number> = []
      for (const by of ["30d", 60, 60]) {
        moments.push(Date.parse((yield* advance({ by })).now))
        yield* get("/balance")
      }
      yield* flushed(running)
      const seconds = moments[0]! / 1_000
      const iso = (offset: number) => new Date(seconds * 1_000 + offset).toISOString()
      for (const [query, count] of [
        [`created[lte]=${seconds}`, 1],
        [`created[lte]=${iso(59_999)}`, 1],
        [`created[lte]=${iso(60_000)}`, 2],
        [`created[gte]=${iso(60_001)}`, 1],
        [`created[gte]=${seconds + 60}&created[lte]=${seconds + 119}`, 1]
      ] as const) {
        assert.lengthOf((yield* get(`/logs?path=/v1/balance&${query}`)).data, count, query)
      }
    }))

  test("ends no wait for a quota", ({ advance, call, get, running }) =>
    Effect.gen(function* () {
      yield* running.api.operator("POST", `/merchants/${running.merchant.merchantId}`, { quotas: { reads: 1 } })
      yield* get("/orders")
      const isToldToWait = Effect.map(call("GET", "/orders"), (refused) => {
        assertRefused(refused, 429, "rate_limited")
        assert.strictEqual(refused.headers.get("retry-after"), "60")
      })
      yield* isToldToWait
      yield* advance({ by: "1d" })
      yield* isToldToWait
      yield* running.pass("60 seconds")
      yield* get("/orders")
    }))
})
