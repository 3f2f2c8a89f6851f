/**
 * A shop of Medusa 2 from npm with `@coffer/medusa`, on a PostgreSQL of its own: from the cart to the books of both, with
 * posts that come twice, late, forged, or not at all. Nobody does anything by hand.
 */
import { Coffer as Client } from "@coffer/sdk"
import { type Coffer, start } from "@coffer/testkit"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { startDatabaseServer } from "./kit/databaseServer.ts"
import { type Line, makeLine } from "./kit/Line.ts"
import { payAtCheckout } from "./kit/payAtCheckout.ts"
import { newPort, type Shop, startShop } from "./kit/Shop.ts"

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Answer = any

let coffer: Coffer
let client: Client
let database: Awaited<ReturnType<typeof startDatabaseServer>>
let line: Line
let shop: Shop
let seeded: Answer
let token = ""

beforeAll(async () => {
  coffer = await start()
  client = new Client({ apiKey: coffer.key, baseUrl: coffer.baseUrl })
  database = await startDatabaseServer()
  const port = await newPort()
  line = await makeLine(`http://127.0.0.1:${port}`)
  shop = await startShop("medusa", port, {
    COFFER_KEY: coffer.key,
    COFFER_BASE_URL: coffer.baseUrl,
    WEBHOOK_URL: line.url,
    DATABASE_URL: database.url.replace(/\/\w+$/, "/medusa"),
    MEDUSA_DISABLE_TELEMETRY: "true"
  })
  seeded = await shop.hears("seeded")
  const login = { email: "owner@example.com", password: "of-the-tests-1" }
  ;({ token } = await call("/auth/user/emailpass", login))
})
afterAll(async () => {
  await shop?.stop()
  line?.stop()
  await database?.stop()
  await coffer?.stop()
})
beforeEach(() => void (line.mode = "once"))

/** A POST if there is a body. Fails with Medusa's words. */
const call = async (path: string, body?: object): Promise<Answer> => {
  const headers: Record<string, string> = { "x-publishable-api-key": seeded.key, "Content-Type": "application/json" }
  if (path.startsWith("/admin")) headers["Authorization"] = `Bearer ${token}`
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  const answer = await fetch(shop.url + path, { headers, ...post })
  const found = (await answer.json()) as Answer
  if (!answer.ok) throw new Error(`${answer.status} ${found.message}`)
  return found
}

interface Opened {
  readonly cart: string
  readonly collection: string
  readonly session: string
  readonly tradeNo: string
  readonly checkoutUrl: string
}

const checkOut = async (provider = "pp_coffer_coffer"): Promise<Opened> => {
  const { cart } = await call("/store/carts", { region_id: seeded.region })
  await call(`/store/carts/${cart.id}/line-items`, { variant_id: seeded.variant, quantity: 1 })
  const address = {
    first_name: "Ada",
    last_name: "L",
    address_1: "Way 1",
    city: "Berlin",
    postal_code: "10115",
    country_code: "de"
  }
  await call(`/store/carts/${cart.id}`, { email: "ada@example.com", shipping_address: address })
  await call(`/store/carts/${cart.id}/shipping-methods`, { option_id: seeded.option })
  const { payment_collection } = await call("/store/payment-collections", { cart_id: cart.id })
  return { cart: cart.id, collection: payment_collection.id, ...(await openSession(payment_collection.id, provider)) }
}

const openSession = async (collection: string, provider_id = "pp_coffer_coffer") => {
  const at = `/store/payment-collections/${collection}/payment-sessions`
  const { payment_collection } = await call(at, { provider_id })
  const { data, id } = payment_collection.payment_sessions.at(-1)
  return { session: id as string, tradeNo: data.trade_no as string, checkoutUrl: data.checkout_url as string }
}

const complete = ({ cart }: Opened): Promise<Answer> => call(`/store/carts/${cart}/complete`, {})

/** Medusa's words. */
const refusalOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "",
    (error: Error) => error.message
  )

const reconcile = () => call("/reconcile", {})

