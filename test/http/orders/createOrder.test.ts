/** POST /v1/orders: what each field may be, and which field a refusal names (spec: Orders; Limits; Metadata). */
import { assert, layer } from "@effect/vitest"
import { CreateOrder, OrderResource } from "@coffer/contract/Orders"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/createOrder") {}

const emoji = "😀"
const manyKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]))

interface Field {
  readonly field: string
  readonly rule: string
  readonly accepted: ReadonlyArray<unknown>
  readonly refused: ReadonlyArray<unknown>
}

const addresses = {
  accepted: [
    "https://shop.example/hook",
    "http://shop.example:8080/hook?a=1#b",
    "http://127.0.0.1:3000/hook",
    "http://localhost/",
    `https://shop.example/${"x".repeat(2027)}`,
    null
  ],
  refused: [
    "",
    "shop.example/hook",
    "ftp://shop.example/",
    "javascript:alert(1)",
    "https://",
    "https://user:secret@shop.example/",
    "https://shop.example/\n",
    " https://shop.example/",
    `https://shop.example/${"x".repeat(2028)}`,
    5,
    ["https://shop.example/"]
  ]
}

const fields: ReadonlyArray<Field> = [
  {
    field: "amount",
    rule: "is an integer from 1 to 100000000000; strings and decimals are rejected",
    accepted: [1, 100, 99_999_999_999, 100_000_000_000],
    refused: [0, -1, -100, 100_000_000_001, 1.5, 0.1, 1e300, "1", "1.00", "", null, true, [100], {}]
  },
  {
    field: "out_trade_no",
    rule: "is 1 to 128 characters without control characters and does not begin with plink_",
    accepted: ["1", "order/7 ä+%2F?#;&", "a".repeat(128), emoji.repeat(128), "Plink_1", "a_plink_", "__proto__"],
    refused: ["", "a".repeat(129), emoji.repeat(129), "a\nb", "a\u0000b", "\u007f", "\u0085", "\ud83d", "plink_1", 7]
  },
  {
    field: "currency",
    rule: "is USD, HKD or CNY",
    accepted: ["USD", "HKD", "CNY"],
    refused: ["EUR", "usd", " USD", "", 840, ["USD"]]
  },
  {
    field: "subject",
    rule: "is at most 255 characters; longer is rejected",
    accepted: ["A book", "a".repeat(255), emoji.repeat(255), "=1+1", "<b>&amp;</b>", null],
    refused: ["a".repeat(256), emoji.repeat(256), "a\nb", "\u0000", "\udc00", 5, {}]
  },
  { field: "notify_url", rule: "is in sandbox any http or https address", ...addresses },
  {
    field: "return_url",
    rule: "is in sandbox any http or https address and may hold {TRADE_NO} and {OUT_TRADE_NO}",
    ...addresses,
    accepted: [...addresses.accepted, "https://shop.example/{TRADE_NO}?n={OUT_TRADE_NO}"]
  },
  {
    field: "receipt_email",
    rule: "is one e-mail address",
    accepted: ["a@b.co", "Buyer+tag@mail.shop.example", null],
    refused: [
      "",
      "a",
      "a@b",
      "@b.co",
      "a@b.co, c@d.co",
      "a b@c.co",
      "a@b.co\n",
      `${"a".repeat(250)}@b.co`,
      5,
      ["a@b.co"]
    ]
  },
  { field: "locale", rule: "is zh or en", accepted: ["zh", "en", null], refused: ["fr", "ZH", "", 1] },
  {
    field: "capture",
    rule: "is automatic or manual",
    accepted: ["automatic", "manual", null],
    refused: ["MANUAL", "later", "", true]
  }
]

