/**
 * A shop of Vendure 3 from npm with `@coffer/vendure`: from the cart to the books of both, with posts that come twice,
 * late, forged, or not at all. Nobody does anything by hand.
 */
import { Coffer as Client } from "@coffer/sdk"
import { type Coffer, start } from "@coffer/testkit"
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { type Line, makeLine } from "./kit/Line.ts"
import { payAtCheckout } from "./kit/payAtCheckout.ts"
import { newPort, type Shop, startShop } from "./kit/Shop.ts"

let coffer: Coffer
let client: Client
let line: Line
let shop: Shop

beforeAll(async () => {
  coffer = await start()
  client = new Client({ apiKey: coffer.key, baseUrl: coffer.baseUrl })
  await open("automatic")
})
afterAll(async () => {
  await close()
  await coffer?.stop()
})

const open = async (capture: string): Promise<void> => {
  const port = await newPort()
  line = await makeLine(`http://127.0.0.1:${port}`)
  shop = await startShop("vendure", port, {
    COFFER_KEY: coffer.key,
    COFFER_BASE_URL: coffer.baseUrl,
    CAPTURE: capture,
    WEBHOOK_URL: `${line.url}/coffer/events`,
    VENDURE_DISABLE_TELEMETRY: "true"
  })
  admin = makeCaller(`${shop.url}/admin-api`)
  await admin(`mutation { login(username: "owner", password: "of-the-tests-1") { __typename } }`)
}

const close = async (): Promise<void> => {
  await shop?.stop()
  line?.stop()
}

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Answer = any
type Caller = (query: string, variables?: object) => Promise<Answer>
let admin: Caller
beforeEach(() => void (line.mode = "once"))

/** One session of Vendure's GraphQL. */
const makeCaller = (url: string): Caller => {
  let token = ""
  return async (query, variables = {}) => {
    const headers = {
      "Content-Type": "application/json",
      ...(token === "" ? {} : { Authorization: `Bearer ${token}` })
    }
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) })
    token ||= answer.headers.get("vendure-auth-token") ?? ""
    const { data, errors } = (await answer.json()) as Answer
    if (errors !== undefined) throw new Error(errors[0].message)
    return data
  }
}

/** A buyer with a filled cart, who has said where to send it. */
const fillCart = async (): Promise<Caller> => {
  const buyer = makeCaller(`${shop.url}/shop-api`)
  const address = `{ fullName: "Ada", streetLine1: "Way 1", city: "Berlin", postalCode: "10115", countryCode: "DE" }`
  for (const step of [
    `addItemToOrder(productVariantId: "1", quantity: 1) { __typename }`,
    `setCustomerForOrder(input: { firstName: "Ada", lastName: "L", emailAddress: "ada@example.com" }) { __typename }`,
    `setOrderShippingAddress(input: ${address}) { __typename }`,
    `setOrderShippingMethod(shippingMethodId: ["1"]) { __typename }`
  ])
    await buyer(`mutation { ${step} }`)
  return buyer
}

interface Opened {
  readonly code: string
  readonly tradeNo: string
  readonly checkoutUrl: string
}

const checkOut = async (buyer: Caller): Promise<Opened> => {
  await buyer(`mutation { transitionOrderToState(state: "ArrangingPayment") { __typename } }`)
  const pay = `addPaymentToOrder(input: { method: "coffer", metadata: {} })`
  const shown = `... on Order { code payments { transactionId metadata } } ... on ErrorResult { message } ... on PaymentFailedError { paymentErrorMessage }`
  const { addPaymentToOrder: order } = await buyer(`mutation { ${pay} { __typename ${shown} } }`)
  assert.strictEqual(order.__typename, "Order", order.paymentErrorMessage ?? order.message)
  const { metadata, transactionId: tradeNo } = order.payments.at(-1)
  return { code: order.code, tradeNo, checkoutUrl: metadata.public.checkoutUrl }
}

const orderInShop = async (code: string): Promise<Answer> => {
  const payments = "payments { id amount state transactionId errorMessage refunds { id total state transactionId } }"
  const notes = `history(options: { filter: { type: { eq: "ORDER_NOTE" } } }) { items { data } }`
  const shown = `id code state totalWithTax ${payments} ${notes}`
  const { orders } = await admin(`{ orders(options: { filter: { code: { eq: "${code}" } } }) { items { ${shown} } } }`)
  return orders.items[0]
}

const notesOf = (order: Answer): ReadonlyArray<string> => order.history.items.map(({ data }: Answer) => data.note)

const refund = async (code: string, amount: number): Promise<Answer> => {
  const { payments } = await orderInShop(code)
  const input = `{ paymentId: "${payments[0].id}", amount: ${amount}, lines: [], shipping: 0, adjustment: 0, reason: "torn" }`
  const shown = "... on Refund { state total } ... on ErrorResult { message }"
  return (await admin(`mutation { refundOrder(input: ${input}) { __typename ${shown} } }`)).refundOrder
}