/** The order of a cart in the shop's admin; the payment that was made by the session. */
const inShop = async (opened: Opened): Promise<Answer> => {
  const payments =
    "*payment_collections.payments,*payment_collections.payments.captures,*payment_collections.payments.refunds"
  const { orders } = await call(`/admin/orders?fields=+summary,cart.id,${payments}&limit=100`)
  const order = orders.find(({ cart }: Answer) => cart?.id === opened.cart)
  const all = order?.payment_collections.flatMap((each: Answer) => each.payments)
  return { order, payment: all?.find(({ data }: Answer) => data.trade_no === opened.tradeNo) }
}

/** Waits until the order is placed. */
const placed = (opened: Opened): Promise<Answer> =>
  shop.until(async () => {
    const found = await inShop(opened)
    return found.payment === undefined ? undefined : found
  })

/** Waits until the shop has entered the payment and the order. */
const paid = (opened: Opened): Promise<Answer> =>
  shop.until(async () => {
    const found = await inShop(opened)
    return found.payment?.captured_at ? found : undefined
  })

/** The shop's payment and our order, in the same words. */
const bothBooks = async (opened: Opened) => {
  const { order, payment } = await inShop(opened)
  const found = await client.orders.get(opened.tradeNo)
  const refunds = (await client.refunds.list({ trade_no: opened.tradeNo })).data
  const sum = (all: Answer) => all.reduce((total: number, { amount }: Answer) => total + Number(amount), 0)
  const shops = {
    captured: sum(payment.captures),
    refunds: payment.refunds.map(({ amount, id }: Answer) => [id, amount]).toSorted(),
    kept: order.summary.transaction_total
  }
  const ours = {
    captured: found.paid_at === null ? 0 : found.amount / 100,
    refunds: refunds.map(({ amount, metadata }) => [metadata["shop_refund"], amount / 100]).toSorted(),
    kept: (found.amount - found.refunded_amount) / 100
  }
  return { shops, ours }
}

