/**
 * Requests a minute, with the clock under the test's control: what is counted, in which of three quotas, and when
 * the next is admitted (spec: Limits; silences: G10, U1, P6).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Api, Merchant, Reply } from "../../kit/Api.ts"
import { type Running, start, withNewMerchant } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/quotas") {}

const write = (api: Api, key: string) => api.post("/v1/orders", key, { amount: 1000 })
const read = (api: Api, key: string) => api.get("/v1/balance", key)
const csv = (api: Api, key: string) => api.get("/v1/balance_transactions?format=csv", key)

/** So many at one moment, as their statuses with counts. */
const many = (count: number, call: Effect.Effect<Reply>) =>
  Effect.map(Effect.replicateEffect(call, count, { concurrency: 16 }), (replies) => {
    const found: Record<number, number> = {}
    for (const { status } of replies) found[status] = (found[status] ?? 0) + 1
    return found
  })

const limited = (reply: Reply, retryAfter: number) => {
  assert.strictEqual(reply.status, 429)
  assert.strictEqual(reply.body.error, "rate_limited")
  assert.match(reply.headers.get("coffer-reason") ?? "", /^quota_of_(writes|reads|csv|helpers)$/)
  assert.strictEqual(reply.headers.get("retry-after"), String(retryAfter))
}

const withQuotas = Effect.fnUntraced(function* (
  api: Api,
  quotas: { writes?: number; reads?: number; csv?: number; helpers?: number }
) {
  const merchant = yield* api.newMerchant("A merchant with quotas of its own", "default")
  const { status } = yield* setQuotas(api, merchant, quotas)
  assert.strictEqual(status, 200)
  return merchant
})

