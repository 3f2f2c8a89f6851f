/**
 * The posts to a merchant's server: destinations, and accepted answers (spec: Events; silences: E2, W8, W12, W14).
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { pack } from "../../../src/webhooks/events/eventBodies.ts"
import { Stripe } from "stripe"
import { hooksOf, standardAccepts, stripeAccepts } from "../../kit/callers/Hooks.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/webhook") {}

/** A server that leaves each answer to the test. */
const listener = Effect.gen(function* () {
  const arrived = yield* Queue.unbounded<{ readonly method: string | undefined; readonly response: ServerResponse }>()
  const server = createServer((request, response) => {
    request.resume().on("end", () => Queue.offerUnsafe(arrived, { method: request.method, response }))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, next: Queue.take(arrived) }
})

/** A new merchant's paid order, and the stored rows of its event. */
const paid = Effect.fnUntraced(function* ({ api, sql }: Running, terms: object, settings: object = {}) {
  const merchant = yield* api.newMerchant()
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, settings)
  yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, out_trade_no: "1", ...terms })
  const answered = yield* api.post("/v1/test_helpers/orders/1/pay", merchant.sandboxKey, {})
  const secret = yield* api.operator("GET", `/merchants/${merchant.merchantId}/signing_secret/sandbox`)
  return {
    ...merchant,
    order: answered.body.data,
    secret: String(secret.body.data.secret),
    events: sql`select type from events where merchant_id = ${merchant.merchantId}`,
    deliveries: deliveriesOf(sql, merchant.merchantId)
  }
})

const deliveriesOf = (sql: Running["sql"], merchantId: string) =>
  sql`select d.url, d.status, d.attempts, a.status_code, split_part(a.failure, ':', 1) as failure
    from deliveries d left join delivery_attempts a on a.delivery_id = d.id
    where d.merchant_id = ${merchantId} order by a.attempt`

