/** A buyer pays through Adyen: to its page, back, and the notice that makes the order paid. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { feeOf } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { assertEqualBooks, connected, onOneWorld } from "./kit.ts"

const amount = 2_000

onOneWorld((it) => {
  describe("a payment at Adyen", () => {
    it.effect("the page leads to a link of the chosen method, and the signed notice makes the order paid", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, choose, links, order, page, settled, shop, sql } = world
        const made = yield* order()
        const chosen = yield* choose(made)
        const [link] = links(made)
        assert.include(chosen.text, link!.url)
        assert.deepStrictEqual(
          [link!.allowedPaymentMethods, link!.amount, link!.reusable],
          [["scheme"], { value: amount, currency: "USD" }, false]
        )
        const payment = bank.pay(link!.id)!
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "pending")
        yield* settled
        const paid = yield* shop.order(made.trade_no)
        assert.deepStrictEqual(
          [paid["status"], paid["payment_id"], paid["payment_method"], paid["paid_card"]],
          ["paid", payment.pspReference, "card", { brand: "visa", last4: "1142" }]
        )
        assert.deepStrictEqual(yield* shop.ledger(), [
          ["payment_credit", amount, 0, amount],
          ["fee_debit", -feeOf(amount), amount, amount - feeOf(amount)]
        ])
        assert.include((yield* page(made)).text, "Payment successful")
        const [row] =
          yield* sql`select card_last4, due_at from adyen_notices where psp_reference = ${payment.pspReference}`
        assert.deepStrictEqual(row, { card_last4: null, due_at: null })
        yield* assertEqualBooks(world)
        yield* assertLedgerWhole(sql)
      })
    )

    it.effect("each method has a link of its own, and a payment has the method that Adyen names", () =>
      Effect.gen(function* () {
        const { links, paid } = yield* connected
        const table = [
          ["alipay", "alipay", ["alipay"], "alipay", null],
          ["wechat_pay", "wechatpayQR", ["wechatpayQR"], "wechat_pay", null],
          ["card", "mc", ["scheme"], "card", { brand: "mastercard", last4: "1142" }],
          ["apple_pay", "visa_applepay", ["applepay"], "apple_pay", { brand: "visa", last4: "1142" }],
          ["google_pay", "mc_googlepay", ["googlepay"], "google_pay", { brand: "mastercard", last4: "1142" }]
        ] as const
        for (const [method, variant, offered, named, card] of table) {
          const order = yield* paid({}, { method, variant })
          assert.deepStrictEqual(links(order)[0]!.allowedPaymentMethods, [...offered])
          assert.deepStrictEqual([order["status"], order["payment_method"]], ["paid", named])
          assert.deepStrictEqual(order["paid_card"], card)
        }
      })
    )

    it.effect("a refused attempt is told, and the same link takes the next one", () =>
      Effect.gen(function* () {
        const { bank, begun, links, settled, shop } = yield* connected
        const { made } = yield* begun({}, { refused: "Not enough balance" })
        yield* settled
        const pending = yield* shop.order(made.trade_no)
        assert.deepStrictEqual([pending["status"], pending["decline_count"] ?? 1], ["pending", 1])
        bank.pay(links(made)[0]!.id)
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
        assert.deepStrictEqual(yield* shop.events(made.trade_no), ["payment.succeeded"])
      })
    )

    it.effect("another method ends the first link before it makes the second", () =>
      Effect.gen(function* () {
        const { choose, links, order } = yield* connected
        const made = yield* order()
        yield* choose(made, "card")
        yield* choose(made, "alipay")
        assert.deepStrictEqual(
          links(made).map(({ status }) => status),
          ["expired", "active"]
        )
        // The same method again leads to the same link.
        yield* choose(made, "alipay")
        assert.lengthOf(links(made), 2)
      })
    )

    it.effect("while the first link cannot be asked about, no second one is made", () =>
      Effect.gen(function* () {
        const { choose, links, order, simulator } = yield* connected
        const made = yield* order()
        yield* choose(made, "card")
        simulator.faults.add({ on: "PATCH *", kind: "cut_before", times: 2 })
        simulator.faults.add({ on: "GET *", kind: "cut_before", times: 2 })
        assert.include((yield* choose(made, "alipay")).text, "It may have been successful")
        assert.lengthOf(links(made), 1)
      })
    )

    it.effect("an answer that was lost before or after its effect leads to the same link", () =>
      Effect.gen(function* () {
        const { choose, links, order, simulator } = yield* connected
        for (const kind of ["cut_before", "cut_after", "error_before", "error_after"] as const) {
          const made = yield* order()
          // A call on a kept connection that is cut is made once more.
          simulator.faults.add({ on: "POST /v72/paymentLinks", kind, times: kind.startsWith("cut") ? 2 : 1 })
          assert.strictEqual((yield* choose(made)).status, 502, kind)
          const chosen = yield* choose(made)
          assert.lengthOf(links(made), 1, kind)
          assert.include(chosen.text, links(made)[0]!.url, kind)
        }
      })
    )

    it.effect("closing an order ends its link, and nobody can pay in it", () =>
      Effect.gen(function* () {
        const { bank, choose, links, order, shop } = yield* connected
        const made = yield* order()
        yield* choose(made)
        const closed = yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        assert.strictEqual(closed.body.data.status, "expired", closed.text)
        assert.strictEqual(links(made)[0]!.status, "expired")
        assert.isUndefined(bank.pay(links(made)[0]!.id))
      })
    )

    it.effect("an order whose link is paid is not closed before the notice says by which payment", () =>
      Effect.gen(function* () {
        const { begun, page, settled, shop } = yield* connected
        const { made } = yield* begun()
        assert.strictEqual((yield* shop.post(`/v1/orders/${made.trade_no}/expire`)).status, 409)
        assert.include((yield* page(made, "?returned=1")).text, "processing")
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
      })
    )

    it.effect("an answer to the closing that was lost closes nothing, and the next try does", () =>
      Effect.gen(function* () {
        const { choose, links, order, shop, simulator } = yield* connected
        const made = yield* order()
        yield* choose(made)
        simulator.faults.add({ on: "PATCH *", kind: "error_before" })
        simulator.faults.add({ on: "GET *", kind: "error_before" })
        const lost = yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        assert.strictEqual(lost.status, 502, lost.text)
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "pending")
        simulator.faults.add({ on: "PATCH *", kind: "cut_after" })
        yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        assert.deepStrictEqual(
          [(yield* shop.order(made.trade_no))["status"], links(made)[0]!.status],
          ["expired", "expired"]
        )
      })
    )

    it.effect("a buyer who was at the bank when the order was closed gets the payment back", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, choose, links, order, settled, shop } = world
        const made = yield* order()
        yield* choose(made)
        yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        const payment = bank.pay(links(made)[0]!.id, { late: true })!
        yield* settled
        const [back] = [...bank.modifications.values()]
        assert.deepStrictEqual([back!.kind, back!.payment.pspReference], ["CANCEL_OR_REFUND", payment.pspReference])
        bank.decide(back!.pspReference, "done")
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "expired")
        yield* assertEqualBooks(world)
      })
    )

    it.effect(
      "a buyer who pays in the first link after choosing another method pays once, and the second link ends",
      () =>
        Effect.gen(function* () {
          const { bank, choose, links, order, settled, shop } = yield* connected
          const made = yield* order()
          yield* choose(made, "card")
          yield* choose(made, "alipay")
          bank.pay(links(made)[0]!.id, { late: true })
          yield* settled
          assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
          assert.deepStrictEqual(
            links(made).map(({ status }) => status),
            ["expired", "expired"]
          )
        })
    )

    it.effect("a payment of another amount is parked for the operator", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { begun, settled, shop, sql } = world
        const { made } = yield* begun({}, { amount: 1_999 })
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "pending")
        const [row] = yield* sql`select unapplied_payments->0->>'state' as state from orders
          where trade_no = ${made.trade_no}`
        assert.deepStrictEqual(row, { state: "parked" })
        yield* assertEqualBooks(world)
      })
    )

    it.effect("an order ends at its time with its link", () =>
      Effect.gen(function* () {
        const { choose, links, order, pass, shop } = yield* connected
        const made = yield* order({ expires_in: 1_800 })
        yield* choose(made)
        yield* pass("25 hours")
        assert.deepStrictEqual(
          [(yield* shop.order(made.trade_no))["status"], links(made)[0]!.status],
          ["expired", "expired"]
        )
      })
    )
  })
})
