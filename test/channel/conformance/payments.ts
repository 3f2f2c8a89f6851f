/** The laws of payments and of closing: what a buyer has paid is credited once, goes back, or is parked. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Order } from "@coffer/rules/order/Order"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { assertRefused, feeOf, said } from "../../kit/Merchant.ts"
import { amount, type Case, type Desk, law } from "./Harness.ts"

/** An order whose buyer is where the channel takes the payment. */
const begun = (desk: Desk, method: PaymentMethod = "card") =>
  Effect.tap(desk.order(), (made) => desk.leads(made, method))
const expire = (desk: Desk, { tradeNo }: Order) => desk.shop.post(`/v1/orders/${tradeNo}/expire`)
/** The order ends while its session stays open: the sandbox's helper pays it, or fails it. */
const helped = (desk: Desk, { tradeNo }: Order, outcome: "succeed" | "fail") =>
  said(desk.shop.post(`/v1/test_helpers/orders/${tradeNo}/pay`, { outcome }))
const statusIs = (desk: Desk, made: Order, status: Order["status"]) =>
  Effect.map(desk.status(made), (now) => assert.strictEqual(now, status, "the order's status"))
const creditedOnce = (desk: Desk) =>
  Effect.gen(function* () {
    assert.strictEqual((yield* desk.shop.balance()).available, amount - feeOf(amount), "credited once, less the fee")
    assert.strictEqual(yield* desk.events("payment.succeeded"), 1, "told once")
  })
const unapplied = (desk: Desk, made: Order) =>
  Effect.map(desk.fresh(made), ({ unappliedPayments }) =>
    unappliedPayments.map(({ channel, reason, state }) => [channel, reason, state])
  )

const paidBy = (method: PaymentMethod): Case =>
  law(
    `a payment by ${method} has its method, the order's amount, a number of the channel's and its refund window`,
    [],
    (desk) =>
      Effect.gen(function* () {
        const paid = yield* desk.sold({}, method)
        assert.deepStrictEqual([paid.channel, paid.method, paid.amount], [desk.port.name, method, amount])
        assert.isTrue(paid.paymentId.startsWith(desk.port.paymentNumbers.prefix), paid.paymentId)
        assert.strictEqual(paid.card !== null, method === "card", "a card that was charged")
        assert.strictEqual(paid.refundableUntil === null, method === "card", "a wallet's window")
        yield* creditedOnce(desk)
      })
  )

