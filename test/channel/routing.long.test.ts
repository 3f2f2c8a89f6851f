/** Random orders of a merchant with accounts at two channels, of which the first fails at random (0277). */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { feeOf } from "../kit/Merchant.ts"
import { seeded } from "../kit/Process.ts"
import { rounds } from "../kit/run/soak.ts"
import { deskOf, names, type World, worlds } from "./twoChannels.ts"

it.live("leads no buyer to two sessions that can both be paid, whatever a channel does, and tells no buyer wrong", () =>
  Effect.flatMap(worlds, (world) => Effect.provideContext(randomOrders(world), world.running.context))
)

const kinds = ["lost before", "lost after", "crowded"] as const
const methods = ["card", "alipay"] as const

/** Buyers open pages, one or two at once, while channels fail at random; then some pay, and others are closed. */
const randomOrders = Effect.fnUntraced(function* (world: World) {
  const desk = yield* deskOf(world)
  yield* desk.sets("second", { methods: ["card", "alipay"] })
  const below = seeded(Number(process.env["SEED"] ?? 1))
  const some = <A>(of: ReadonlyArray<A>) => of[below(of.length)]!
  const told = new Map<string, number>()
  const moved = { to: 0, paid: 0 }

  const page = Effect.fnUntraced(function* (order: Order, method: PaymentMethod, isAlone: boolean) {
    const wasPaid = desk.sessions(order).some(({ session }) => session.state === "paid")
    const said = yield* Effect.exit(desk.begin(order, method))
    const word = Exit.isSuccess(said) ? said.value._tag : "failed"
    told.set(word, (told.get(word) ?? 0) + 1)
    if (Exit.isSuccess(said) && said.value._tag === "Redirect" && isAlone) {
      const { url } = said.value
      const led = desk.sessions(order).find(({ session }) => `memory:${session.id}` === url && session.state === "open")
      assert.isDefined(led, "a buyer is led to a session that is open")
    }
    // The page says that nothing was charged.
    if (Exit.isFailure(said)) assert.isFalse(wasPaid, "a buyer who has paid is told that nothing was charged")
    assert.isAtMost(desk.open(order).length, 1, "sessions that can be paid")
  })

  for (let nth = 0; nth < rounds(1_000, 10_000); nth++) {
    const order = yield* desk.order
    for (let step = 0; step < 1 + below(4); step++) {
      for (const at of ["first", "second"] as const) {
        desk.acquirers[at].troubles.splice(0)
        desk.acquirers[at].unreachable.clear()
        const chance = at === "first" ? 2 : 8
        if (below(chance) === 0) desk.fails(at, some(kinds), some(["begin", "begin", "lookUp", "cancel"] as const))
        if (below(chance * 3) === 0) desk.acquirers[at].unreachable.add(desk.merchantId)
      }
      if (below(6) === 0) yield* desk.sets("first", { isActive: below(3) > 0 })
      const isAlone = below(4) > 0
      const pages = isAlone ? [some(methods)] : [some(methods), some(methods)]
      yield* Effect.forEach(pages, (method) => page(order, method, isAlone), {
        concurrency: "unbounded",
        discard: true
      })
      const [where] = desk.open(order)
      const away = desk.sessions(order).filter(({ session }) => session.state === "away")
      for (const { session } of away) session.state = "open"
      if (where !== undefined && below(3) === 0) {
        for (const each of Object.values(desk.acquirers)) each.receiver.held = below(2) === 0
        yield* desk.pays(order, where)
        moved.paid++
      }
    }
    for (const each of Object.values(desk.acquirers)) {
      each.troubles.splice(0)
      each.unreachable.clear()
      each.receiver.held = false
      yield* each.send()
    }
    if ((yield* desk.fresh(order)).status === "pending") yield* desk.shop.post(`/v1/orders/${order.tradeNo}/expire`)
    assert.deepStrictEqual(desk.open(order), [], "an order that has ended cannot be paid")
    const now = yield* desk.fresh(order)
    const payments = [...desk.acquirers.first.paidOf(order.tradeNo), ...desk.acquirers.second.paidOf(order.tradeNo)]
    assert.strictEqual(payments.length, now.status === "paid" ? 1 : 0, "paid once, or not at all")
    assert.deepStrictEqual(now.unappliedPayments, [])
    if (now.status === "paid" && now.channel === names.second) moved.to++
  }
  // Each of the answers was seen, and some orders went to the second.
  for (const word of ["Redirect", "Settled", "Unknown", "failed"]) assert.isAbove(told.get(word) ?? 0, 0, word)
  assert.isAbove(moved.to, 10)
  const paid = yield* desk.shop.balance()
  assert.strictEqual(paid.available % (2_000 - feeOf(2_000)), 0, "whole payments")
  yield* assertLedgerWhole(world.running.sql)
})