/** Runs the task that asks for missed events, and waits for its end. */
const reconcile = async (): Promise<void> => {
  const read = async () =>
    (await admin(`{ scheduledTasks { id lastExecutedAt isRunning } }`)).scheduledTasks.find(
      ({ id }: Answer) => id === "coffer-reconcile"
    )
  const { lastExecutedAt } = await read()
  await admin(`mutation { runScheduledTask(id: "coffer-reconcile") { success } }`)
  for (;;) {
    const now = await read()
    if (!now.isRunning && now.lastExecutedAt !== lastExecutedAt) return
  }
}

/** The shop's payment and our order, in the same words. */
const bothBooks = async ({ code, tradeNo }: Opened) => {
  const { payments } = await orderInShop(code)
  const payment = payments.find(({ transactionId }: Answer) => transactionId === tradeNo)
  const order = await client.orders.get(tradeNo)
  const refunds = (await client.refunds.list({ trade_no: tradeNo })).data
  const shops = {
    paid: payment.state === "Settled" ? payment.amount : 0,
    refunds: payment.refunds.map((each: Answer) => [each.transactionId, each.total, each.state]).toSorted()
  }
  const ours = {
    paid: order.paid_at === null ? 0 : order.amount,
    refunds: refunds
      .map((each) => [each.refund_no, each.amount, each.status === "succeeded" ? "Settled" : each.status])
      .toSorted()
  }
  return { shops, ours }
}

describe("a shop of Vendure", () => {
  it("sells at Coffer's checkout, refunds in part, and both books agree, with each post doubled", async () => {
    line.mode = "twice"
    const opened = await checkOut(await fillCart())
    assert.strictEqual((await orderInShop(opened.code)).payments[0].state, "Pending")
    await payAtCheckout(opened.checkoutUrl)
    await shop.hears("placed", opened.code)
    await coffer.atRest()

    assert.deepInclude(await refund(opened.code, 500), { state: "Settled", total: 500 })
    await coffer.atRest()
    const order = await orderInShop(opened.code)
    assert.deepInclude(order, { state: "PaymentSettled", totalWithTax: 1999 })
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
    assert.strictEqual(shops.paid, 1999)
    assert.lengthOf(shops.refunds, 1)
    console.log(
      "Vendure and Coffer:",
      JSON.stringify({ shops, ours }, undefined, 1),
      JSON.stringify(order, undefined, 1)
    )
  })

  it("takes an event again and late without a change, and refuses a forged one", async () => {
    const opened = await checkOut(await fillCart())
    await client.testHelpers.orders.pay(opened.tradeNo)
    await shop.hears("placed", opened.code)
    await refund(opened.code, 1999)
    await coffer.atRest()
    const before = JSON.stringify(await orderInShop(opened.code))
    for (const post of line.posts) assert.strictEqual(await line.post(post), 200)
    assert.strictEqual(JSON.stringify(await orderInShop(opened.code)), before)
    const { body, headers, path } = line.posts.at(-1)!
    assert.strictEqual(await line.post({ path, body: body.replace("1999", "1"), headers }), 400)
    assert.strictEqual(await line.post({ path, body, headers: {} }), 400)
  })

  it("asks for what it has not heard: a payment, and a refund that was made at Coffer", async () => {
    line.mode = "lost"
    const opened = await checkOut(await fillCart())
    await client.testHelpers.orders.pay(opened.tradeNo)
    await coffer.atRest()
    assert.strictEqual((await orderInShop(opened.code)).state, "ArrangingPayment")
    await reconcile()
    assert.strictEqual((await orderInShop(opened.code)).state, "PaymentSettled")

    await client.refunds.create({ trade_no: opened.tradeNo, amount: 700 })
    await coffer.atRest()
    await reconcile()
    await reconcile()
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
    assert.lengthOf(shops.refunds, 1)
    assert.lengthOf(notesOf(await orderInShop(opened.code)), 1)
  })

  it("closes the order of a cart that changes, and a buyer who pays it late gets the money back", async () => {
    const buyer = await fillCart()
    const first = await checkOut(buyer)
    await buyer(`mutation { transitionOrderToState(state: "AddingItems") { __typename } }`)
    await buyer(`mutation { addItemToOrder(productVariantId: "1", quantity: 1) { __typename } }`)
    const second = await checkOut(buyer)
    assert.strictEqual((await client.orders.get(first.tradeNo)).status, "expired")
    await client.testHelpers.orders.pay(first.tradeNo)
    await coffer.atRest()
    const order = await orderInShop(first.code)
    assert.strictEqual(order.state, "ArrangingPayment")
    assert.match(notesOf(order).join(), /late or twice, and got that money back/)
    await client.testHelpers.orders.pay(second.tradeNo)
    await shop.hears("placed", second.code)
    const states = (await orderInShop(first.code)).payments.map(({ amount, state }: Answer) => [amount, state])
    assert.deepStrictEqual(states, [
      [1999, "Cancelled"],
      [3498, "Settled"]
    ])
  })

  it("gives a buyer who returns a new checkout, and only one of the two can be paid", async () => {
    const buyer = await fillCart()
    const first = await checkOut(buyer)
    const second = await checkOut(buyer)
    const status = async ({ tradeNo }: Opened) => (await client.orders.get(tradeNo)).status
    assert.deepStrictEqual([await status(first), await status(second)], ["expired", "pending"])
    await client.testHelpers.orders.pay(second.tradeNo)
    await shop.hears("placed", second.code)
  })

  it("cancels a payment that is open, and neither cancels one that is paid nor settles one that is not", async () => {
    const opened = await checkOut(await fillCart())
    const { payments } = await orderInShop(opened.code)
    const act = async (name: string) =>
      (await admin(`mutation { ${name}(id: "${payments[0].id}") { __typename ... on Payment { state } } }`))[name]
    assert.strictEqual((await act("settlePayment")).__typename, "SettlePaymentError")
    assert.strictEqual((await orderInShop(opened.code)).payments[0].state, "Pending")
    line.mode = "lost"
    await client.testHelpers.orders.pay(opened.tradeNo)
    await coffer.atRest()
    line.mode = "once"
    assert.strictEqual((await act("cancelPayment")).__typename, "CancelPaymentError")
    assert.strictEqual((await act("settlePayment")).state, "Settled")

    const other = await checkOut(await fillCart())
    const [{ id }] = (await orderInShop(other.code)).payments
    await admin(`mutation { cancelPayment(id: "${id}") { __typename } }`)
    assert.strictEqual((await client.orders.get(other.tradeNo)).status, "expired")
    assert.strictEqual((await orderInShop(other.code)).payments[0].state, "Cancelled")
  })

  it("cancels the payment of an order that expires after a day", async () => {
    const opened = await checkOut(await fillCart())
    await coffer.pass("25 hours")
    assert.strictEqual((await orderInShop(opened.code)).payments[0].state, "Cancelled")
  })
})

