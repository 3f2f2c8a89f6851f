/** The operator's API: merchants, their settings, keys and secrets (docs/architecture.md, section 7). */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/operator") {}

const unknown = "mer_00000000000000000000000000"

const callsOf = (merchantId: string) =>
  [
    ["GET", `/merchants/${merchantId}`, undefined],
    ["POST", `/merchants/${merchantId}`, { approved: true }],
    ["POST", `/merchants/${merchantId}/keys/sandbox/reset`, undefined],
    ["POST", `/merchants/${merchantId}/keys/live/reset`, undefined],
    ["GET", `/merchants/${merchantId}/signing_secret/sandbox`, undefined],
    ["GET", `/merchants/${merchantId}/signing_secret/live`, undefined]
  ] as const

const line = { basis_points: 100, fixed: 0 }
const address = "https://shop.example/hook"

/** Accepted settings, one at a time: what is sent is read back. */
const taken: ReadonlyArray<object> = [
  { name: "N" },
  { name: "ü".repeat(255) },
  { approved: true },
  { approved: false },
  { live_currencies: ["USD", "HKD", "CNY"] },
  { live_currencies: [] },
  { fees: [{ mode: "live", method: "wechat_pay", currency: "CNY", basis_points: 10_000, fixed: 5 }, line] },
  { fees: Array.from({ length: 100 }, () => line) },
  { fees: [] }
]

const takenByMode: ReadonlyArray<readonly ["sandbox" | "live", object]> = [
  ["sandbox", { default_notify_url: "http://127.0.0.1:3000/hook" }],
  ["sandbox", { default_notify_url: address }],
  ["live", { default_notify_url: address }],
  ["live", { default_notify_url: null }],
  ["live", { ip_allowlist: "10.0.0.0/8, 192.0.2.7" }],
  ["sandbox", { ip_allowlist: "" }]
]

/** Refused settings, and the parameter that the refusal names. */
const refused: ReadonlyArray<readonly [object, string]> = [
  [{ name: "" }, "name"],
  [{ name: "a".repeat(256) }, "name"],
  [{ name: "a\u0000" }, "name"],
  [{ approved: "true" }, "approved"],
  [{ approved: 1 }, "approved"],
  [{ live_currencies: "USD" }, "live_currencies"],
  [{ live_currencies: ["USD", "EUR"] }, "live_currencies[1]"],
  [{ fees: line }, "fees"],
  [{ fees: [line, {}] }, "fees[1].basis_points"],
  [{ fees: [{ basis_points: 100 }] }, "fees[0].fixed"],
  [{ fees: [{ ...line, basis_points: -1 }] }, "fees[0].basis_points"],
  [{ fees: [{ ...line, basis_points: 10_001 }] }, "fees[0].basis_points"],
  [{ fees: [{ ...line, basis_points: 0.5 }] }, "fees[0].basis_points"],
  [{ fees: [{ ...line, fixed: -1 }] }, "fees[0].fixed"],
  [{ fees: [{ ...line, fixed: "1" }] }, "fees[0].fixed"],
  [{ fees: [{ ...line, mode: "test" }] }, "fees[0].mode"],
  [{ fees: [{ ...line, method: "cash" }] }, "fees[0].method"],
  [{ fees: [{ ...line, currency: "EUR" }] }, "fees[0].currency"],
  [{ fees: Array.from({ length: 101 }, () => line) }, "fees"],
  [{ dispute_fee: 1500 }, "dispute_fee"],
  [{ dispute_fee: { USD: -1 } }, "dispute_fee.USD"],
  [{ dispute_fee: { HKD: 0.5 } }, "dispute_fee.HKD"],
  [{ payout_fee: { CNY: "1" } }, "payout_fee.CNY"],
  [{ payout_fee: { USD: 100_000_000_001 } }, "payout_fee.USD"],
  [{ live: [] }, "live"],
  [{ sandbox: { default_notify_url: "" } }, "sandbox.default_notify_url"],
  [{ sandbox: { default_notify_url: "shop.example" } }, "sandbox.default_notify_url"],
  [{ sandbox: { default_notify_url: 5 } }, "sandbox.default_notify_url"],
  [{ live: { default_notify_url: "http://shop.example/" } }, "live.default_notify_url"],
  [{ live: { default_notify_url: "https://127.0.0.1/" } }, "live.default_notify_url"],
  [{ live: { default_notify_url: "https://localhost/" } }, "live.default_notify_url"],
  [{ sandbox: { ip_allowlist: 5 } }, "sandbox.ip_allowlist"],
  [{ live: { ip_allowlist: "\u0000" } }, "live.ip_allowlist"],
  [{ live: { ip_allowlist: "1".repeat(10_001) } }, "live.ip_allowlist"]
]

