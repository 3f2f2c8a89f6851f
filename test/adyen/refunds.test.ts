/** Money that goes back through Adyen: taken at once, and told later by notice. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { assertEqualBooks, connected, onOneWorld } from "./kit.ts"

/** Money to give back with: after its fee, an order alone has too little for a refund of all of it. */
const funds = { amount: 50_000 }

const prepared = Effect.gen(function* () {
  const world = yield* connected
  yield* world.paid(funds)
  const order = yield* world.paid()
  const modification = () => [...world.bank.modifications.values()].at(-1)!
  const status = Effect.map(world.shop.get(`/v1/refunds?trade_no=${order.trade_no}`), ({ body }) =>
    body.data.data.map((each: { readonly status: string }) => each.status)
  )
  return { ...world, paidOrder: order, modification, status }
})

onOneWorld((it) => {
  describe("a refund at Adyen", () => {
    it.effect("is pending until the notice comes, in part and of all", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { bank, modification, paidOrder, settled, shop, status } = world
        for (const amount of [500, undefined]) {
          const body = { trade_no: paidOrder.trade_no, ...(amount === undefined ? {} : { amount }) }
          const made = yield* shop.refund(body)
          assert.deepStrictEqual([made.status, made.body.data?.status], [202, "pending"], made.text)
          assert.deepStrictEqual([modification().kind, modification().amount], ["REFUND", amount ?? 1_500])
          bank.decide(modification().pspReference, "done")
          yield* settled
        }
        assert.deepStrictEqual(yield* status, ["succeeded", "succeeded"])
        assert.strictEqual((yield* shop.order(paidOrder.trade_no))["status"], "refunded")
        yield* assertEqualBooks(world)
      })
    )

    it.effect("that the bank refuses is told to the merchant, and the money is there again", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { bank, modification, paidOrder, settled, shop, status } = world
        yield* shop.refund({ trade_no: paidOrder.trade_no, amount: 700 })
        bank.decide(modification().pspReference, "refused")
        yield* settled
        assert.deepStrictEqual(yield* status, ["failed"])
        yield* assertEqualBooks(world)
      })
    )

    it.effect("that comes back after it was paid is failed, in whatever order the notices come", () =>
      Effect.gen(function* () {
        for (const isReversed of [false, true]) {
          const world = yield* prepared
          const { bank, modification, paidOrder, settled, shop, status } = world
          yield* shop.refund({ trade_no: paidOrder.trade_no, amount: 700 })
          bank.decide(modification().pspReference, "done")
          bank.decide(modification().pspReference, "failed")
          if (isReversed) bank.notices.reverse()
          yield* settled
          assert.deepStrictEqual(yield* status, ["failed"], String(isReversed))
          yield* assertEqualBooks(world)
        }
      })
    )

    it.effect("whose answer is lost, before or after its effect, is made once", () =>
      Effect.gen(function* () {
        for (const kind of ["cut_before", "cut_after", "error_after"] as const) {
          const world = yield* prepared
          const { bank, leap, modification, paidOrder, settled, shop, simulator, status } = world
          simulator.faults.add({ on: "POST */refunds", kind, times: kind.startsWith("cut") ? 2 : 1 })
          yield* shop.refund({ trade_no: paidOrder.trade_no, amount: 700 })
          yield* leap("1 minute")
          assert.lengthOf([...bank.modifications.values()], 1, kind)
          bank.decide(modification().pspReference, "done")
          yield* settled
          assert.deepStrictEqual(yield* status, ["succeeded"], kind)
          yield* assertEqualBooks(world, kind)
        }
      })
    )

    it.effect("whose notice comes before the answer succeeds", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { bank, modification, paidOrder, leap, settled, shop, simulator, status } = world
        simulator.faults.add({ on: "POST */refunds", kind: "cut_after" })
        yield* shop.refund({ trade_no: paidOrder.trade_no, amount: 700 })
        bank.decide(modification().pspReference, "done")
        yield* settled
        yield* leap("1 minute")
        assert.deepStrictEqual(yield* status, ["succeeded"])
        assert.lengthOf([...bank.modifications.values()], 1)
      })
    )

    it.effect("that Adyen refuses at once changes nothing", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { paidOrder, shop, simulator, status } = world
        simulator.faults.add({ on: "POST */refunds", kind: "refused" })
        const refused = yield* shop.refund({ trade_no: paidOrder.trade_no, amount: 700 })
        assert.strictEqual(refused.status, 502, refused.text)
        assert.deepStrictEqual(yield* status, [])
        yield* assertEqualBooks(world)
      })
    )

    it.effect("with a key that Adyen has forgotten is not asked for again", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { bank, leap, paidOrder, settle, shop, simulator, status } = world
        simulator.faults.add({ on: "POST */refunds", kind: "cut_after", times: 1 })
        simulator.faults.add({ on: "POST */refunds", kind: "cut_before", times: 1_000_000 })
        yield* shop.refund({ trade_no: paidOrder.trade_no, amount: 700 })
        yield* leap("8 days")
        simulator.faults.clear()
        yield* leap("2 hours")
        yield* settle
        assert.lengthOf([...bank.modifications.values()], 1)
        assert.deepStrictEqual(yield* status, ["pending"])
      })
    )
  })

  describe("a payment that goes back as a whole", () => {
    it.effect("and that the bank refuses is parked for the operator", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { bank, choose, links, modification, order, settled, shop, sql } = world
        const made = yield* order()
        yield* choose(made)
        yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        bank.pay(links(made)[0]!.id, { late: true })
        yield* settled
        bank.decide(modification().pspReference, "refused")
        yield* settled
        const [row] = yield* sql`select unapplied_payments->0->>'state' as state from orders
          where trade_no = ${made.trade_no}`
        assert.deepStrictEqual(row, { state: "parked" })
        yield* assertEqualBooks(world)
      })
    )

    it.effect("is asked for once when the answers are lost", () =>
      Effect.gen(function* () {
        const world = yield* prepared
        const { bank, choose, leap, links, modification, order, settled, shop, simulator } = world
        const made = yield* order()
        yield* choose(made)
        yield* shop.post(`/v1/orders/${made.trade_no}/expire`)
        bank.pay(links(made)[0]!.id, { late: true })
        simulator.faults.add({ on: "POST */reversals", kind: "cut_after", times: 2 })
        yield* settled
        yield* leap("2 hours")
        assert.lengthOf([...bank.modifications.values()], 1)
        bank.decide(modification().pspReference, "done")
        yield* settled
        yield* assertEqualBooks(world)
      })
    )
  })
})
