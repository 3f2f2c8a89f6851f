/**
 * Tokens and secrets are where their owner reads them, and nowhere else: not in rows, not in files, not in caches
 * (silences: O11, E3, I2).
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/secrets") {}

const signatureOf = (url: string) => url.slice(url.lastIndexOf(".") + 1)

/** Which tables have a row with this text in it. */
const tablesWith = Effect.fnUntraced(function* ({ context, sql }: Running, text: string) {
  yield* Context.get(context, Logs).flushed
  const tables = yield* sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  assert.isAbove(tables.length, 15)
  const found: Array<string> = []
  for (const { name } of tables) {
    const rows = yield* sql.unsafe(`select 1 from "${name}" t where strpos(t::text, $1) > 0 limit 1`, [text])
    if (rows.length > 0) found.push(name)
  }
  return found
})

/** Texts of a merchant's own that look like what we keep out. */
const ownTexts = (url: string) => ({
  checkout_url: `${url.slice(0, url.lastIndexOf("."))}.${"A".repeat(43)}`,
  '","checkout_url":"x': '"checkout_url":null',
  7: "seven",
  "__proto__ ": "[redacted]"
})

/** A receiver that answers with what it was sent, or with some of it. */
const echo = (answer: (body: string) => string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const server = createServer((request, response) => {
          let body = ""
          request.setEncoding("utf8").on("data", (text: string) => (body += text))
          request.on("end", () => response.end(answer(body)))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  )

const keyed = (key: string) => ({ "Idempotency-Key": key })

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("a secret", (it) => {
  describe("of a checkout address", () => {
    it.effect("is in no row of the database, whatever happened to the order", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const { api } = running
        const { sandboxKey: key } = yield* api.newMerchant()
        const hook = yield* receiver
        const post = (path: string, body: unknown, headers = {}) => api.call("POST", path, { key, body, headers })
        const terms = { amount: 1000, out_trade_no: "1", notify_url: hook.url }
        const { body } = yield* post("/v1/orders", terms, keyed("create"))
        const { checkout_url: url, trade_no } = body.data
        // Kept by the edge, not with a change: the order was there already.
        yield* post("/v1/orders", terms, keyed("again"))
        yield* post(`/v1/orders/${trade_no}`, { metadata: ownTexts(url) }, keyed("update"))
        yield* post(`/v1/test_helpers/orders/${trade_no}/pay`, {}, keyed("pay"))
        yield* post("/v1/orders", { ...terms, out_trade_no: "2" })
        yield* post("/v1/orders/2/expire", undefined, keyed("expire"))
        yield* api.get("/v1/orders", key)
        yield* api.get("/v1/events", key)
        yield* hook.next
        yield* running.atRest
        assert.deepStrictEqual(yield* tablesWith(running, signatureOf(url)), [])
        assert.include(yield* tablesWith(running, trade_no), "events")
      })
    )

    it.effect(
      "is not kept of what a receiver answers, even if it sends back what it was sent; nor is a card number",
      () =>
        Effect.gen(function* () {
          const running = yield* Service
          const { api, sql } = running
          const { merchantId, sandboxKey: key } = yield* api.newMerchant()
          for (const slash of ["/", "\\/"]) {
            const url = yield* echo((body) => body.slice(body.indexOf('"subject"')).replaceAll("/", slash))
            const { body } = yield* api.post("/v1/orders", key, {
              amount: 1000,
              subject: "4111 1111 1111 1111",
              notify_url: url
            })
            yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, key, {})
            yield* running.atRest
            assert.deepStrictEqual(yield* tablesWith(running, signatureOf(body.data.checkout_url)), [])
            const snippets = yield* sql<{ snippet: string }>`select a.snippet from delivery_attempts a
            join deliveries d on d.id = a.delivery_id where d.merchant_id = ${merchantId} order by a.at desc`
            assert.match(snippets[0]!.snippet, /checkout\\?\/\[redacted\]","expires_at"/)
            assert.include(snippets[0]!.snippet, '"subject":"[redacted]"')
          }
        })
    )

    it.effect("is in what is delivered and in what the owner reads, the same bytes each time", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const { api } = running
        const { sandboxKey: key } = yield* api.newMerchant()
        const hook = yield* receiver
        hook.answer(500)
        const { body } = yield* api.post("/v1/orders", key, { amount: 1000, notify_url: hook.url })
        const { checkout_url: url, trade_no } = body.data
        const metadata = ownTexts(url)
        yield* api.post(`/v1/orders/${trade_no}`, key, { metadata })
        const paid = yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, key, {})
        const first = yield* hook.next
        assert.deepStrictEqual(first.event.data.object, paid.body.data)
        assert.deepStrictEqual(first.event.data.object.metadata, metadata)
        assert.strictEqual(first.event.data.object.checkout_url, url)

        hook.answer(200)
        yield* running.pass("1 minute")
        assert.strictEqual((yield* hook.next).raw, first.raw)
        assert.include((yield* api.get(`/v1/events/${first.event.id}`, key)).text, first.raw)
        assert.include((yield* api.get("/v1/events", key)).text, first.raw)
      })
    )

    it.effect("is in the replay of a kept answer, which is the first answer to the byte", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant()
        const twice = Effect.fnUntraced(function* (path: string, body: unknown) {
          const call = api.call("POST", path, { key, body, headers: keyed(path) })
          const [first, second] = [yield* call, yield* call]
          assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
          assert.strictEqual(JSON.stringify(second.body.data), JSON.stringify(first.body.data))
          return first.body.data
        })
        const { checkout_url: url } = yield* twice("/v1/orders", { amount: 1000, out_trade_no: "1" })
        const updated = yield* twice("/v1/orders/1", { metadata: ownTexts(url) })
        assert.strictEqual(updated.checkout_url, url)
        assert.strictEqual((yield* twice("/v1/test_helpers/orders/1/pay", {})).checkout_url, url)
        const refund = yield* twice("/v1/refunds", { trade_no: updated.trade_no, amount: 1, metadata: ownTexts(url) })
        assert.deepStrictEqual(refund.metadata, ownTexts(url))
      })
    )

    it.effect("is cut in a file of orders, as in an API log", () =>
      Effect.gen(function* () {
        const { api, baseUrl } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant()
        const { body } = yield* api.post("/v1/orders", key, { amount: 1000 })
        const { text } = yield* api.get("/v1/orders?format=csv", key)
        assert.notInclude(text, signatureOf(body.data.checkout_url))
        assert.include(text, `,${baseUrl}/checkout/[redacted],`)
      })
    )

    it.effect("has one spelling: nothing may stand behind it or in it", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant()
        const { body } = yield* api.post("/v1/orders", key, { amount: 1000 })
        const { pathname } = new URL(body.data.checkout_url)
        assert.strictEqual((yield* api.get(pathname)).status, 200)
        const [path, end, signature] = pathname.split(".") as [string, string, string]
        for (const other of [
          `${pathname}.extra`,
          `${pathname}.`,
          `${pathname}=`,
          `${path}.0${end}.${signature}`,
          `${path}.${end}.${signature.toUpperCase()}`,
          `${path}.${end}`,
          `${path.toLowerCase()}.${end}.${signature}`
        ]) {
          assert.strictEqual((yield* api.get(other)).status, 404, other)
        }
      })
    )
  })

  it.effect("of a buyer's card is in no row of the database", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { api } = running
      const { sandboxKey: key } = yield* api.newMerchant()
      const { body } = yield* api.post("/v1/orders", key, { amount: 1000, out_trade_no: "1" })
      const { pathname } = new URL(body.data.checkout_url)
      const form = { step: "pay", method: "card", number: "4242 4242 4242 4242", expiry: "12/40", cvc: "739" }
      const raw = new URLSearchParams(form).toString()
      const headers = { "Content-Type": "application/x-www-form-urlencoded" }
      assert.strictEqual((yield* api.call("POST", pathname, { raw, headers })).status, 303)
      assert.strictEqual((yield* api.get("/v1/orders/1", key)).body.data.status, "paid")
      for (const text of ["4242 4242", "42424242", "4242+4242", "12/40"]) {
        assert.deepStrictEqual(yield* tablesWith(running, text), [])
      }
    })
  )

  it.effect("that a merchant or a service signs with is in no row of the database as it is", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { api } = running
      const { liveKey, merchantId, sandboxKey } = yield* api.newMerchant()
      const reset = yield* api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
      const secret = yield* api.operator("GET", `/merchants/${merchantId}/signing_secret/sandbox`)
      yield* api.get("/v1/balance", reset.body.data.key)
      for (const text of [sandboxKey, liveKey, reset.body.data.key, secret.body.data.secret, api.operatorToken]) {
        assert.deepStrictEqual(yield* tablesWith(running, String(text)), [])
      }
    })
  )

  it.effect("is kept by no cache: every answer of both APIs says no-store", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { merchantId, sandboxKey: key } = yield* api.newMerchant()
      const order = yield* api.post("/v1/orders", key, { amount: 1000 })
      const replies = [
        order,
        yield* api.get(`/v1/orders/${order.body.data.trade_no}`, key),
        yield* api.get("/v1/orders", key),
        yield* api.get("/v1/orders?format=csv", key),
        yield* api.get("/v1/events", key),
        yield* api.get("/v1/orders/none", key),
        yield* api.get("/v1/none", key),
        yield* api.operator("POST", "/merchants", { name: "m" }),
        yield* api.operator("GET", `/merchants/${merchantId}`),
        yield* api.operator("POST", `/merchants/${merchantId}/keys/live/reset`),
        yield* api.operator("GET", `/merchants/${merchantId}/signing_secret/live`)
      ]
      for (const { headers, text } of replies) assert.strictEqual(headers.get("cache-control"), "no-store", text)
    })
  )
})
