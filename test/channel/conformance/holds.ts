/** The laws of amounts that are held first and captured later: a hold is captured once, or released, and never both. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Minor } from "@coffer/model/Money"
import type { Order } from "@coffer/rules/order/Order"
import { assertRefused, feeOf, type Json, said } from "../../kit/Merchant.ts"
import { holdAt, toldOfHold } from "./calls.ts"
import { amount, type Case, type Desk, law } from "./Harness.ts"
import { booksAgree } from "./refunds.ts"

const story = (name: string, run: (desk: Desk, held: Order) => Effect.Effect<unknown, unknown>) =>
  law(name, ["holds"], (desk) => Effect.flatMap(desk.held(), (held) => run(desk, held)))

const statusIs = (desk: Desk, made: Order, status: string) =>
  Effect.map(desk.seen(made), (now) => assert.strictEqual(now, status, "the order's status"))
/** What the acquirer holds, and what was paid there. */
const booksAre = ({ own }: Desk, made: Order, held: ReadonlyArray<number>, paid: ReadonlyArray<number>) =>
  Effect.map(own.books(made), (books) => assert.deepStrictEqual([books.held, books.paid], [held, paid], "[held, paid]"))
const available = ({ shop }: Desk) => Effect.map(shop.balance(), (now) => now.available)
/** The merchant captures, and the acquirer has answered. */
const captured = Effect.fnUntraced(function* (desk: Desk, { tradeNo }: Order, part: number = amount) {
  const first: Json = yield* said(desk.shop.capture(tradeNo, { amount: part }))
  yield* desk.own.rest
  return first
})
const expire = ({ shop }: Desk, { tradeNo }: Order) => shop.expire(tradeNo)

const port = ({ port: { holds } }: Desk) => holds!
const capturing = (desk: Desk, held: Order, part: number, nth: number) =>
  toldOfHold(
    desk,
    Effect.suspend(() => port(desk).capture(holdAt(desk, held, nth), Minor.make(part)))
  )

