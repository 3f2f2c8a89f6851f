/** The four endpoints of payment links (spec: Payment links; silences: L1 to L3, L8 to L11). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/links") {}

const future = "2999-01-01T00:00:00.000Z"

const refusedCreates: ReadonlyArray<readonly [body: object, param: string]> = [
  [{}, "amount"],
  [{ amount: 0 }, "amount"],
  [{ amount: 1.5 }, "amount"],
  [{ amount: 100, currency: "EUR" }, "currency"],
  [{ amount: 100, subject: "s".repeat(256) }, "subject"],
  [{ amount: 100, max_uses: 0 }, "max_uses"],
  [{ amount: 100, max_uses: 1.5 }, "max_uses"],
  [{ amount: 100, expires_at: "tomorrow" }, "expires_at"],
  [{ amount: 100, expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
  [{ amount: 100, notify_url: "ftp://shop.example/" }, "notify_url"],
  [{ amount: 100, return_url: "javascript:alert(1)" }, "return_url"],
  [{ amount: 100, metadata: { svc_payment_link: "plink_1" } }, "metadata.svc_payment_link"]
]

const refusedUpdates: ReadonlyArray<readonly [body: object, param: string]> = [
  [{ status: "expired" }, "status"],
  [{ max_uses: 0 }, "max_uses"],
  [{ expires_at: "soon" }, "expires_at"],
  [{ metadata: { a: 5 } }, "metadata.a"],
  [{ subject: "two\nlines" }, "subject"]
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("payment links", (it) => {
  const create = Effect.fnUntraced(function* (body: object = {}) {
    const { api, merchant } = yield* Service
    const reply = yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 100, ...body })
    assert.strictEqual(reply.status, 201, reply.text)
    return reply.body.data
  })

  it.effect("a link is answered 201 with an address to give to buyers, and can be read", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant } = yield* Service
      const link = yield* create({ subject: "Tea", max_uses: 30, expires_at: future, metadata: { b: "2", a: "1" } })
      assert.match(link.link_id, /^plink_[0-9A-Z]{26}$/)
      assert.deepStrictEqual(link, {
        object: "payment_link",
        link_id: link.link_id,
        merchant_id: merchant.merchantId,
        url: `${baseUrl}/pay/${link.link_id}`,
        mode: "sandbox",
        amount: 100,
        currency: "USD",
        subject: "Tea",
        status: "active",
        max_uses: 30,
        used_count: 0,
        notify_url: null,
        return_url: null,
        expires_at: future,
        metadata: { a: "1", b: "2" },
        created_at: link.created_at
      })
      assert.deepStrictEqual((yield* api.get(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey)).body.data, link)
    })
  )

  for (const [body, param] of refusedCreates) {
    it.effect(`a create with ${JSON.stringify(body).slice(0, 60)} is 400 and names ${param}`, () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const reply = yield* api.post("/v1/payment_links", merchant.sandboxKey, body)
        assertRefused(reply, 400, "invalid_request", param)
      })
    )
  }

  it.effect("a live link needs an enabled currency and a public HTTPS notification target", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      const settings = { approved: true, live_currencies: ["USD"] }
      yield* api.operator("POST", `/merchants/${merchantId}`, settings)
      const post = (body: object) => api.post("/v1/payment_links", liveKey, { amount: 100, ...body })
      assertRefused(yield* post({}), 400, "invalid_request", "notify_url")
      assertRefused(yield* post({ notify_url: "http://shop.example/" }), 400, "invalid_request", "notify_url")
      assertRefused(yield* post({ currency: "HKD" }), 400, "invalid_request", "currency")
      assert.strictEqual((yield* post({ notify_url: "https://shop.example/hook" })).status, 201)
      const endpoint = { url: "https://shop.example/events", enabled_events: ["payment.succeeded"] }
      assert.strictEqual((yield* api.post("/v1/webhook_endpoints", liveKey, endpoint)).status, 201)
      const withEndpoint = yield* post({})
      assertRefused(withEndpoint, 400, "invalid_request", "notify_url")
      assert.include(withEndpoint.body.message, "default address")
      assert.strictEqual((yield* api.post("/v1/orders", liveKey, { amount: 100 })).status, 201)
      const live = { default_notify_url: "https://shop.example/hook" }
      yield* api.operator("POST", `/merchants/${merchantId}`, { live })
      const byDefault = yield* post({})
      assert.deepStrictEqual([byDefault.status, byDefault.body.data.notify_url], [201, null])
    })
  )

  it.effect("an update changes what is sent; null lifts a limit; amount and currency stay", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const link = yield* create({ subject: "Tea", max_uses: 2, expires_at: future, metadata: { a: "1", b: "2" } })
      const path = `/v1/payment_links/${link.link_id}`
      const post = (body: object) => api.post(path, merchant.sandboxKey, body)
      const inactive = yield* post({ status: "inactive", metadata: { a: null, c: "3" } })
      const expected = { ...link, status: "inactive", metadata: { b: "2", c: "3" } }
      assert.deepStrictEqual([inactive.status, inactive.body.data], [200, expected])
      const lifted = yield* post({ status: "active", subject: null, max_uses: null, expires_at: null })
      const open = { ...expected, status: "active", subject: null, max_uses: null, expires_at: null }
      assert.deepStrictEqual(lifted.body.data, open)
      const past = "2020-01-01T00:00:00.000Z"
      assert.strictEqual((yield* post({ expires_at: past })).body.data.expires_at, past)
      assert.deepStrictEqual((yield* post({})).body.data, { ...open, expires_at: past })
    })
  )

  for (const [body, param] of refusedUpdates) {
    it.effect(`an update with ${JSON.stringify(body)} is 400 and names ${param}`, () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const link = yield* create()
        const reply = yield* api.post(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey, body)
        assertRefused(reply, 400, "invalid_request", param)
      })
    )
  }

  it.effect("another merchant's link, and one that does not exist, is 404 payment_link_not_found", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const link = yield* create()
      const other = yield* api.newMerchant()
      for (const key of [other.sandboxKey, merchant.liveKey]) {
        const path = `/v1/payment_links/${link.link_id}`
        if (key === other.sandboxKey) assertRefused(yield* api.get(path, key), 404, "payment_link_not_found")
        if (key === other.sandboxKey)
          assertRefused(yield* api.post(path, key, { status: "inactive" }), 404, "payment_link_not_found")
      }
      for (const name of ["plink_x", "%00", `plink_${"0".repeat(26)}`]) {
        const reply = yield* api.get(`/v1/payment_links/${name}`, merchant.sandboxKey)
        assertRefused(reply, 404, "payment_link_not_found")
      }
    })
  )

  it.effect("a create that is sent again with its Idempotency-Key makes one link", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* Service
      const send = api.call("POST", "/v1/payment_links", {
        key: merchant.sandboxKey,
        body: { amount: 321 },
        headers: { "Idempotency-Key": "link" }
      })
      const [first, again] = [yield* send, yield* send]
      assert.deepStrictEqual(again.body.data, first.body.data)
      assert.lengthOf(yield* sql`select 1 from payment_links where amount = 321`, 1)
    })
  )

  it.effect("links are listed newest first, in pages, and not as CSV", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      const made: Array<string> = []
      for (let count = 0; count < 3; count++) {
        made.unshift((yield* api.post("/v1/payment_links", key, { amount: 100 })).body.data.link_id)
      }
      const page = yield* api.get("/v1/payment_links?limit=2", key)
      const ids = page.body.data.data.map(({ link_id }: { link_id: string }) => link_id)
      assert.deepStrictEqual([ids, page.body.data.has_more], [made.slice(0, 2), true])
      const rest = yield* api.get(`/v1/payment_links?starting_after=${made[1]}`, key)
      assert.deepStrictEqual([rest.body.data.data[0].link_id, rest.body.data.has_more], [made[2], false])
      assertRefused(yield* api.get("/v1/payment_links?format=csv", key), 400, "invalid_request", "format")
    })
  )

  it.effect("format=svg answers a QR code of the address, and other words are 400", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const { link_id } = yield* create()
      const picture = yield* api.get(`/v1/payment_links/${link_id}?format=svg`, merchant.sandboxKey)
      assert.deepStrictEqual([picture.status, picture.headers.get("content-type")], [200, "image/svg+xml"])
      assert.match(picture.text, /^<svg [^]*<\/svg>$/)
      assertRefused(
        yield* api.get(`/v1/payment_links/${link_id}?format=png`, merchant.sandboxKey),
        400,
        "invalid_request",
        "format"
      )
    })
  )
})