const constructEvent = (raw: string, header: unknown, secret: string) =>
  new Stripe("sk_test_x").webhooks.constructEvent(raw, String(header), secret) as unknown

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a delivery", (it) => {
  it.effect(
    "is an HTTP POST of the event with these headers, and X-Service-Endpoint-Id is absent with notify_url",
    () =>
      Effect.gen(function* () {
        const hook = yield* receiver
        yield* paid(yield* Service, { notify_url: hook.url, subject: "Ä 日本 😀" })
        const { event, headers, raw } = yield* hook.next
        const ours = Object.entries(headers).filter(([name]) => name.startsWith("x-service-"))
        assert.deepStrictEqual(ours.map(([name]) => name).toSorted(), [
          "x-service-event-id",
          "x-service-event-type",
          "x-service-signature"
        ])
        assert.strictEqual(headers["x-service-event-id"], event.id)
        assert.strictEqual(headers["x-service-event-type"], "payment.succeeded")
        assert.match(String(headers["x-service-signature"]), /^t=\d{10},v1=[0-9a-f]{64}$/)
        assert.match(String(headers["content-type"]), /^application\/json/)
        assert.strictEqual(headers["content-length"], String(Buffer.byteLength(raw)))

        const silent = yield* listener
        yield* paid(yield* Service, { notify_url: silent.url })
        assert.strictEqual((yield* silent.next).method, "POST")
      })
  )

  it.effect("is signed over <t>.<raw request body>, as the stripe package verifies", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const hook = yield* receiver
      const { merchantId, secret } = yield* paid(running, { notify_url: hook.url, subject: 'Ä "1" 😀' })
      const { event, headers, raw } = yield* hook.next
      const header = headers["x-service-signature"]
      assert.deepStrictEqual(constructEvent(raw, header, secret), event)

      const live = yield* running.api.operator("GET", `/merchants/${merchantId}/signing_secret/live`)
      assert.throws(() => constructEvent(raw, header, live.body.data.secret))
      assert.throws(() => constructEvent(JSON.stringify(event, null, 1), header, secret))
      assert.throws(() => constructEvent(raw.replace("1000", "1001"), header, secret))
      assert.throws(() => constructEvent(raw, String(header).replace(/t=\d/, "t=2"), secret))
    })
  )

  it.effect("holds the event: the order in data.object as retrieved, and the legacy fields beside it", () =>
    Effect.gen(function* () {
      const hook = yield* receiver
      const { order } = yield* paid(yield* Service, { notify_url: hook.url, metadata: { a: "1" } })
      const { created_at, id, sequence, ...event } = (yield* hook.next).event
      assert.match(id, /^evt_[0-9A-Z]{26}$/)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.isAbove(sequence, 0)
      assert.deepStrictEqual(event, {
        object: "event",
        type: "payment.succeeded",
        mode: "sandbox",
        data: {
          object: order,
          trade_no: order.trade_no,
          out_trade_no: "1",
          amount: 1000,
          currency: "USD",
          status: "paid"
        },
        event_id: id,
        event_type: "payment.succeeded"
      })
    })
  )

  it.effect("goes to the address in the console when the order has none, without X-Service-Endpoint-Id", () =>
    Effect.gen(function* () {
      const hook = yield* receiver
      const { secret } = yield* paid(yield* Service, {}, { sandbox: { default_notify_url: hook.url } })
      const { event, headers, raw } = yield* hook.next
      assert.notProperty(headers, "x-service-endpoint-id")
      assert.deepStrictEqual(constructEvent(raw, headers["x-service-signature"], secret), event)
    })
  )

  it.effect("goes to the order's notify_url only, when it has one", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const [own, other] = [yield* receiver, yield* receiver]
      const settings = { sandbox: { default_notify_url: other.url } }
      const { deliveries } = yield* paid(running, { notify_url: own.url }, settings)
      yield* own.next
      yield* running.atRest
      assert.deepStrictEqual(other.all, [])
      assert.deepStrictEqual(
        (yield* deliveries).map(({ url }) => url),
        [own.url]
      )
    })
  )

  it.effect("is not made when there is no address at all, but the event is stored", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const live = { live: { default_notify_url: "https://shop.example/" } }
      const { deliveries, events } = yield* paid(running, {}, live)
      yield* running.atRest
      assert.deepStrictEqual(yield* events, [{ type: "payment.succeeded" }])
      assert.deepStrictEqual(yield* deliveries, [], "the live address is not the sandbox's")
    })
  )
})

describe("an attempt", () => {
  it.live("has succeeded when the answer is 2xx, and failed with any other status; a redirect is not followed", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const elsewhere = yield* receiver
      for (const status of [
        200, 201, 202, 204, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503
      ]) {
        const hook = yield* listener
        const { deliveries } = yield* paid(running, { notify_url: hook.url })
        const { response } = yield* hook.next
        response.writeHead(status, { Location: elsewhere.url, "Retry-After": "1" }).end()
        yield* running.atRest
        const ended = { url: hook.url, attempts: 1, status_code: status, failure: null }
        assert.deepStrictEqual(yield* deliveries, [{ ...ended, status: status < 300 ? "succeeded" : "pending" }])
      }
      assert.deepStrictEqual(elsewhere.all, [])
    })
  )

  it.live("has failed when no server listens or the connection is closed without an answer", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const refused = yield* paid(running, { notify_url: "http://127.0.0.1:1/" })
      const hook = yield* listener
      const closed = yield* paid(running, { notify_url: hook.url })
      ;(yield* hook.next).response.destroy()
      yield* running.atRest
      for (const [{ deliveries }, failure] of [
        [refused, "connect"],
        [closed, "protocol"]
      ] as const) {
        const [delivery] = yield* deliveries
        assert.deepInclude(delivery, { status: "pending", attempts: 1, status_code: null, failure })
      }
    })
  )

  it.live("must be answered within 10 seconds: one millisecond less is in time, and at 10 seconds it has failed", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const wait = (duration: Duration.Input) => Effect.provideContext(TestClock.adjust(duration), running.context)
      for (const [answers, expected] of [
        [true, { status: "succeeded", status_code: 200, failure: null }],
        [false, { status: "pending", status_code: null, failure: "timeout" }]
      ] as const) {
        const hook = yield* listener
        const { deliveries } = yield* paid(running, { notify_url: hook.url })
        const { response } = yield* hook.next
        yield* wait("9999 millis")
        assert.deepStrictEqual(
          (yield* deliveries).map(({ attempts }) => attempts),
          [0]
        )
        if (answers) response.writeHead(200).end()
        else yield* wait("1 milli")
        yield* running.atRest
        assert.deepStrictEqual(yield* deliveries, [{ url: hook.url, attempts: 1, ...expected }])
      }
    })
  )
})