describe("a shop of Vendure that captures later", () => {
  beforeAll(async () => {
    await close()
    await open("manual")
  })

  const act = async (name: string, { code }: Opened): Promise<Answer> => {
    const [{ id }] = (await orderInShop(code)).payments
    return (
      await admin(
        `mutation { ${name}(id: "${id}") { __typename ... on Payment { state amount } ... on ErrorResult { message } } }`
      )
    )[name]
  }

  it("places the order when the money is reserved, and captures it in the dashboard", async () => {
    const opened = await checkOut(await fillCart())
    await payAtCheckout(opened.checkoutUrl)
    await shop.hears("placed", opened.code)
    assert.strictEqual((await client.orders.get(opened.tradeNo)).status, "authorized")
    assert.strictEqual((await orderInShop(opened.code)).state, "PaymentAuthorized")
    assert.deepInclude(await act("settlePayment", opened), { state: "Settled", amount: 1999 })
    await coffer.atRest()
    await refund(opened.code, 500)
    const { ours, shops } = await bothBooks(opened)
    assert.deepStrictEqual(shops, ours)
  })

  it("releases what is reserved when the payment is cancelled, and enters a part that was captured at Coffer", async () => {
    const released = await checkOut(await fillCart())
    await client.testHelpers.orders.authorize(released.tradeNo)
    await shop.hears("placed", released.code)
    assert.strictEqual((await act("cancelPayment", released)).state, "Cancelled")
    assert.strictEqual((await client.orders.get(released.tradeNo)).status, "canceled")

    const part = await checkOut(await fillCart())
    await client.testHelpers.orders.authorize(part.tradeNo)
    await shop.hears("placed", part.code)
    await client.orders.capture(part.tradeNo, { amount: 1500 })
    await coffer.atRest()
    const [payment] = (await orderInShop(part.code)).payments
    assert.deepInclude(payment, { state: "Settled", amount: 1500 })
  })

  it("cancels the payment when the hold runs out", async () => {
    const opened = await checkOut(await fillCart())
    await client.testHelpers.orders.authorize(opened.tradeNo)
    await coffer.pass("40 days")
    const order = await orderInShop(opened.code)
    assert.strictEqual(order.payments[0].state, "Cancelled")
    assert.match(notesOf(order).join(), /not captured in time/)
  })
})
