/** The laws of refunds, and of books that are equal. */
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { amountPaid } from "@coffer/rules/order/Hold"
import { assertRefused } from "../../kit/Merchant.ts"
import { refundNoOf, refundOf } from "./calls.ts"
import { amount, type Case, type Desk, law } from "./Harness.ts"

const sum = (of: ReadonlyArray<number>) => of.reduce((all, each) => all + each, 0)

/** What the acquirer has of an order, less what went back, is what we have of it. */
export const booksAgree = (desk: Desk, made: Parameters<Desk["fresh"]>[0]) =>
  Effect.gen(function* () {
    const now = yield* desk.fresh(made)
    const { paid, refunded } = yield* desk.own.books(now)
    const ours = "refundedAmount" in now ? amountPaid(now) - now.refundedAmount : 0
    const parked = now.unappliedPayments.filter(({ state }) => state === "parked")
    assert.strictEqual(sum(paid) - sum(refunded), ours + sum(parked.map((each) => each.amount)), "books of the order")
  })

const pending = Effect.fnUntraced(function* (desk: Desk) {
  yield* desk.sold({ amount: 100_000 })
  const paid = yield* desk.sold({}, yield* desk.own.pends)
  const before = yield* desk.shop.balance()
  const { refund_no, status } = yield* desk.refunded(paid)
  assert.strictEqual(status, "pending")
  return { paid, before, no: refund_no as string, settles: desk.own.settles }
})