describe("private addresses", () => {
  it.live("never get live events, not even where the operator allows them for sandbox", () =>
    Effect.gen(function* () {
      const { api, atRest, sql } = yield* start({ clock: "test", env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })
      const hook = yield* receiver
      const { port } = new URL(hook.url)
      for (const url of [
        hook.url,
        `https://127.0.0.1:${port}/`,
        `https://localhost:${port}/`,
        `https://[::1]:${port}/`
      ]) {
        const { liveKey, merchantId } = yield* api.newMerchant()
        yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["USD"] })
        yield* api.post("/v1/orders", liveKey, { amount: 100, out_trade_no: "1", notify_url: "https://shop.example/" })
        // The API refuses such an address; this is an older one, or a name whose address has changed.
        yield* sql`update orders set notify_url = ${url} where merchant_id = ${merchantId}`
        assert.strictEqual((yield* api.post("/v1/orders/1/expire", liveKey)).status, 200)
        yield* atRest
        const expected = { url, status: "pending", attempts: 1, status_code: null, failure: "refused_address" }
        assert.deepStrictEqual(yield* deliveriesOf(sql, merchantId), [expected])
      }
      assert.deepStrictEqual(hook.all, [])
    })
  )

  it.live("are refused as notify_url in sandbox too, unless the operator allows them", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start({ env: { ALLOW_PRIVATE_WEBHOOKS: "false" } })
      const create = (notify_url: string) => api.post("/v1/orders", merchant.sandboxKey, { amount: 100, notify_url })
      for (const url of ["http://shop.example/hook", "https://shop.example/hook", "http://93.184.215.14/"]) {
        assert.strictEqual((yield* create(url)).status, 201, url)
      }
      for (const url of [
        "http://127.0.0.1:3000/",
        "http://localhost/",
        "https://10.0.0.1/",
        "http://169.254.169.254/"
      ]) {
        const { body, status } = yield* create(url)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "notify_url"], url)
      }
    })
  )
})

describe("an event of 200 kB", () => {
  it.live("arrives whole, byte for byte, and signed as any other", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const { api, merchant, sql } = running
      const hooks = hooksOf(running, merchant)
      const hook = yield* receiver
      const { secret } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      const small = yield* hook.next
      // No order is so large; an object of tomorrow may be.
      const body = JSON.stringify({ ...small.event, note: "靴".repeat(70_000) })
      assert.isAbove(Buffer.byteLength(body), 200_000)
      yield* sql`update events set packed = ${Buffer.from(pack(body), "hex")}`
      const [{ id }] = (yield* api.get("/v1/webhook_deliveries", merchant.sandboxKey)).body.data.data
      yield* api.post(`/v1/webhook_deliveries/${id}/resend`, merchant.sandboxKey)
      const large = yield* hook.next
      assert.strictEqual(large.raw.length, body.length)
      assert.strictEqual(large.event.note, "靴".repeat(70_000))
      assert.isTrue(stripeAccepts(large, secret))
      assert.isTrue(standardAccepts(large, secret))
    })
  )
})