const setQuotas = (api: Api, { merchantId }: Merchant, quotas: unknown) =>
  api.operator("POST", `/merchants/${merchantId}`, { quotas })

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("requests a minute", (it) => {
  describe("the window", () => {
    it.effect(
      "of 120 writes: all pass, the next is refused until Retry-After has gone by, and not a millisecond less",
      () =>
        Effect.gen(function* () {
          const { api, pass } = yield* Service
          const { sandboxKey: key } = yield* api.newMerchant("At the limit", "default")
          assert.deepStrictEqual(yield* many(120, write(api, key)), { 201: 120 })
          limited(yield* write(api, key), 60)
          yield* pass("59999 millis")
          limited(yield* write(api, key), 1)
          yield* pass("1 milli")
          assert.strictEqual((yield* write(api, key)).status, 201)
        })
    )

    it.effect("slides: what was written at its start makes room for no more than that", () =>
      Effect.gen(function* () {
        const { api, pass } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant("Sliding", "default")
        assert.deepStrictEqual(yield* many(20, write(api, key)), { 201: 20 })
        yield* pass("59 seconds")
        assert.deepStrictEqual(yield* many(110, write(api, key)), { 201: 100, 429: 10 })
        limited(yield* write(api, key), 1)
        // A fixed minute would start over here, and let 120 pass.
        yield* pass("1 second")
        assert.deepStrictEqual(yield* many(120, write(api, key)), { 201: 20, 429: 100 })
        limited(yield* write(api, key), 59)
        yield* pass("59 seconds")
        assert.deepStrictEqual(yield* many(120, write(api, key)), { 201: 100, 429: 20 })
      })
    )

    it.effect("is not kept full by those who are refused", () =>
      Effect.gen(function* () {
        const { api, pass } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { writes: 5 })
        assert.deepStrictEqual(yield* many(5, write(api, key)), { 201: 5 })
        for (let step = 0; step < 5; step++) {
          yield* pass("10 seconds")
          assert.deepStrictEqual(yield* many(3, write(api, key)), { 429: 3 })
        }
        limited(yield* write(api, key), 10)
        yield* pass("10 seconds")
        assert.deepStrictEqual(yield* many(5, write(api, key)), { 201: 5 })
      })
    )

    it.effect("holds 600 reads and 10 CSV exports", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant("A reader", "default")
        assert.deepStrictEqual(yield* many(601, read(api, key)), { 200: 600, 429: 1 })
        const exports = yield* many(11, csv(api, key))
        assert.strictEqual(exports[429], 1)
      })
    )
  })

  describe("a quota", () => {
    it.effect("is a merchant's own, and each environment's own", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const one = yield* withQuotas(api, { reads: 2 })
        const other = yield* withQuotas(api, { reads: 2 })
        const approval = { approved: true, live_currencies: ["USD"] }
        yield* api.operator("POST", `/merchants/${one.merchantId}`, approval)
        for (const key of [one.sandboxKey, one.liveKey, other.sandboxKey]) {
          assert.deepStrictEqual(yield* many(3, read(api, key)), { 200: 2, 429: 1 })
        }
      })
    )

    it.effect("of writes, of reads and of CSV exports are three", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { writes: 2, reads: 2, csv: 2 })
        assert.strictEqual((yield* many(3, write(api, key)))[429], 1)
        assert.strictEqual((yield* many(3, csv(api, key)))[429], 1)
        assert.strictEqual((yield* many(3, read(api, key)))[429], 1)
      })
    )

    it.effect("of CSV exports counts every spelling of format=csv, and no other format", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { reads: 1, csv: 3 })
        for (const query of ["format=csv", "limit=1&format=%63sv", "f%6Frmat=csv&format=json"]) {
          const { headers } = yield* api.get(`/v1/balance_transactions?${query}`, key)
          assert.match(headers.get("ratelimit") ?? "", /^"csv"/, query)
        }
        limited(yield* csv(api, key), 60)
        const { headers } = yield* api.get("/v1/balance_transactions?format=json&starting_after=format=csv", key)
        assert.match(headers.get("ratelimit") ?? "", /^"reads"/)
      })
    )

    it.effect("counts both forms of the address together", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { reads: 2 })
        assert.strictEqual((yield* api.get("/v1/balance", key)).status, 200)
        assert.strictEqual((yield* api.get("/api/v1/balance", key)).status, 200)
        limited(yield* api.get("/v1/balance", key), 60)
        limited(yield* api.get("/api/v1/balance", key), 60)
      })
    )

    it.effect("counts refused and replayed requests, and is asked before idempotency and validation", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { writes: 4, reads: 1 })
        const headers = { "Idempotency-Key": "again" }
        const order = { amount: 1000 }
        assert.strictEqual((yield* api.call("POST", "/v1/orders", { key, headers, body: order })).status, 201)
        assert.strictEqual((yield* api.call("POST", "/v1/orders", { key, headers, body: order })).status, 201)
        assert.strictEqual((yield* api.post("/v1/orders", key, { amount: "ten" })).status, 400)
        assert.strictEqual((yield* api.post("/v1/orders/none/expire", key)).status, 404)
        limited(yield* api.call("POST", "/v1/orders", { key, headers, body: order }), 60)
        limited(yield* api.post("/v1/orders", key, { amount: "ten" }), 60)
        limited(yield* api.call("POST", "/v1/orders", { key, raw: "{" }), 60)
        assert.strictEqual((yield* api.get("/v1/orders/none", key)).status, 404)
        limited(yield* api.get("/v1/orders/none", key), 60)
      })
    )

    it.effect("of test helpers is one for all of them, whatever their method, and says so in its headers", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { writes: 1, reads: 1, helpers: 4 })
        const clock = api.get("/v1/test_helpers/clock", key)
        const first = yield* clock
        assert.strictEqual(first.headers.get("ratelimit-policy"), '"helpers";q=4;w=60')
        assert.strictEqual((yield* api.post("/v1/test_helpers/orders/none/pay", key, {})).status, 404)
        assert.strictEqual((yield* api.post("/v1/test_helpers/channel", key, { reachable: "no" })).status, 400)
        assert.strictEqual((yield* api.get("/api/v1/test_helpers/clock", key)).status, 200)
        limited(yield* clock, 60)
        limited(yield* api.post("/v1/test_helpers/clock/advance", key, { by: "1d" }), 60)
        assert.strictEqual((yield* write(api, key)).status, 201)
      })
    )

    it.effect("of test helpers is 600", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant("A scripted buyer", "default")
        const pay = api.post("/v1/test_helpers/orders/none/pay", key, {})
        assert.deepStrictEqual(yield* many(601, pay), { 404: 600, 429: 1 })
      })
    )

    it.effect("is not touched by who has no key, a wrong one, or one that is not approved, nor by test helpers", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const merchant = yield* withQuotas(api, { writes: 1 })
        const { liveKey, merchantId, sandboxKey } = merchant
        assert.deepStrictEqual(yield* many(3, write(api, liveKey)), { 403: 3 })
        yield* api.operator("POST", `/merchants/${merchantId}`, { sandbox: { ip_allowlist: "203.0.113.7" } })
        assert.deepStrictEqual(yield* many(3, write(api, sandboxKey)), { 403: 3 })
        yield* api.operator("POST", `/merchants/${merchantId}`, { sandbox: { ip_allowlist: "" } })
        assert.deepStrictEqual(yield* many(3, write(api, "svc_test_none")), { 401: 3 })

        const path = `/v1/test_helpers/orders/none/pay`
        assert.deepStrictEqual(yield* many(3, api.post(path, sandboxKey, {})), { 404: 3 })
        const { body, status } = yield* write(api, sandboxKey)
        assert.strictEqual(status, 201)
        const paid = yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, sandboxKey, {})
        assert.strictEqual(paid.body.data.status, "paid")
        limited(yield* write(api, sandboxKey), 60)
      })
    )
  })

  describe("the headers", () => {
    it.effect("say on every answer what is left, and for how long", () =>
      Effect.gen(function* () {
        const { api, pass } = yield* Service
        const { sandboxKey: key } = yield* withQuotas(api, { writes: 3 })
        const said = ({ headers, status }: Reply) => [
          status,
          headers.get("ratelimit-policy"),
          headers.get("ratelimit"),
          headers.get("retry-after")
        ]
        const policy = '"writes";q=3;w=60'
        assert.deepStrictEqual(said(yield* write(api, key)), [201, policy, '"writes";r=2;t=60', null])
        yield* pass("10500 millis")
        const invalid = yield* api.post("/v1/orders", key, { amount: 0 })
        assert.deepStrictEqual(said(invalid), [400, policy, '"writes";r=1;t=50', null])
        const missing = yield* api.post("/v1/orders/none/expire", key)
        assert.deepStrictEqual(said(missing), [404, policy, '"writes";r=0;t=50', null])
        assert.deepStrictEqual(said(yield* write(api, key)), [429, policy, '"writes";r=0;t=50', "50"])
        const balance = yield* read(api, key)
        assert.deepStrictEqual(said(balance), [200, '"reads";q=600;w=60', '"reads";r=599;t=60', null])
        const exported = yield* csv(api, key)
        assert.deepStrictEqual(said(exported).slice(1), ['"csv";q=10;w=60', '"csv";r=9;t=60', null])
      })
    )

    it.effect("are not on an answer without a caller", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { headers, status } = yield* api.get("/v1/balance")
        assert.strictEqual(status, 401)
        assert.isNull(headers.get("ratelimit"))
      })
    )
  })

  describe("the operator", () => {
    it.effect("sees the numbers that hold, and changes one without touching the others, at once", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const merchant = yield* api.newMerchant("By default", "default")
        const { sandboxKey: key } = merchant
        const shown = Effect.map(
          api.operator("GET", `/merchants/${merchant.merchantId}`),
          ({ body }) => body.data.quotas
        )
        assert.deepStrictEqual(yield* shown, { writes: 120, reads: 600, csv: 10, helpers: 600 })

        assert.strictEqual((yield* read(api, key)).headers.get("ratelimit"), '"reads";r=599;t=60')
        yield* setQuotas(api, merchant, { reads: 1 })
        limited(yield* read(api, key), 60)
        const { body } = yield* setQuotas(api, merchant, { csv: 1_000_000 })
        assert.deepStrictEqual(body.data.quotas, { writes: 120, reads: 1, csv: 1_000_000, helpers: 600 })
        assert.deepStrictEqual(yield* shown, { writes: 120, reads: 1, csv: 1_000_000, helpers: 600 })
        yield* setQuotas(api, merchant, { reads: 3 })
        assert.deepStrictEqual(yield* many(3, read(api, key)), { 200: 2, 429: 1 })
      })
    )

    it.effect("may give 1 to 1,000,000", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* withNewMerchant(yield* Service)
        for (const kind of ["writes", "reads", "csv", "helpers"]) {
          for (const [number, status] of [
            [1, 200],
            [1_000_000, 200],
            [0, 400],
            [-1, 400],
            [1_000_001, 400]
          ] as const) {
            const reply = yield* setQuotas(api, merchant, { [kind]: number })
            assert.strictEqual(reply.status, status, `${kind} ${number}`)
            if (status === 400) assert.strictEqual(reply.body.param, `quotas.${kind}`)
          }
          for (const other of [1.5, "10"]) {
            assert.strictEqual((yield* setQuotas(api, merchant, { [kind]: other })).status, 400)
          }
        }
      })
    )
  })
})