/** Metadata that is taken, and how it then reads. */
const metadataTaken: ReadonlyArray<readonly [unknown, Record<string, string>]> = [
  [null, {}],
  [{}, {}],
  [{ a: "" }, { a: "" }],
  [{ a: "1", b: null }, { a: "1" }],
  [{ "a.b[c]": "\n\t" }, { "a.b[c]": "\n\t" }],
  [manyKeys(50), manyKeys(50)],
  [{ ...manyKeys(50), gone: null }, manyKeys(50)],
  [{ ["k".repeat(40)]: "v".repeat(500) }, { ["k".repeat(40)]: "v".repeat(500) }],
  [{ [emoji.repeat(40)]: emoji.repeat(500) }, { [emoji.repeat(40)]: emoji.repeat(500) }],
  [
    { Svc_a: "1", svc_: "2", svc_payment_links: "3" },
    { Svc_a: "1", svc_: "2", svc_payment_links: "3" }
  ]
]

/** Metadata that is refused, and the parameter that the refusal names. */
const metadataRefused: ReadonlyArray<readonly [unknown, string]> = [
  [manyKeys(51), "metadata"],
  [["a"], "metadata"],
  ["a", "metadata"],
  [5, "metadata"],
  [{ "": "1" }, "metadata."],
  [{ ["k".repeat(41)]: "1" }, `metadata.${"k".repeat(41)}`],
  [{ a: "v".repeat(501) }, "metadata.a"],
  [{ a: 1 }, "metadata.a"],
  [{ a: true }, "metadata.a"],
  [{ a: { b: "c" } }, "metadata.a"],
  [{ a: ["b"] }, "metadata.a"],
  [{ a: "\u0000" }, "metadata.a"],
  [{ a: "\ud800" }, "metadata.a"],
  [{ "a\u0000": "1" }, "metadata.a\u0000"],
  [{ svc_payment_link: "1" }, "metadata.svc_payment_link"],
  [{ svc_payment_link: null }, "metadata.svc_payment_link"]
]