export const paymentLaws: ReadonlyArray<Case> = [
  paidBy("card"),
  paidBy("alipay"),
  paidBy("wechat_pay"),
  law("an operator finds an order by the number that the channel gave to its payment", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.sold()
      const found = yield* said(desk.running.api.operator("GET", `/search?number=${paid.paymentId}`))
      assert.deepStrictEqual(
        found["data"].map((each: { id: string; field: string }) => [each.id, each.field]),
        [[paid.tradeNo, "payment_id"]]
      )
    })
  ),
  law("two orders have two payments, and each is credited", [], (desk) =>
    Effect.gen(function* () {
      const [one, other] = [yield* desk.sold(), yield* desk.sold()]
      assert.notStrictEqual(one.paymentId, other.paymentId)
      assert.strictEqual((yield* desk.shop.balance()).available, 2 * (amount - feeOf(amount)))
    })
  ),
  law("a declined attempt leaves the order payable", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.acts(made, "declines")
      yield* statusIs(desk, made, "pending")
      yield* desk.leads(made)
      yield* desk.acts(made, "pays")
      yield* statusIs(desk, made, "paid")
      yield* creditedOnce(desk)
    })
  ),
  law("an order that the channel has failed for good is failed", ["fails"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.acts(made, "fails")
      yield* statusIs(desk, made, "failed")
      assert.strictEqual((yield* desk.shop.balance()).available, 0)
    })
  ),
  ...([-1, 1] as const).map((more) =>
    law(
      `a sum that is ${more < 0 ? "less" : "more"} than the order's is parked, and the order stays open`,
      ["sums"],
      (desk) =>
        Effect.gen(function* () {
          const made = yield* begun(desk)
          yield* Effect.andThen(desk.own.sums!(made, amount + more), desk.own.rest)
          yield* statusIs(desk, made, "pending")
          assert.deepStrictEqual(yield* unapplied(desk, made), [[desk.port.name, "mismatch", "parked"]])
          assert.strictEqual((yield* desk.shop.balance()).available, 0)
        })
    )
  ),
  law("the second payment of an order goes back whole, once", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* helped(desk, made, "succeed")
      yield* desk.acts(made, "pays")
      yield* Effect.andThen(desk.running.pass("1 minute"), desk.own.rest)
      assert.deepStrictEqual(yield* unapplied(desk, made), [[desk.port.name, "second", "returned"]])
      assert.deepStrictEqual((yield* desk.own.books(made)).refunded, [amount])
      yield* creditedOnce(desk)
    })
  ),
  law("a payment of an order that has failed goes back whole, once", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* helped(desk, made, "fail")
      yield* desk.acts(made, "pays")
      yield* Effect.andThen(desk.running.pass("1 minute"), desk.own.rest)
      assert.deepStrictEqual(yield* unapplied(desk, made), [[desk.port.name, "late", "returned"]])
      assert.deepStrictEqual((yield* desk.own.books(made)).refunded, [amount])
      assert.strictEqual((yield* desk.shop.balance()).available, 0)
    })
  ),
  law("an order that was never begun is closed", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order()
      assert.strictEqual((yield* desk.port.cancel(made))._tag, "Cancelled")
      assert.strictEqual((yield* said(expire(desk, made)))["status"], "expired")
    })
  ),
  law("an order that is closed has no session in which a buyer can pay", ["page"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      assert.strictEqual((yield* desk.own.books(made)).open, 1)
      assert.strictEqual((yield* said(expire(desk, made)))["status"], "expired")
      assert.strictEqual((yield* desk.own.books(made)).open, 0)
      assert.strictEqual((yield* desk.port.page!.begin(yield* desk.fresh(made), "card", "en"))._tag, "Settled")
      assert.strictEqual((yield* desk.own.books(made)).open, 0, "and gets none")
    })
  ),
  law("a buyer who has paid while the order is closed is credited, and the merchant is told", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.own.notices?.hold ?? Effect.void
      yield* desk.own.acts(made, desk.own.notices === undefined ? "pays later" : "pays", "card")
      assertRefused(yield* expire(desk, made), 409, "conflict")
      yield* statusIs(desk, made, desk.own.asked ? "paid" : "pending")
      yield* Effect.andThen(desk.own.notices?.release("oldest first") ?? Effect.void, desk.own.rest)
      yield* statusIs(desk, made, "paid")
      yield* creditedOnce(desk)
    })
  ),
  law("the port itself says that the buyer has paid, and with what", ["asked"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.own.notices?.hold ?? Effect.void
      yield* desk.own.acts(made, desk.own.notices === undefined ? "pays later" : "pays", "card")
      const said = yield* desk.port.cancel(made)
      assert.strictEqual(said._tag, "AlreadyPaid")
      if (said._tag !== "AlreadyPaid") return
      const { payment } = said
      assert.deepStrictEqual([payment.amount, payment.currency, payment.channel], [made.amount, "USD", desk.port.name])
    })
  ),
  law("an order whose buyer is in a wallet cannot be closed, and is paid when the buyer comes back", ["away"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk, "alipay")
      yield* desk.acts(made, "leaves for the wallet", "alipay")
      assert.strictEqual((yield* desk.port.cancel(made))._tag, "BuyerBusy")
      assertRefused(yield* expire(desk, made), 409, "conflict")
      yield* statusIs(desk, made, "pending")
    })
  ),
  law("a buyer who has been away for half an hour does not come back", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk, "alipay")
      yield* desk.acts(made, "leaves for the wallet", "alipay")
      yield* desk.running.leap("31 minutes")
      assert.strictEqual((yield* said(expire(desk, made)))["status"], "expired")
      assert.strictEqual((yield* desk.own.books(made)).open, 0)
    })
  ),
  law("a payment that is processed keeps the order open, and is credited at its end", ["processes"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.acts(made, "pays later")
      assertRefused(yield* expire(desk, made), 409, "conflict")
      yield* statusIs(desk, made, "pending")
      yield* Effect.andThen(desk.own.processes!.ends(made), desk.own.rest)
      yield* statusIs(desk, made, "paid")
      yield* creditedOnce(desk)
    })
  ),
  law("a buyer whose payment is processed is not asked to pay again", ["processes", "page"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.acts(made, "pays later")
      yield* Effect.ignore(desk.port.page!.lookUp(made))
      assert.isTrue(yield* desk.port.page!.isProcessing(yield* desk.fresh(made)))
      assert.strictEqual((yield* desk.port.page!.begin(made, "card", "en"))._tag, "Settled")
    })
  ),
  law("an order that nobody pays expires at its deadline, and its session ends", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* Effect.andThen(desk.running.leap("25 hours"), desk.own.rest)
      yield* statusIs(desk, made, "expired")
      assert.strictEqual((yield* desk.own.books(made)).open, 0)
    })
  ),
  law("a payment that nobody has reported is found at the deadline", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.own.notices?.hold ?? Effect.void
      yield* desk.own.acts(made, desk.own.notices === undefined ? "pays later" : "pays", "card")
      yield* desk.running.leap("25 hours")
      yield* statusIs(desk, made, desk.own.asked ? "paid" : "pending")
      yield* Effect.andThen(desk.own.notices?.release("oldest first") ?? Effect.void, desk.own.rest)
      yield* statusIs(desk, made, "paid")
      yield* creditedOnce(desk)
    })
  ),
  law("a buyer who comes back before the notice is seen as paid, or as paying", ["page", "notices"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.own.notices!.hold
      yield* desk.own.acts(made, "pays", "card")
      const now = yield* desk.port.page!.lookUp(made)
      if (desk.own.asked) assert.strictEqual(now.status, "paid")
      else assert.isTrue(yield* desk.port.page!.isProcessing(now))
      yield* Effect.andThen(desk.own.notices!.release("newest first"), desk.own.rest)
      yield* creditedOnce(desk)
    })
  ),
  law(
    "a buyer who has paid is not told that nothing was done while the channel cannot be asked",
    ["page", "notices"],
    (desk) =>
      Effect.gen(function* () {
        const made = yield* begun(desk)
        yield* desk.own.notices!.hold
        yield* desk.own.acts(made, "pays", "card")
        yield* desk.own.reachable(false)
        assert.strictEqual((yield* desk.port.page!.begin(made, "card", "en"))._tag, "Unknown")
      })
  ),
  law("another method ends the first session before it gets its own", ["page"], (desk) =>
    Effect.gen(function* () {
      const made = yield* begun(desk)
      yield* desk.leads(made, "alipay")
      assert.strictEqual((yield* desk.own.books(made)).open, 1)
      yield* desk.acts(made, "pays", "alipay")
      yield* statusIs(desk, made, "paid")
    })
  ),
  law("the same method leads to the same session", ["page"], (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order()
      const [one, other] = [
        yield* desk.port.page!.begin(made, "card", "en"),
        yield* desk.port.page!.begin(made, "card", "en")
      ]
      assert.deepStrictEqual(one, other)
    })
  ),
  law("two pages that choose two methods at once never have two sessions that can be paid", ["page"], (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order()
      yield* Effect.all([Effect.exit(desk.leads(made)), Effect.exit(desk.leads(made, "alipay"))], {
        concurrency: "unbounded"
      })
      assert.isAtMost((yield* desk.own.books(made)).open, 1)
    })
  ),
  law("an order that is paid gets no other session", ["page"], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.sold()
      assert.strictEqual((yield* desk.port.page!.begin(paid, "card", "en"))._tag, "Settled")
      assert.strictEqual((yield* desk.own.books(paid)).open, 0)
    })
  ),
  law("a page offers methods of the merchant only", ["page"], (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order()
      const asked = ["card", "alipay"] as const
      const offered = yield* desk.port.page!.offered(made, asked)
      assert.isAbove(offered.length, 0)
      assert.isTrue(offered.every((each) => asked.some((one) => one === each)))
    })
  ),
  law("nothing is taken in the environment where the merchant has no account", [], (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order()
      const live = { merchantId: made.merchantId, mode: "live" as const }
      assert.isFalse(yield* desk.port.takes(live))
      assert.isTrue(yield* desk.port.takes(made))
      assert.strictEqual((yield* desk.port.cancel({ ...live, tradeNo: made.tradeNo }))._tag, "Cancelled")
    })
  ),
  law("where the acquirer's clock is ahead, a buyer pays and an order is closed", ["clock", "page"], (desk) =>
    Effect.gen(function* () {
      yield* desk.own.clock!.ahead
      yield* desk.sold()
      yield* creditedOnce(desk)
      const made = yield* begun(desk)
      assert.strictEqual((yield* said(expire(desk, made)))["status"], "expired")
      assert.strictEqual((yield* desk.own.books(made)).open, 0)
    })
  )
]
