/** The service inside a merchant's own test, through the package's public entry alone. */
import { createServer } from "node:net"
import { once } from "node:events"
import { webhooks } from "@coffer/sdk"
import { type Coffer, start } from "@coffer/testkit"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

const call = async (coffer: Coffer, method: string, path: string, body?: object, key = coffer.key) => {
  const answer = await fetch(`${coffer.baseUrl}${path}`, {
    method,
    headers: { "X-Api-Key": key, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  return { status: answer.status, text, data: (JSON.parse(text) as Json).data }
}

const newOrder = async (coffer: Coffer, key = coffer.key) => {
  const { data, status } = await call(coffer, "POST", "/orders", { amount: 1999, subject: "Two books" }, key)
  assert.strictEqual(status, 201)
  return data.trade_no as string
}

const statusOf = async (coffer: Coffer, tradeNo: string) =>
  (await call(coffer, "GET", `/orders/${tradeNo}`)).data.status

const hour = 3_600_000

describe("a Coffer inside a test", () => {
  let coffer: Coffer
  beforeAll(async () => {
    coffer = await start({ begins: new Date("2026-02-03T04:05:06.789Z") })
  })
  afterAll(() => coffer.stop())

  it("has time that stands still, and begins at a given time", async () => {
    const before = coffer.now().getTime()
    const { data } = await call(coffer, "GET", `/orders/${await newOrder(coffer)}`)
    assert.strictEqual(coffer.now().getTime(), before)
    assert.strictEqual(Date.parse(data.created_at), before)
  })

  it("refuses an option that a receiver does not take, and names the nearest or all", async () => {
    const refusalOf = (options: object) =>
      coffer.receiveWebhooks(options).then(
        () => assert.fail("it receives"),
        (error: Error) => error.message
      )
    assert.match(await refusalOf({ type: ["payment.expired"] }), /type: unknown option; did you mean types\?/)
    assert.match(await refusalOf({ secret: "x" }), /secret: unknown option; the options are merchant, types/)
  })

  it("ends an order at exactly 24 hours, and has sent the webhook when pass returns", async () => {
    const hooks = await coffer.receiveWebhooks({ types: ["payment.expired"] })
    const tradeNo = await newOrder(coffer)
    await coffer.pass(24 * hour - 1)
    assert.strictEqual(await statusOf(coffer, tradeNo), "pending")
    assert.isEmpty(hooks.received.filter(({ event }) => event.data.object.trade_no === tradeNo))
    await coffer.pass(1)
    assert.strictEqual(await statusOf(coffer, tradeNo), "expired")
    assert.lengthOf(
      hooks.received.filter(({ event }) => event.data.object.trade_no === tradeNo),
      1
    )
  })

  it("repeats a refused webhook at its own moments while time passes", async () => {
    const shop = await coffer.newMerchant()
    const hooks = await coffer.receiveWebhooks({ merchant: shop })
    hooks.answer(500)
    const tradeNo = await newOrder(coffer, shop.sandboxKey)
    const begins = coffer.now().getTime()
    await call(coffer, "POST", `/test_helpers/orders/${tradeNo}/pay`, {}, shop.sandboxKey)
    await coffer.pass("9 hours")
    const { data } = await call(coffer, "GET", "/webhook_deliveries", undefined, shop.sandboxKey)
    const [delivery] = data.data
    const seconds = delivery.attempts.map(({ at }: Json) => Math.round((Date.parse(at) - begins) / 1000))
    assert.deepStrictEqual(seconds, [0, 30, 150, 750, 2550, 9750, 31350])
    assert.lengthOf(hooks.received, 7)
    assert.strictEqual(coffer.now().getTime(), begins + 9 * hour)
  })

  it("has deadlines at which a refund is refused", async () => {
    const tradeNo = await newOrder(coffer)
    await call(coffer, "POST", `/test_helpers/orders/${tradeNo}/pay`, { payment_method: "alipay" })
    const refund = () => call(coffer, "POST", "/refunds", { trade_no: tradeNo, amount: 100 })
    await coffer.pass("90 days")
    assert.isBelow((await refund()).status, 300)
    await coffer.pass(1)
    assert.include((await refund()).text, "refund_window_expired")
  })

  it("has sandboxes whose first full refund succeeds, although the payment's fee is not returned", async () => {
    const shop = await coffer.newMerchant()
    const tradeNo = await newOrder(coffer, shop.sandboxKey)
    await call(coffer, "POST", `/test_helpers/orders/${tradeNo}/pay`, {}, shop.sandboxKey)
    const refund = await call(coffer, "POST", "/refunds", { trade_no: tradeNo }, shop.sandboxKey)
    assert.strictEqual(refund.data?.status, "succeeded", refund.text)
  })

  it("signs webhooks by the machine's time, so that a receiver which goes by it takes them", async () => {
    const shop = await coffer.newMerchant()
    const hooks = await coffer.receiveWebhooks({ merchant: shop })
    await newOrder(coffer, shop.sandboxKey)
    const before = Math.floor(Date.now() / 1_000)
    await coffer.pass("90 days")
    const [{ headers, raw } = assert.fail("nothing came")] = hooks.received
    const event = await webhooks.verify(raw, headers, hooks.secret)
    assert.strictEqual(event.type, "payment.expired")
    assert.isAtLeast(Number(headers["webhook-timestamp"]), before)
  })

  it("has merchants that do not see each other", async () => {
    const other = await coffer.newMerchant("Other")
    const tradeNo = await newOrder(coffer)
    assert.strictEqual((await call(coffer, "GET", `/orders/${tradeNo}`, undefined, other.sandboxKey)).status, 404)
    assert.notStrictEqual(other.id, coffer.merchant.id)
  })

  it("says what is wrong with a span that cannot pass", async () => {
    for (const span of [-1, Number.NaN, Number.POSITIVE_INFINITY, "tomorrow" as never]) {
      const failure = await coffer.pass(span).catch((error: Error) => error)
      assert.match(String(failure), /pass: expected a span/)
    }
  })
})

describe("two of them in one process", () => {
  it("have clocks and objects of their own, and one may stop first", async () => {
    const one = await start({ begins: new Date(0) })
    await using two = await start({ begins: new Date(0) })
    const [first, second] = [await newOrder(one), await newOrder(two)]
    await one.pass("24 hours")
    assert.strictEqual(await statusOf(one, first), "expired")
    assert.strictEqual(await statusOf(two, second), "pending")
    assert.strictEqual((await call(two, "GET", `/orders/${first}`)).status, 404)
    await one.stop()
    await one.stop()
    assert.strictEqual(await statusOf(two, second), "pending")
    const closed = await fetch(`${one.url}/healthz`).catch(() => undefined)
    assert.isUndefined(closed)
  })
})

describe("a start that fails", () => {
  const failure = (options: Parameters<typeof start>[0]) =>
    start(options).then(
      () => assert.fail("it has started"),
      (error: Error) => error.message
    )

  it("names the setting that is wrong", async () => {
    assert.match(await failure({ prt: 1 } as never), /prt: unknown option; did you mean port\?/)
    assert.match(await failure({ webhooks: 1 } as never), /webhooks: unknown option; the options are port, seed, /)
    assert.match(await failure({ settings: { WORKER_POLL: "often" } }), /WORKER_POLL/)
    assert.match(await failure({ settings: { DATABASE_URL: "postgres://elsewhere" } }), /settings\.DATABASE_URL/)
    assert.match(await failure({ settings: { PUBLIC_URL: 1 as never } }), /settings\.PUBLIC_URL: expected a string/)
    assert.match(await failure({ begins: new Date("never") }), /begins/)
  })

  it("names the port that is in use, and a start without it goes well", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as { port: number }
    assert.match(await failure({ port }), new RegExp(`Port ${port} is in use`))
    server.close()
    await using coffer = await start({ port })
    assert.strictEqual(coffer.url, `http://127.0.0.1:${port}`)
  })

  it("for want of a place for its template names that place, and a later start goes well", async () => {
    const before = process.env["COFFER_TESTKIT_CACHE"]
    process.env["COFFER_TESTKIT_CACHE"] = "/dev/null/nowhere"
    try {
      const message = await failure({})
      assert.include(message, "/dev/null/nowhere")
      assert.include(message, "COFFER_TESTKIT_CACHE")
    } finally {
      if (before === undefined) delete process.env["COFFER_TESTKIT_CACHE"]
      else process.env["COFFER_TESTKIT_CACHE"] = before
    }
    await (await start()).stop()
  })
})