const isRefused = (reply: Reply, param: string | undefined, sent: unknown) => {
  assert.strictEqual(reply.status, 400, JSON.stringify(sent))
  assert.strictEqual(reply.body.error, "invalid_request")
  assert.strictEqual(reply.body.param, param, JSON.stringify(sent))
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("POST /v1/orders", (it) => {
  it.effect("what is omitted takes its default, and the order is pending and not yet credited", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant } = yield* Service
      const { body, status } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1999 })
      assert.strictEqual(status, 201)
      const { checkout_url, created_at, expires_at, trade_no, ...order } = body.data
      assert.match(trade_no, /^TRD_SB_[0-9A-Z]{26}$/)
      assert.isTrue(checkout_url.startsWith(`${baseUrl}/checkout/`))
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(Date.parse(expires_at) - Date.parse(created_at), 24 * 3_600_000)
      const { checkout_url: _, created_at: __, expires_at: ___, trade_no: ____, ...all } = OrderResource.fields
      // An order that is captured as it is paid has no word of it (silences: O75).
      const ofHolds = ["capture", "capture_by", "captured_amount", "capturing_amount"]
      const others = Object.keys(all).filter((name) => !ofHolds.includes(name))
      assert.deepStrictEqual(order, {
        ...Object.fromEntries(others.map((name) => [name, null])),
        object: "order",
        out_trade_no: trade_no,
        merchant_id: merchant.merchantId,
        amount: 1999,
        refunded_amount: 0,
        currency: "USD",
        status: "pending",
        mode: "sandbox",
        metadata: {}
      })
    })
  )

  it("each field that a create may set has a row here that says what it may be", () => {
    const tried = [...fields.map(({ field }) => field), "metadata"]
    assert.sameMembers(tried, Object.keys(CreateOrder.from.fields))
  })

  for (const { accepted, field, refused, rule } of fields) {
    it.effect(`${field} ${rule}`, () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey } = yield* api.newMerchant()
        for (const value of accepted) {
          const reply = yield* api.post("/v1/orders", sandboxKey, { amount: 100, [field]: value })
          assert.strictEqual(reply.status, 201, `${JSON.stringify(value)}: ${reply.text}`)
          // An order that is captured as it is paid does not say so.
          assert.strictEqual(reply.body.data[field], field === "capture" && value !== "manual" ? undefined : value)
        }
        for (const value of refused) {
          isRefused(yield* api.post("/v1/orders", sandboxKey, { amount: 100, [field]: value }), field, value)
        }
      })
    )
  }

  it.effect(
    "an amount is an integer in digits: 100.0, 1e2, what a parser would round, 1e400 and nothing are none",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const send = (raw: string) => api.call("POST", "/v1/orders", { key: merchant.sandboxKey, raw })
        for (const raw of [
          "{}",
          '{"amount":100.0}',
          '{"amount":1e2}',
          '{"amount":0.1e3}',
          '{"amount":19.999999999999999999}',
          '{"amount":1e400}',
          '{"amount":-0}',
          '{"amount":100.01}',
          `{"amount":${"9".repeat(400)}}`
        ]) {
          isRefused(yield* send(raw), "amount", raw)
        }
      })
  )

  it.effect("metadata is at most 50 keys of 1 to 40 characters with string values of at most 500", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey } = yield* api.newMerchant()
      for (const [sent, kept] of metadataTaken) {
        const reply = yield* api.post("/v1/orders", sandboxKey, { amount: 100, metadata: sent })
        assert.strictEqual(reply.status, 201, `${JSON.stringify(sent)}: ${reply.text}`)
        assert.deepStrictEqual(reply.body.data.metadata, kept)
      }
      for (const [sent, param] of metadataRefused) {
        isRefused(yield* api.post("/v1/orders", sandboxKey, { amount: 100, metadata: sent }), param, sent)
      }
    })
  )

  it.effect(
    "a metadata key is only text: __proto__, constructor and toString are stored and returned like any other",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const metadata = '{"__proto__":"p","constructor":"c","hasOwnProperty":"h","toString":"t"}'
        const created = yield* api.call("POST", "/v1/orders", {
          key: merchant.sandboxKey,
          raw: `{"amount":100,"metadata":${metadata}}`
        })
        assert.strictEqual(created.status, 201)
        const read = yield* api.get(`/v1/orders/${created.body.data.trade_no}`, merchant.sandboxKey)
        for (const reply of [created, read]) {
          assert.deepStrictEqual(
            Object.entries<string>(reply.body.data.metadata).toSorted(),
            Object.entries<string>(JSON.parse(metadata)).toSorted()
          )
        }
      })
  )

  it.effect("a subject of white space alone is none, on orders and links", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const path of ["/v1/orders", "/v1/payment_links"]) {
        for (const subject of ["", " ", "\u3000 "]) {
          const { body, status } = yield* api.post(path, merchant.sandboxKey, { amount: 100, subject })
          assert.deepStrictEqual([status, body.data.subject], [201, null], path)
        }
      }
    })
  )

  it.effect(
    "unknown fields are ignored, and no request field switches the environment or sets what the service decides",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const { body, status } = yield* api.call("POST", "/v1/orders", {
          key: merchant.sandboxKey,
          raw: `{"amount":100,"mode":"live","status":"paid","trade_no":"TRD_1","merchant_id":"mer_1",
          "fee":1,"paid_at":5,"created_at":"2000-01-01T00:00:00.000Z",
          "__proto__":{"currency":"HKD"},"constructor":null,"unknown":{"a":[1]}}`
        })
        assert.strictEqual(status, 201)
        const { currency, fee, merchant_id, mode, paid_at, status: state, trade_no } = body.data
        assert.deepStrictEqual(
          { currency, fee, merchant_id, mode, paid_at, state },
          {
            currency: "USD",
            fee: null,
            merchant_id: merchant.merchantId,
            mode: "sandbox",
            paid_at: null,
            state: "pending"
          }
        )
        assert.match(trade_no, /^TRD_SB_/)
      })
  )
})