export const refundLaws: ReadonlyArray<Case> = [
  law("a refund of all goes back, and both books say so", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      const { refund_no, status } = yield* desk.refunded(paid)
      if (desk.own.asked) assert.strictEqual(status, "succeeded", "at once")
      yield* desk.own.rest
      assert.strictEqual((yield* desk.refund(refund_no))["status"], "succeeded")
      assert.deepStrictEqual((yield* desk.own.books(paid)).refunded, [amount])
      assert.strictEqual(yield* desk.status(paid), "refunded")
      yield* booksAgree(desk, paid)
    })
  ),
  law("refunds in part go back each, and never beyond what was paid", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      yield* desk.refunded(paid, 700, "R-1")
      yield* desk.refunded(paid, 300, "R-2")
      assertRefused(
        yield* desk.shop.refund({ trade_no: paid.tradeNo, amount: 1_001 }),
        400,
        "invalid_request",
        "amount"
      )
      yield* desk.own.rest
      assert.strictEqual(sum((yield* desk.own.books(paid)).refunded), 1_000)
      yield* booksAgree(desk, paid)
    })
  ),
  law("the channel itself pays nothing back beyond the payment", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      assert.strictEqual((yield* refundOf(desk, paid, 1_500, refundNoOf(paid, 1)))._tag, "Succeeded")
      assert.strictEqual((yield* refundOf(desk, paid, 501, refundNoOf(paid, 2)))._tag, "Refused")
      assert.deepStrictEqual((yield* desk.own.books(paid)).refunded, [1_500])
    })
  ),
  law("a payment that the channel does not have is never paid back", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      const unknown = { ...paid, paymentId: `${paid.paymentId}0` as typeof paid.paymentId }
      const said = yield* Effect.exit(refundOf(desk, unknown, 500, refundNoOf(paid, 3)))
      assert.isFalse(Exit.isSuccess(said) && said.value._tag === "Succeeded")
      assert.deepStrictEqual((yield* desk.own.books(paid)).refunded, [])
    })
  ),
  law("two refunds at once are two, and the same one at once is one", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      const asked = [desk.refunded(paid, 700, "R-1"), desk.refunded(paid, 700, "R-1"), desk.refunded(paid, 300, "R-2")]
      yield* Effect.all(asked, { concurrency: "unbounded" })
      yield* desk.own.rest
      assert.deepStrictEqual([...(yield* desk.own.books(paid)).refunded].toSorted(), [300, 700])
      yield* booksAgree(desk, paid)
    })
  ),
  law("a refund that takes time is pending, and then succeeds", [], (desk) =>
    Effect.gen(function* () {
      const { no, paid, settles } = yield* pending(desk)
      yield* Effect.andThen(settles(no as never, "succeeded"), desk.own.rest)
      assert.strictEqual((yield* desk.refund(no))["status"], "succeeded")
      assert.strictEqual(yield* desk.events("refund.succeeded"), 1)
      yield* booksAgree(desk, paid)
    })
  ),
  law("a refund that is refused late is failed, and the money is the merchant's again", [], (desk) =>
    Effect.gen(function* () {
      const { before, no, paid, settles } = yield* pending(desk)
      yield* Effect.andThen(settles(no as never, "failed"), desk.own.rest)
      assert.strictEqual((yield* desk.refund(no))["status"], "failed")
      assert.deepStrictEqual(yield* desk.shop.balance(), before)
      yield* booksAgree(desk, paid)
    })
  ),
  law("a refund that comes back after it had succeeded is failed, and the money is the merchant's again", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      const before = yield* desk.shop.balance()
      const { refund_no } = yield* desk.refunded(paid)
      yield* desk.own.rest
      yield* Effect.andThen(desk.own.sendsBack(refund_no), desk.own.rest)
      assert.strictEqual((yield* desk.refund(refund_no))["status"], "failed")
      assert.strictEqual((yield* desk.shop.balance()).available, before.available)
      yield* booksAgree(desk, paid)
    })
  ),
  law("a pending refund that is asked about again is the same refund", [], (desk) =>
    Effect.gen(function* () {
      const { paid } = yield* pending(desk)
      yield* Effect.andThen(desk.running.leap("10 seconds"), desk.own.rest)
      assert.deepStrictEqual((yield* desk.own.books(paid)).refunded, [amount])
    })
  ),
  law("a refund whose answers are all lost for a while is made once, and is known", ["wire"], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      yield* desk.own.wire!.lose("refund", "after", "no answer")
      const { refund_no } = yield* desk.refunded(paid)
      yield* desk.own.wire!.calm
      yield* Effect.andThen(desk.running.leap("5 minutes"), desk.own.rest)
      assert.strictEqual((yield* desk.refund(refund_no))["status"], "succeeded")
      assert.deepStrictEqual((yield* desk.own.books(paid)).refunded, [amount])
      yield* booksAgree(desk, paid)
    })
  ),
  law("the books of a day with a refund, a second payment and a lost dispute agree", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      yield* desk.refunded(paid, 700)
      const other = yield* desk.order()
      yield* desk.leads(other)
      yield* desk.shop.post(`/v1/test_helpers/orders/${other.tradeNo}/pay`, { outcome: "fail" })
      yield* desk.acts(other, "pays")
      yield* Effect.andThen(desk.running.pass("1 minute"), desk.own.rest)
      yield* booksAgree(desk, paid)
      yield* booksAgree(desk, other)
    })
  ),
  law("rows say which channel has the payment, the refund and the dispute", [], (desk) =>
    Effect.gen(function* () {
      const paid = yield* desk.rich
      yield* desk.refunded(paid, 100)
      yield* Effect.andThen(desk.own.disputes(paid, 600), desk.own.rest)
      const rows = yield* desk.running.sql`select
        (select channel from orders where trade_no = ${paid.tradeNo}) as paid,
        (select channel from refunds where trade_no = ${paid.tradeNo}) as refunded,
        (select channel from disputes where trade_no = ${paid.tradeNo}) as disputed`
      const { name } = desk.port
      assert.deepStrictEqual(rows, [{ paid: name, refunded: name, disputed: name }])
    })
  ),
  law("where the acquirer's clock is ahead, a refund goes back once", ["clock"], (desk) =>
    Effect.gen(function* () {
      yield* desk.own.clock!.ahead
      const paid = yield* desk.rich
      yield* desk.refunded(paid)
      yield* desk.own.rest
      assert.deepStrictEqual((yield* desk.own.books(paid)).refunded, [amount])
      yield* booksAgree(desk, paid)
    })
  )
]