const isError = (reply: Reply, status: number, error: string, message?: string) =>
  assert.deepStrictEqual([reply.status, reply.body.error], [status, error], message ?? reply.text)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the operator", (it) => {
  it.effect("needs the operator token as Authorization: Bearer, else 401", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const headers: ReadonlyArray<Record<string, string>> = [
        {},
        { Authorization: "" },
        { Authorization: "Bearer" },
        { Authorization: "Bearer " },
        { Authorization: "Bearer wrong" },
        { Authorization: `Bearer ${api.operatorToken}x` },
        { Authorization: `Bearer ${api.operatorToken.slice(1)}` },
        { Authorization: api.operatorToken },
        { Authorization: `Basic ${api.operatorToken}` },
        { Authorization: `Bearer ${merchant.sandboxKey}` },
        { "X-Api-Key": api.operatorToken },
        { "X-Api-Key": merchant.liveKey }
      ]
      for (const sent of headers) {
        for (const [method, path, body] of [
          ...callsOf(merchant.merchantId),
          ["POST", "/merchants", { name: "N" }] as const
        ]) {
          const reply = yield* api.call(method, `/operator/v1${path}`, { headers: sent, body })
          isError(reply, 401, "invalid_api_key", `${method} ${path} ${JSON.stringify(sent)}`)
        }
      }
      assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 200, "no key was reset")
      isError(yield* api.get("/v1/balance", api.operatorToken), 401, "invalid_api_key")
    })
  )

  it.effect("reads which fee holds where no line of a merchant's own fits, and whose it is", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { body } = yield* api.operator("POST", "/merchants", { name: "Fees" })
      const path = `/merchants/${body.data.merchant_id}`
      const read = Effect.map(api.operator("GET", path), (reply) => reply.body.data.default_fee)
      const service = { basis_points: 290, fixed: 30, source: "service" }
      assert.deepStrictEqual(yield* read, service)
      const card = { method: "card", basis_points: 100, fixed: 1 }
      yield* api.operator("POST", path, { fees: [card] })
      assert.deepStrictEqual(yield* read, service)
      yield* api.operator("POST", path, { fees: [card, { basis_points: 200, fixed: 2 }, line] })
      assert.deepStrictEqual(yield* read, { basis_points: 200, fixed: 2, source: "merchant" })
    })
  )

  it.effect("creates a merchant, not yet approved, and is shown its two keys once", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const created = yield* api.operator("POST", "/merchants", { name: "Bücher & Co" })
      assert.strictEqual(created.status, 201)
      const { live_key, merchant_id, sandbox_key, ...rest } = created.body.data
      assert.match(merchant_id, /^mer_[0-9A-Z]{26}$/)
      assert.match(sandbox_key, /^svc_test_[\w-]{43}[0-9A-Za-z]{6}$/)
      assert.match(live_key, /^svc_live_[\w-]{43}[0-9A-Za-z]{6}$/)
      assert.deepStrictEqual(rest, { name: "Bücher & Co", approved: false })

      const read = yield* api.operator("GET", `/merchants/${merchant_id}`)
      assert.match(read.body.data.created_at, /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
      const mode = { ip_allowlist: "", default_notify_url: null, payment_methods: PaymentMethod.literals }
      assert.deepInclude(read.body.data, {
        object: "merchant",
        merchant_id,
        name: "Bücher & Co",
        logo_url: null,
        support_email: null,
        support_url: null,
        business_address: null,
        tax_id: null,
        approved: false,
        live_currencies: [],
        fees: [],
        dispute_fee: { USD: 1500, HKD: 1500, CNY: 1500 },
        payout_fee: { USD: 0, HKD: 0, CNY: 0 },
        sandbox: { ...mode, mail_recipients: [], clock_ahead_ms: 0 },
        live: mode
      })
      for (const secret of [live_key, sandbox_key, "svc_", "whsec_"]) assert.notInclude(read.text, secret)
    })
  )

  it.effect("must name a merchant", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      for (const body of [{}, { name: "" }, { name: "a".repeat(256) }, { name: "a\nb" }, { name: 5 }, { name: null }]) {
        const reply = yield* api.operator("POST", "/merchants", body)
        isError(reply, 400, "invalid_request")
        assert.strictEqual(reply.body.param, "name")
      }
    })
  )

  it.effect("changes settings by merging: what is not sent stays", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { merchantId } = yield* api.newMerchant()
      const path = `/merchants/${merchantId}`
      let expected = (yield* api.operator("GET", path)).body.data
      const changes = [...taken, ...takenByMode.map(([mode, settings]) => ({ [mode]: settings })), {}]
      for (const [index, sent] of changes.entries()) {
        const mode = takenByMode[index - taken.length]
        if (mode !== undefined) expected = { ...expected, [mode[0]]: { ...expected[mode[0]], ...mode[1] } }
        else if (index < taken.length) expected = { ...expected, ...sent }
        const updated = yield* api.operator("POST", path, sent)
        assert.strictEqual(updated.status, 200, updated.text)
        // It follows from the fees.
        expected = { ...expected, default_fee: updated.body.data.default_fee }
        assert.deepStrictEqual(updated.body.data, expected, JSON.stringify(sent))
        assert.deepStrictEqual((yield* api.operator("GET", path)).body.data, expected)
      }
    })
  )

  it.effect("changes the fees of disputes and payouts one currency at a time", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { merchantId } = yield* api.newMerchant()
      const update = (body: object) =>
        Effect.map(api.operator("POST", `/merchants/${merchantId}`, body), ({ body: { data } }) => [
          data.dispute_fee,
          data.payout_fee
        ])
      const disputes = { USD: 1500, HKD: 1500, CNY: 1500 }
      const payouts = { USD: 0, HKD: 0, CNY: 0 }
      assert.deepStrictEqual(yield* update({ dispute_fee: { USD: 2000 } }), [{ ...disputes, USD: 2000 }, payouts])
      assert.deepStrictEqual(yield* update({ dispute_fee: { HKD: 0, CNY: 7 }, payout_fee: { HKD: 50 } }), [
        { USD: 2000, HKD: 0, CNY: 7 },
        { ...payouts, HKD: 50 }
      ])
      assert.deepStrictEqual(yield* update({ dispute_fee: {}, payout_fee: { USD: 25 } }), [
        { USD: 2000, HKD: 0, CNY: 7 },
        { USD: 25, HKD: 50, CNY: 0 }
      ])
    })
  )

  it.effect("is refused a wrong setting with its name, and then nothing is changed, not even beside a right one", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { merchantId } = yield* api.newMerchant()
      const path = `/merchants/${merchantId}`
      const before = (yield* api.operator("GET", path)).body.data
      for (const [sent, param] of refused) {
        const reply = yield* api.operator("POST", path, { approved: true, name: "Other", ...sent })
        isError(reply, 400, "invalid_request", JSON.stringify(sent).slice(0, 80))
        assert.strictEqual(reply.body.param, param)
      }
      assert.deepStrictEqual((yield* api.operator("GET", path)).body.data, before)
    })
  )

  it.effect("resets a key: the old one is dead at once, the new one lives, the other mode's is untouched", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId, sandboxKey } = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["USD"] })
      const statusOf = (key: string) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)
      const reset = (mode: string) =>
        Effect.map(api.operator("POST", `/merchants/${merchantId}/keys/${mode}/reset`), ({ body }) =>
          String(body.data.key)
        )
      yield* api.post("/v1/orders", sandboxKey, { amount: 100, out_trade_no: "1" })

      // Requests that are under way when the key ends must not keep it alive.
      const busy = Effect.forEach(Array.from({ length: 30 }), () => statusOf(sandboxKey), { concurrency: 5 })
      const [second] = yield* Effect.all([reset("sandbox"), busy], { concurrency: "unbounded" })
      assert.match(second, /^svc_test_/)
      isError(yield* api.get("/v1/balance", sandboxKey), 401, "invalid_api_key")
      assert.deepStrictEqual([yield* statusOf(second), yield* statusOf(liveKey)], [200, 200])
      assert.strictEqual((yield* api.get("/v1/orders/1", second)).status, 200, "the orders stay the merchant's")

      const third = yield* reset("sandbox")
      const live = yield* reset("live")
      assert.match(live, /^svc_live_/)
      for (const dead of [sandboxKey, second, liveKey]) assert.strictEqual(yield* statusOf(dead), 401)
      for (const alive of [third, live]) assert.strictEqual(yield* statusOf(alive), 200)
    })
  )

  it.effect("reads a signing secret, one per mode, which stays when keys are reset", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const secretOf = (merchantId: string, mode: string) =>
        Effect.map(api.operator("GET", `/merchants/${merchantId}/signing_secret/${mode}`), ({ body }) =>
          String(body.data.secret)
        )
      const [one, other] = [yield* api.newMerchant(), yield* api.newMerchant()]
      const secrets = yield* Effect.forEach([one, other], ({ merchantId }) =>
        Effect.forEach(["sandbox", "live"], (mode) => secretOf(merchantId, mode))
      )
      for (const secret of secrets.flat()) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.strictEqual(new Set(secrets.flat()).size, 4)
      yield* api.operator("POST", `/merchants/${one.merchantId}/keys/sandbox/reset`)
      yield* api.operator("POST", `/merchants/${one.merchantId}`, { name: "Other" })
      assert.strictEqual(yield* secretOf(one.merchantId, "sandbox"), secrets[0]![0])
    })
  )

  it.effect("asking for a merchant that is none gets 404 merchant_not_found, whatever the call and the id", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const id of [unknown, "mer_1", "1", merchant.merchantId.toLowerCase(), "%00", `${merchant.merchantId}%00`]) {
        for (const [method, path, body] of callsOf(id)) {
          isError(yield* api.operator(method, path, body), 404, "merchant_not_found", `${method} ${path}`)
        }
      }
    })
  )

  it.effect("naming a mode that is none gets 400", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const mode of ["test", "LIVE", "%00", "constructor"]) {
        const path = `/merchants/${merchant.merchantId}`
        isError(yield* api.operator("POST", `${path}/keys/${mode}/reset`), 400, "invalid_request")
        isError(yield* api.operator("GET", `${path}/signing_secret/${mode}`), 400, "invalid_request")
      }
    })
  )
})
