/**
 * GET /v1/balance and /v1/balance_transactions: what a payment does to a wallet (spec: Wallet balance; Balance
 * transaction; silences: O6, B4, B6).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/wallet") {}

const anyMerchant = Effect.fnUntraced(function* ({ api }: Running) {
  const merchant = yield* api.newMerchant()
  const key = merchant.sandboxKey
  return {
    ...merchant,
    pay: Effect.fnUntraced(function* (amount: number, currency = "USD", payment_method = "card") {
      const created = yield* api.post("/v1/orders", key, { amount, currency })
      const tradeNo: string = created.body.data.trade_no
      const { body } = yield* api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, key, { payment_method })
      assert.strictEqual(body.data.status, "paid")
      return body.data
    }),
    settings: (patch: object) => api.operator("POST", `/merchants/${merchant.merchantId}`, patch),
    balance: (query = "") => Effect.map(api.get(`/v1/balance${query}`, key), ({ body }) => body.data),
    ledger: (query = "") => Effect.map(api.get(`/v1/balance_transactions${query}`, key), ({ body }) => body.data)
  }
})

interface Priced {
  readonly rule: string
  readonly fees: ReadonlyArray<object>
  readonly amount: number
  readonly currency?: string
  readonly method?: string
  readonly fee: number
}

const anyPayment = { basis_points: 100, fixed: 0 }

const prices: ReadonlyArray<Priced> = [
  { rule: "without a schedule the fee is 2.9 % and 30", fees: [], amount: 1000, fee: 59 },
  { rule: "basis points and the fixed part add up", fees: [{ basis_points: 250, fixed: 7 }], amount: 2000, fee: 57 },
  { rule: "a half is rounded up", fees: [{ basis_points: 50, fixed: 0 }], amount: 100, fee: 1 },
  { rule: "less than a half is rounded down", fees: [{ basis_points: 50, fixed: 0 }], amount: 99, fee: 0 },
  { rule: "1.4999 is 1", fees: [{ basis_points: 1, fixed: 0 }], amount: 14_999, fee: 1 },
  { rule: "1.5 is 2", fees: [{ basis_points: 1, fixed: 0 }], amount: 15_000, fee: 2 },
  { rule: "the fee is never above the amount", fees: [{ basis_points: 0, fixed: 30 }], amount: 29, fee: 29 },
  { rule: "the default fee is not above the amount either", fees: [], amount: 1, fee: 1 },
  { rule: "100 % leaves nothing", fees: [{ basis_points: 10_000, fixed: 0 }], amount: 12_345, fee: 12_345 },
  {
    rule: "the greatest amount is computed exactly",
    fees: [{ basis_points: 9_999, fixed: 1 }],
    amount: 100_000_000_000,
    fee: 99_990_000_001
  },
  {
    rule: "a line for the method holds for it",
    fees: [{ method: "alipay", basis_points: 55, fixed: 0 }, anyPayment],
    amount: 10_000,
    method: "alipay",
    fee: 55
  },
  {
    rule: "a line for another method does not hold",
    fees: [{ method: "alipay", basis_points: 55, fixed: 0 }, anyPayment],
    amount: 10_000,
    method: "wechat_pay",
    fee: 100
  },
  {
    rule: "a line for the currency holds for it",
    fees: [{ currency: "CNY", basis_points: 60, fixed: 0 }, anyPayment],
    amount: 10_000,
    currency: "CNY",
    fee: 60
  },
  {
    rule: "a line for live does not hold in sandbox",
    fees: [
      { mode: "live", basis_points: 60, fixed: 0 },
      { mode: "sandbox", basis_points: 70, fixed: 0 }
    ],
    amount: 10_000,
    fee: 70
  },
  {
    rule: "of two lines that hold the first is taken",
    fees: [anyPayment, { basis_points: 1, fixed: 0 }],
    amount: 10_000,
    fee: 100
  },
  {
    rule: "when no line holds the default does",
    fees: [{ currency: "HKD", method: "card", basis_points: 1, fixed: 0 }],
    amount: 10_000,
    fee: 320
  }
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the wallet", (it) => {
  it.effect("a successful payment produces payment_credit and fee_debit, and their sum is the net credited", () =>
    Effect.gen(function* () {
      const merchant = yield* anyMerchant(yield* Service)
      yield* merchant.pay(500)
      const order = yield* merchant.pay(1000)
      assert.deepStrictEqual([order.fee, order.net_amount], [59, 941])
      const { data, ...list } = yield* merchant.ledger("?limit=2")
      assert.deepStrictEqual(list, {
        object: "list",
        resource: "balance_transaction",
        has_more: true,
        url: "/v1/balance_transactions"
      })
      const [fee, credit] = data.map(({ created_at, description, id, ...row }: Record<string, string>) => {
        assert.match(id!, /^LED_[0-9A-Z]{26}$/)
        assert.match(created_at!, /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
        assert.isString(description)
        return row
      })
      const shared = {
        object: "balance_transaction",
        merchant_id: merchant.merchantId,
        currency: "USD",
        reference_id: order.trade_no,
        mode: "sandbox",
        trade_no: order.trade_no,
        out_trade_no: order.trade_no
      }
      assert.deepStrictEqual(credit, {
        ...shared,
        type: "payment_credit",
        amount: 1000,
        balance_before: 455,
        balance_after: 1455
      })
      assert.deepStrictEqual(fee, {
        ...shared,
        type: "fee_debit",
        amount: -59,
        balance_before: 1455,
        balance_after: 1396
      })
      assert.deepStrictEqual(yield* merchant.balance(), {
        merchant_id: merchant.merchantId,
        currency: "USD",
        mode: "sandbox",
        available_balance: 1396,
        frozen_balance: 0,
        total_revenue: 1500,
        total_fee: 104,
        total_payout: 0,
        total_refund: 0,
        updated_at: data[0].created_at
      })
    })
  )

  for (const { amount, currency, fee, fees, method, rule } of prices) {
    it.effect(`fees: ${rule}`, () =>
      Effect.gen(function* () {
        const merchant = yield* anyMerchant(yield* Service)
        assert.strictEqual((yield* merchant.settings({ fees })).status, 200)
        const order = yield* merchant.pay(amount, currency, method)
        assert.deepStrictEqual([order.fee, order.net_amount], [fee, amount - fee])
        const { data } = yield* merchant.ledger()
        assert.deepStrictEqual(
          data.map((row: Record<string, unknown>) => [row.type, row.amount]),
          [
            ["fee_debit", fee === 0 ? 0 : -fee],
            ["payment_credit", amount]
          ],
          "a fee of zero is a row too"
        )
        assert.strictEqual((yield* merchant.balance(`?currency=${order.currency}`)).available_balance, amount - fee)
      })
    )
  }

  it.effect("a new schedule holds from the next payment on", () =>
    Effect.gen(function* () {
      const merchant = yield* anyMerchant(yield* Service)
      assert.strictEqual((yield* merchant.pay(1000)).fee, 59)
      yield* merchant.settings({ fees: [{ basis_points: 0, fixed: 1 }] })
      assert.strictEqual((yield* merchant.pay(1000)).fee, 1)
      yield* merchant.settings({ fees: [] })
      assert.strictEqual((yield* merchant.pay(1000)).fee, 59)
    })
  )

  it.effect("there is one wallet per currency and environment, without conversion", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* anyMerchant(running)
      yield* merchant.settings({
        approved: true,
        live_currencies: ["USD", "HKD"],
        fees: [{ basis_points: 0, fixed: 0 }]
      })
      yield* merchant.pay(100, "USD")
      yield* merchant.pay(200, "HKD")
      yield* merchant.pay(30, "HKD")
      const available = (query: string) => Effect.map(merchant.balance(query), (wallet) => wallet.available_balance)
      assert.strictEqual(yield* available(""), 100, "USD when no currency is named")
      assert.strictEqual(yield* available("?currency=USD"), 100)
      assert.strictEqual(yield* available("?currency=HKD"), 230)
      assert.strictEqual(yield* available("?currency=CNY"), 0)
      const live = yield* running.api.get("/v1/balance?currency=HKD", merchant.liveKey)
      assert.deepStrictEqual([live.body.data.available_balance, live.body.data.mode], [0, "live"])
      const liveLedger = yield* running.api.get("/v1/balance_transactions", merchant.liveKey)
      assert.deepStrictEqual(liveLedger.body.data.data, [])
      const { data } = yield* merchant.ledger()
      assert.deepStrictEqual(
        data.map((row: Record<string, unknown>) => [row.currency, row.balance_before, row.balance_after]),
        [
          ["HKD", 230, 230],
          ["HKD", 200, 230],
          ["HKD", 200, 200],
          ["HKD", 0, 200],
          ["USD", 100, 100],
          ["USD", 0, 100]
        ]
      )
    })
  )

  it.effect(
    "one that was never used reads zeros, updated when the merchant was created, also after a refused payout",
    () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { merchantId, sandboxKey } = yield* api.newMerchant()
        const settings = yield* api.operator("GET", `/merchants/${merchantId}`)
        for (const currency of ["USD", "HKD", "CNY", "USD", "HKD", "CNY"]) {
          const { body, status } = yield* api.get(`/v1/balance?currency=${currency}`, sandboxKey)
          const payout = { mode: "sandbox", currency, amount: 1 }
          const refused = yield* api.operator("POST", `/merchants/${merchantId}/payouts`, payout)
          assert.strictEqual(refused.body.error, "insufficient_balance")
          assert.strictEqual(status, 200)
          assert.deepStrictEqual(body.data, {
            merchant_id: merchantId,
            currency,
            mode: "sandbox",
            available_balance: 0,
            frozen_balance: 0,
            total_revenue: 0,
            total_fee: 0,
            total_payout: 0,
            total_refund: 0,
            updated_at: settings.body.data.created_at
          })
        }
      })
  )

  it.effect("currency is USD, HKD or CNY; anything else is 400 with param currency", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { sandboxKey } = yield* running.api.newMerchant()
      for (const currency of ["EUR", "usd", "", "%00", "%ff", "USD,HKD", "USD&currency=HKD"]) {
        const { body, status } = yield* running.api.get(`/v1/balance?currency=${currency}`, sandboxKey)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "currency"], currency)
      }
    })
  )

  it.effect("a live currency that is not enabled can be read: the wallet that is there, or zeros", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      const enable = (...live_currencies: ReadonlyArray<string>) =>
        api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies })
      yield* enable("HKD")
      for (const [query, currency] of [
        ["", "USD"],
        ["?currency=USD", "USD"],
        ["?currency=CNY", "CNY"],
        ["?currency=HKD", "HKD"]
      ]) {
        const { body, status } = yield* api.get(`/v1/balance${query}`, liveKey)
        assert.deepStrictEqual([status, body.data?.currency, body.data?.available_balance], [200, currency, 0])
      }
      yield* enable()
      for (const currency of ["USD", "HKD", "CNY"]) {
        assert.strictEqual((yield* api.get(`/v1/balance?currency=${currency}`, liveKey)).status, 200)
        for (const format of ["", "&format=csv"]) {
          const list = yield* api.get(`/v1/balance_transactions?currency=${currency}${format}`, liveKey)
          assert.strictEqual(list.status, 200, list.text)
        }
      }
    })
  )
})