export const holdLaws: ReadonlyArray<Case> = [
  story("an amount that is held is not paid, and is captured until a time that is told", (desk, held) =>
    Effect.gen(function* () {
      const now = yield* desk.shop.order(held.tradeNo)
      assert.deepInclude(now, { status: "authorized", paid_at: null, fee: null, captured_amount: null })
      const days = port(desk).days.card!
      const seconds = (Date.parse(now["capture_by"]) - desk.running.now()) / 1_000
      assert.closeTo(seconds, days * 86_400, 300)
      yield* booksAre(desk, held, [amount], [])
      assert.deepStrictEqual(yield* desk.shop.ledger(), [])
      assert.strictEqual(yield* desk.events("payment.authorized"), 1)
      assert.strictEqual(yield* desk.events("payment.succeeded"), 0)
    })
  ),
  story("an amount that is captured is paid, with its card, its fee and its refund window", (desk, held) =>
    Effect.gen(function* () {
      yield* captured(desk, held)
      yield* statusIs(desk, held, "paid")
      yield* booksAre(desk, held, [], [amount])
      assert.strictEqual(yield* available(desk), amount - feeOf(amount))
      const paid = yield* desk.fresh(held)
      assert.isTrue("card" in paid && paid.card !== null && paid.paymentId === held.hold?.payment?.paymentId)
      for (const type of ["payment.succeeded", "payment.captured"]) assert.strictEqual(yield* desk.events(type), 1)
    })
  ),
  story("a part that is captured is all that the buyer pays: its fee, refunds and books count it", (desk, held) =>
    Effect.gen(function* () {
      yield* desk.sold({ amount: 100_000 })
      yield* captured(desk, held, 1_500)
      yield* booksAre(desk, held, [], [1_500])
      const now = yield* desk.shop.order(held.tradeNo)
      assert.deepInclude(now, { status: "paid", captured_amount: 1_500, fee: feeOf(1_500) })
      const beyond = yield* desk.shop.refund({ trade_no: held.tradeNo, amount: 1_501 })
      assertRefused(beyond, 400, "invalid_request", "amount")
      yield* desk.refunded(held, 1_500)
      yield* desk.own.rest
      yield* statusIs(desk, held, "refunded")
      yield* booksAgree(desk, held)
    })
  ),
  story("a dispute of a part that was captured freezes that part", (desk, held) =>
    Effect.gen(function* () {
      yield* desk.sold({ amount: 100_000 })
      yield* captured(desk, held, 1_500)
      yield* Effect.andThen(desk.own.disputes(yield* desk.fresh(held)), desk.own.rest)
      assert.deepInclude(yield* desk.dispute(held), { amount: 1_500, funds_frozen: true })
      assert.strictEqual((yield* desk.shop.balance()).frozen, 1_500)
    })
  ),
  story("another key after a capture gets what was captured, and captures nothing", (desk, held) =>
    Effect.gen(function* () {
      for (const [part, nth] of [
        [700, 0],
        [700, 0],
        [900, 1]
      ] as const) {
        const answer = yield* capturing(desk, held, part, nth)
        assert.strictEqual(answer._tag === "Captured" ? Number(answer.payment.amount) : 0, 700)
      }
      yield* booksAre(desk, held, [], [700])
    })
  ),
  story("the channel itself captures nothing beyond what it holds", (desk, held) =>
    Effect.gen(function* () {
      const said = yield* Effect.exit(capturing(desk, held, amount + 1, 0))
      assert.isFalse(said._tag === "Success" && said.value._tag === "Captured")
      yield* booksAre(desk, held, [amount], [])
    })
  ),
  story("captures at once charge once, and the order has what was charged", (desk, held) =>
    Effect.gen(function* () {
      const asked = [700, 700, 600].map((part) => desk.shop.capture(held.tradeNo, { amount: part }))
      yield* Effect.all(asked, { concurrency: "unbounded" })
      yield* desk.own.rest
      const { paid } = yield* desk.own.books(held)
      assert.lengthOf(paid, 1)
      assert.strictEqual((yield* desk.shop.order(held.tradeNo))["captured_amount"], paid[0])
    })
  ),
  story("a capture and a cancellation at once end in one of them", (desk, held) =>
    Effect.gen(function* () {
      yield* Effect.all([desk.shop.capture(held.tradeNo), expire(desk, held)], { concurrency: "unbounded" })
      yield* desk.own.rest
      const status = yield* desk.seen(held)
      assert.include(["paid", "canceled"], status)
      yield* booksAre(desk, held, [], status === "paid" ? [amount] : [])
    })
  ),
  story("a hold that is given up is released, and is not captured after that", (desk, held) =>
    Effect.gen(function* () {
      yield* Effect.andThen(expire(desk, held), desk.own.rest)
      yield* statusIs(desk, held, "canceled")
      assert.strictEqual(yield* desk.events("payment.canceled"), 1)
      assert.strictEqual((yield* capturing(desk, held, 700, 0))._tag, "Gone")
      assertRefused(yield* desk.shop.capture(held.tradeNo), 409, "conflict")
      yield* booksAre(desk, held, [], [])
      assert.strictEqual(yield* available(desk), 0)
    })
  ),
  story("a release after a capture says what was captured", (desk, held) =>
    Effect.gen(function* () {
      yield* captured(desk, held, 700)
      const answer = yield* port(desk).release(holdAt(desk, held, 1))
      assert.strictEqual(answer._tag === "Captured" ? Number(answer.payment.amount) : 0, 700)
      yield* booksAre(desk, held, [], [700])
    })
  ),
  story("a hold that nobody captures is released when its time is over", (desk, held) =>
    Effect.gen(function* () {
      yield* desk.running.leap(`${port(desk).days.card!} days`)
      yield* Effect.andThen(desk.running.leap("1 minute"), desk.own.rest)
      yield* statusIs(desk, held, "expired")
      assert.strictEqual(yield* desk.events("payment.authorization_expired"), 1)
      yield* booksAre(desk, held, [], [])
    })
  ),
  story("a hold that the acquirer gives up by itself ends the order", (desk, held) =>
    Effect.gen(function* () {
      yield* Effect.andThen(desk.own.holds!.ends(held), desk.own.rest)
      yield* statusIs(desk, held, "expired")
      assertRefused(yield* desk.shop.capture(held.tradeNo), 409, "conflict")
    })
  ),
  ...([undefined, 900] as const).map((part) =>
    story(`a capture by hand of ${part === undefined ? "all" : "a part"} pays the order, once`, (desk, held) =>
      Effect.gen(function* () {
        yield* Effect.andThen(desk.own.holds!.captures(held, part), desk.own.rest)
        const whole = part ?? amount
        assert.deepInclude(yield* desk.shop.order(held.tradeNo), { status: "paid", captured_amount: whole })
        assert.strictEqual(yield* available(desk), whole - feeOf(whole))
        yield* booksAgree(desk, held)
      })
    )
  ),
  story("a capture that the acquirer refuses leaves the hold, which is captured later", (desk, held) =>
    Effect.gen(function* () {
      yield* desk.own.holds!.refuses(held)
      yield* desk.shop.capture(held.tradeNo, { amount: 700 })
      yield* desk.own.rest
      const now = yield* desk.shop.order(held.tradeNo)
      assert.deepInclude(now, { status: "authorized", capturing_amount: null, captured_amount: null })
      yield* booksAre(desk, held, [amount], [])
    })
  ),
  law("a hold of an order that has failed meanwhile is released, and nothing is charged", ["holds"], (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order({ capture: "manual" })
      yield* desk.leads(made)
      yield* said(desk.shop.post(`/v1/test_helpers/orders/${made.tradeNo}/pay`, { outcome: "fail" }))
      yield* desk.acts(made, "pays")
      yield* Effect.andThen(desk.running.pass("1 minute"), desk.own.rest)
      assert.strictEqual(yield* desk.status(made), "failed")
      const { held, paid } = yield* desk.own.books(made)
      assert.deepStrictEqual([held, paid], [[], []])
      assert.strictEqual(yield* available(desk), 0)
    })
  ),
  law("an order that is held gets no other session", ["holds", "page"], (desk) =>
    Effect.gen(function* () {
      const held = yield* desk.held()
      assert.strictEqual((yield* desk.port.page!.begin(yield* desk.fresh(held), "card", "en"))._tag, "Settled")
      assert.strictEqual((yield* desk.own.books(held)).open, 0)
      yield* desk.running.leap("25 hours")
      yield* statusIs(desk, held, "authorized")
    })
  )
]
