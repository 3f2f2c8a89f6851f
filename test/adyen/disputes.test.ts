/** Disputes at Adyen: opened and decided by notices, answered with documents. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertEqualBooks, connected, onOneWorld } from "./kit.ts"

const evidence = { evidence: { product_description: "Tea (green), 100 g" }, submit: true }

const disputed = Effect.gen(function* () {
  const world = yield* connected
  yield* world.paid({ amount: 50_000 })
  const order = yield* world.paid()
  const dispute = world.bank.open(order.payment)
  yield* world.settled
  const own = Effect.map(
    world.shop.get(`/v1/disputes?trade_no=${order.trade_no}`),
    ({ body }) => body.data.data[0] as { readonly dispute_no: string; readonly status: string; readonly amount: number }
  )
  const { dispute_no: no } = yield* own
  const status = Effect.map(own, (one) => one.status)
  return { ...world, disputedOrder: order, dispute, no, own, status }
})

onOneWorld((it) => {
  describe("a dispute at Adyen", () => {
    it.effect("opens with its notice, and freezes the amount before the bank takes it", () =>
      Effect.gen(function* () {
        const { disputedOrder, own, shop } = yield* disputed
        const opened = yield* own
        assert.deepStrictEqual([opened.status, opened.amount], ["needs_response", 2_000])
        assert.strictEqual((yield* shop.balance()).frozen, 2_000)
        assert.include(yield* shop.events(disputedOrder.trade_no), "payment.succeeded")
      })
    )

    it.effect("is answered with texts as a document, and won when the bank's time is over", () =>
      Effect.gen(function* () {
        const world = yield* disputed
        const { bank, dispute, no, settled, shop, status } = world
        bank.charge(dispute)
        yield* settled
        const answered = yield* shop.respond(no, evidence)
        assert.deepStrictEqual([answered.status, answered.body.data?.status], [200, "under_review"], answered.text)
        const document = dispute.documents.get("DefenseMaterial")!.toString("latin1")
        assert.isTrue(document.startsWith("%PDF-1.4"))
        assert.include(document, String.raw`(Tea \(green\), 100 g)`)
        bank.reverse(dispute)
        yield* settled
        assert.strictEqual(yield* status, "under_review", "the bank may take it again")
        bank.win(dispute)
        yield* settled
        assert.strictEqual(yield* status, "won")
        yield* assertEqualBooks(world)
      })
    )

    it.effect("that the bank takes a second time is lost, in whatever order the notices come", () =>
      Effect.gen(function* () {
        for (const isReversed of [false, true]) {
          const world = yield* disputed
          const { bank, dispute, no, settled, shop, status } = world
          yield* shop.respond(no, evidence)
          bank.charge(dispute)
          bank.reverse(dispute)
          bank.lose(dispute)
          if (isReversed) bank.notices.reverse()
          yield* settled
          assert.strictEqual(yield* status, "lost", String(isReversed))
          yield* assertEqualBooks(world)
        }
      })
    )

    it.effect("that the merchant accepts is lost, also when Adyen's notice of it does not come", () =>
      Effect.gen(function* () {
        for (const isLost of [false, true]) {
          const world = yield* disputed
          const { bank, leap, no, settled, shop, status } = world
          const accepted = yield* shop.accept(no)
          assert.strictEqual(accepted.status, 200, accepted.text)
          if (isLost) bank.notices.length = 0
          yield* settled
          yield* leap("2 days")
          assert.strictEqual(yield* status, "lost", String(isLost))
          yield* assertEqualBooks(world)
        }
      })
    )

    it.effect("that nobody answers in time is lost", () =>
      Effect.gen(function* () {
        const world = yield* disputed
        const { bank, dispute, settled, status } = world
        bank.end(dispute)
        yield* settled
        assert.strictEqual(yield* status, "lost")
        yield* assertEqualBooks(world)
      })
    )

    it.effect("whose answer is lost at any call is defended once", () =>
      Effect.gen(function* () {
        for (const call of ["retrieve*", "supply*", "defend*"]) {
          for (const kind of ["error_before", "error_after"] as const) {
            const where = `${call} ${kind}`
            const { bank, dispute, leap, no, settled, shop, simulator, status } = yield* disputed
            simulator.faults.add({ on: `POST */${call}`, kind })
            yield* shop.respond(no, evidence)
            yield* leap("1 hour")
            if ((yield* status) === "needs_response") yield* shop.respond(no, evidence)
            yield* settled
            assert.strictEqual(yield* status, "under_review", where)
            assert.isTrue(dispute.isDefended, where)
            bank.win(dispute)
            yield* settled
            assert.strictEqual(yield* status, "won", where)
          }
        }
      })
    )

    it.effect("with too few documents is refused with the names of those that are wanted, and the draft stays", () =>
      Effect.gen(function* () {
        const { dispute, no, shop, status } = yield* disputed
        dispute.isDefended = true
        const refused = yield* shop.respond(no, evidence)
        assert.strictEqual(refused.status, 409, refused.text)
        assert.strictEqual(yield* status, "needs_response")
      })
    )

    it.effect("about a payment that goes back is kept with that payment", () =>
      Effect.gen(function* () {
        const { bank, choose, links, order, settled, shop, sql } = yield* connected
        const made = yield* order()
        yield* choose(made)
        yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        const payment = bank.pay(links(made)[0]!.id, { late: true })!
        yield* settled
        bank.charge(bank.open(payment, 2_000))
        yield* settled
        const [row] = yield* sql`select unapplied_payments->0->'dispute'->>'status' as status from orders
          where trade_no = ${made.trade_no}`
        assert.deepStrictEqual(row, { status: "chargeback" })
      })
    )
  })
})