describe("a shop of Medusa", () => {
  it("sells at Coffer's checkout, refunds in part, and both books agree, with each post doubled", async () => {
    line.mode = "twice"
    const opened = await checkOut()
    assert.match(await refusalOf(complete(opened)), /^400 .* was not authorized/)
    await payAtCheckout(opened.checkoutUrl)
    const { order, payment } = await paid(opened)
    assert.strictEqual((await complete(opened)).order.id, order.id)
    await call(`/admin/payments/${payment.id}/refund`, { amount: 5 })
    await coffer.atRest()
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
    assert.deepInclude(shops, { captured: 19.99, kept: 14.99 })
    console.log(
      "Medusa and Coffer:",
      JSON.stringify({ order: order.id, payment: payment.id, shops, ours }, undefined, 1)
    )
  })

  it("takes an event again and late without a change, and ignores a forged one", async () => {
    const opened = await checkOut()
    await client.testHelpers.orders.pay(opened.tradeNo)
    const { payment } = await paid(opened)
    await call(`/admin/payments/${payment.id}/refund`, { amount: 19.99 })
    await coffer.atRest()
    const before = await bothBooks(opened)
    for (const post of line.posts) assert.strictEqual(await line.post(post), 200)
    const other = await checkOut()
    const { body, headers, path } = line.posts.at(-1)!
    await line.post({
      body: body.replaceAll(opened.session, other.session).replaceAll(opened.tradeNo, other.tradeNo),
      headers,
      path
    })
    await reconcile()
    assert.deepStrictEqual(await bothBooks(opened), before)
    assert.deepStrictEqual(before.shops, before.ours)
    assert.isUndefined((await inShop(other)).order)
  })

  it("asks for what it has not heard: a payment, and a refund that was made at Coffer", async () => {
    line.mode = "lost"
    const opened = await checkOut()
    await client.testHelpers.orders.pay(opened.tradeNo)
    await coffer.atRest()
    assert.isUndefined((await inShop(opened)).order)
    await reconcile()
    assert.isString((await inShop(opened)).payment.captured_at)
    await client.refunds.create({ trade_no: opened.tradeNo, amount: 700 })
    await reconcile()
    await reconcile()
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
    assert.lengthOf(shops.refunds, 1)
  })

  it("closes the order of a cart that changes, and a buyer who pays it late gets the money back", async () => {
    const first = await checkOut()
    await call(`/store/carts/${first.cart}/line-items`, { variant_id: seeded.variant, quantity: 1 })
    assert.strictEqual((await client.orders.get(first.tradeNo)).status, "expired")
    const second = { ...first, ...(await openSession(first.collection)) }
    await client.testHelpers.orders.pay(first.tradeNo)
    await coffer.atRest()
    assert.strictEqual((await client.balance.get()).frozen_balance, 0)
    assert.isUndefined((await inShop(first)).order)
    await client.testHelpers.orders.pay(second.tradeNo)
    const { payment } = await paid(second)
    assert.strictEqual(payment.amount, 34.98)
  })

  it("gives a buyer who returns a new checkout, and only one of the two can be paid", async () => {
    const first = await checkOut()
    const second = await openSession(first.collection)
    const status = async ({ tradeNo }: { readonly tradeNo: string }) => (await client.orders.get(tradeNo)).status
    assert.deepStrictEqual([await status(first), await status(second)], ["expired", "pending"])
  })

  it("refuses to change the cart of a buyer who has paid meanwhile, and delivers what was paid", async () => {
    line.mode = "lost"
    const opened = await checkOut()
    await client.testHelpers.orders.pay(opened.tradeNo)
    await coffer.atRest()
    const more = { variant_id: seeded.variant, quantity: 1 }
    assert.match(await refusalOf(call(`/store/carts/${opened.cart}/line-items`, more)), /Could not delete/)
    await reconcile()
    const { order, payment } = await inShop(opened)
    assert.deepStrictEqual([order.summary.pending_difference, payment.amount], [0, 19.99])
  })

  it("gives all of it back when the order is canceled in the admin", async () => {
    const opened = await checkOut()
    await client.testHelpers.orders.pay(opened.tradeNo)
    const { order } = await paid(opened)
    await call(`/admin/orders/${order.id}/cancel`, {})
    assert.strictEqual((await client.orders.get(opened.tradeNo)).status, "refunded")
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
  })
})

describe("a shop of Medusa that captures later", () => {
  it("places the order when the money is reserved, and captures it in the admin", async () => {
    const opened = await checkOut("pp_coffer_later")
    await payAtCheckout(opened.checkoutUrl)
    const { payment } = await placed(opened)
    assert.strictEqual((await client.orders.get(opened.tradeNo)).status, "authorized")
    assert.isNull(payment.captured_at)
    await call(`/admin/payments/${payment.id}/capture`, {})
    await coffer.atRest()
    await call(`/admin/payments/${payment.id}/refund`, { amount: 5 })
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
    assert.deepInclude(shops, { captured: 19.99, kept: 14.99 })
  })

  it("releases what is reserved when the order is canceled, and enters a part that was captured at Coffer", async () => {
    const released = await checkOut("pp_coffer_later")
    await client.testHelpers.orders.authorize(released.tradeNo)
    const { order } = await placed(released)
    await call(`/admin/orders/${order.id}/cancel`, {})
    assert.strictEqual((await client.orders.get(released.tradeNo)).status, "canceled")

    line.mode = "lost"
    const part = await checkOut("pp_coffer_later")
    await client.testHelpers.orders.authorize(part.tradeNo)
    await coffer.atRest()
    await reconcile()
    assert.lengthOf((await inShop(part)).payment.captures, 0)
    await client.orders.capture(part.tradeNo, { amount: 700 })
    await coffer.atRest()
    await reconcile()
    await reconcile()
    const { payment } = await inShop(part)
    assert.deepStrictEqual(
      payment.captures.map(({ amount }: Answer) => amount),
      [7]
    )
  })
})
