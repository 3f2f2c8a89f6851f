/** A form of the checkout page that arrives more than once, as after a double click (silences: O32). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const opened = Effect.gen(function* () {
  const service = yield* start()
  const shop = merchantOf(service)
  const { checkout_url, trade_no } = (yield* shop.post("/v1/orders", { amount: 1_000 })).body.data
  const { pathname } = new URL(checkout_url)
  /** The hidden fields of the first form of a page. */
  const hiddenIn = (page: string): Record<string, string> =>
    Object.fromEntries(
      Array.from(page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g), ([, name, value]) => [
        name,
        value
      ])
    )
  const send = (hidden: Record<string, string>, filled: Record<string, string>) =>
    service.api.call("POST", pathname, {
      raw: new URLSearchParams({ ...hidden, ...filled }).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" }
    })
  const hidden = Effect.map(service.api.get(pathname), ({ text }) => hiddenIn(text))
  const order = Effect.map(
    service.sql<{ declines: number; stray: number; paid: number; status: string }>`
      select status, declines, jsonb_array_length(unapplied_payments)::int as stray, (select count(*)::int
        from sandbox_payments p where p.trade_no = o.trade_no and state = 'succeeded') as paid
      from orders o where trade_no = ${trade_no as string}`,
    ([row]) => row!
  )
  return { ...service, hidden, hiddenIn, order, send }
})

const card = (number: string) => ({ step: "pay", method: "card", number, expiry: "12/40", cvc: "123" })
const good = card("4242424242424242")
const declined = card("4000000000000002")
const paidOnce = { status: "paid", declines: 0, stray: 0, paid: 1 }

describe("a checkout form that arrives several times", () => {
  it.live("at the same moment pays once, by card and in a wallet", () =>
    Effect.gen(function* () {
      const byCard = yield* opened
      const form = yield* byCard.hidden
      for (const { status } of yield* Effect.all(
        Array.from({ length: 5 }, () => byCard.send(form, good)),
        { concurrency: "unbounded" }
      )) {
        assert.include([200, 303], status)
      }
      assert.deepStrictEqual(yield* byCard.order, paidOnce)

      const byWallet = yield* opened
      const away = yield* byWallet.send(yield* byWallet.hidden, { step: "pay", method: "alipay" })
      const wallet = byWallet.hiddenIn(away.text)
      const confirmed = yield* Effect.all(
        Array.from({ length: 5 }, () => byWallet.send(wallet, { step: "confirm" })),
        { concurrency: "unbounded" }
      )
      for (const { status } of confirmed) assert.include([200, 303], status)
      assert.deepStrictEqual(yield* byWallet.order, paidOnce)
      yield* assertLedgerWhole(byWallet.sql)
    })
  )

  it.live("is declined once", () =>
    Effect.gen(function* () {
      const { hidden, order, send } = yield* opened
      const form = yield* hidden
      for (let times = 0; times < 3; times++) assert.strictEqual((yield* send(form, declined)).status, 200)
      assert.deepStrictEqual(yield* order, { status: "pending", declines: 1, stray: 0, paid: 0 })
    })
  )

  it.live("leads to the wallet each time, and the wallet pays", () =>
    Effect.gen(function* () {
      const { hidden, hiddenIn, order, send } = yield* opened
      const form = yield* hidden
      const pages = yield* Effect.all(
        Array.from({ length: 3 }, () => send(form, { step: "pay", method: "alipay" })),
        { concurrency: "unbounded" }
      )
      for (const { status, text } of pages) {
        assert.strictEqual(status, 200)
        assert.include(text, 'value="confirm"')
      }
      yield* send(hiddenIn(pages[0]!.text), { step: "confirm" })
      assert.deepStrictEqual(yield* order, paidOnce)
    })
  )

  it.live("with another card is another attempt: a buyer may go back to the form after a decline", () =>
    Effect.gen(function* () {
      const { hidden, order, send } = yield* opened
      const form = yield* hidden
      yield* send(form, declined)
      assert.strictEqual((yield* send(form, good)).status, 303)
      assert.deepStrictEqual(yield* order, { ...paidOnce, declines: 1 })
    })
  )

  it.live("without the number of its attempt still pays: a page that was open before an update", () =>
    Effect.gen(function* () {
      const { order, send } = yield* opened
      assert.strictEqual((yield* send({}, good)).status, 303)
      assert.deepStrictEqual(yield* order, paidOnce)
    })
  )
})
