/**
 * Random histories of a merchant with an account at Stripe: answers are lost, webhooks come twice, late, swapped or
 * never, fibers die between Stripe's answer and our commit. When all is over, our books and Stripe's are equal to the
 * minor unit, and each movement was made once.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Layer } from "effect"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { merchantOf, type Json } from "../kit/Merchant.ts"
import { seeded } from "../kit/Process.ts"
import { rounds } from "../kit/soak.ts"
import { connectedAs, type World, worlds } from "./kit.ts"

const histories = rounds(5, 1_000)
const stepsEach = 18
/** Each begins with orders that a buyer is about to pay. */
const opening = [0, 1, 2, 0, 1, 2]
/** So many of a hundred calls, webhooks and steps of ours go wrong. */
const troubles = 25

type Draw = (limit: number) => number

/** A fiber dies, before or after what happens there, as the process might. */
const mortal = (draw: Draw) => {
  const may = { die: false, deaths: 0 }
  const meant = (point: string, detail: string) =>
    point === "RefundChannel.refund" ||
    point === "DisputeChannel.submit" ||
    point === "DisputeChannel.accept" ||
    (point === "Store.write" && detail.startsWith("stripe_"))
  const layer = Layer.succeed(Faults.Faults, {
    around: (point, effect, detailOf) => {
      if (!may.die || !meant(point, detailOf?.() ?? "")) return effect
      return Effect.suspend(() => {
        const fate = draw(100)
        const death = Effect.die(`died at ${point}`)
        if (fate < 8) may.deaths++
        if (fate < 4) return death
        return fate < 8 ? Effect.andThen(effect, death) : effect
      })
    }
  })
  return { may, layer }
}

const calls = [
  "POST /v1/checkout/sessions",
  "GET /v1/checkout/sessions/*",
  "POST /v1/checkout/sessions/*/expire",
  "POST /v1/refunds",
  "GET /v1/refunds*",
  "GET /v1/events",
  "* /v1/disputes*"
]
const kinds = ["cut_before", "cut_after", "error_before", "error_after", "error_kept_after", "rate_limited"] as const
const cards = ["pm_card_visa", "pm_card_visa", "pm_card_pendingRefund", "pm_card_refundFail", "pm_card_createDispute"]

const live = Effect.fnUntraced(function* (world: World, draw: Draw, name: string) {
  const { control } = world
  const merchant = yield* world.api.newMerchant()
  const key = `sk_test_${name}`
  const account = yield* connectedAs(world, merchant, key)
  const shop = merchantOf({ ...world, merchant })
  const orders: Array<Json> = []
  const one = <A>(list: ReadonlyArray<A>): A | undefined => list[draw(list.length || 1)]
  const mine = {
    sessions: () =>
      world.simulator
        .all("checkout.session")
        .filter((each) => orders.some((o) => o["trade_no"] === each.client_reference_id)),
    refunds: () => world.simulator.all("refund").filter((each) => intents().has(String(each.payment_intent))),
    disputes: () => world.simulator.all("dispute").filter((each) => intents().has(String(each.payment_intent)))
  }
  const intents = () => new Set(mine.sessions().map(({ payment_intent }) => String(payment_intent)))
  const page = (order: Json) => new URL(order["checkout_url"]).pathname

  const trouble = Effect.gen(function* () {
    if (draw(100) >= troubles) return
    if (draw(2) === 0) {
      const kind = kinds[draw(kinds.length)]!
      yield* control.fault({ on: calls[draw(calls.length)]!, kind, times: kind.startsWith("cut") ? 2 : 1 })
    } else {
      const kind = (["lose", "twice", "late", "swap"] as const)[draw(4)]!
      yield* control.fault({ on: "webhook *", kind, seconds: 1 + draw(200) })
    }
  })

  const acts: ReadonlyArray<() => Effect.Effect<unknown, unknown>> = [
    () => Effect.map(shop.post("/v1/orders", { amount: 500 + draw(5_000) }), ({ body }) => void orders.push(body.data)),
    () => {
      const order = one(orders)
      if (order === undefined) return Effect.void
      const raw = `step=pay&method=${["card", "alipay", "apple_pay"][draw(3)]}`
      return world.api.call("POST", page(order), {
        raw,
        headers: { "Content-Type": "application/x-www-form-urlencoded" }
      })
    },
    () =>
      Effect.gen(function* () {
        // A buyer has no other address: a session of which the answer was lost for good is nobody's.
        const rows = yield* world.sql<{ session_id: string | null }>`select session_id from stripe_sessions`
        const shown = new Set(rows.map(({ session_id }) => session_id))
        const session = one(mine.sessions().filter(({ id, status }) => status === "open" && shown.has(id)))
        if (session === undefined) return
        const wallet = session.payment_method_types[0] === "alipay"
        const how = wallet ? { with: "alipay" } : { with: cards[draw(cards.length)]! }
        const authorises = draw(4) === 0 ? {} : { authorises: draw(4) > 0 }
        const processing = draw(6) === 0 ? { processing: 30 + draw(600) } : {}
        yield* Effect.ignore(control.pay({ session: session.id, ...how, ...authorises, ...processing }))
      }),
    () => {
      const order = one(orders)
      return order === undefined ? Effect.void : world.api.call("GET", `${page(order)}?returned=1`)
    },
    () => {
      const order = one(orders)
      return order === undefined ? Effect.void : shop.post(`/v1/orders/${order["trade_no"]}/expire`)
    },
    () => {
      const order = one(orders)
      const part = draw(2) === 0 ? {} : { amount: 1 + draw(800) }
      return order === undefined ? Effect.void : shop.refund({ trade_no: order["trade_no"], ...part })
    },
    () => {
      const refund = one(mine.refunds())
      if (refund === undefined) return Effect.void
      return Effect.ignore(
        draw(2) === 0 ? control.fail_refund({ refund: refund.id }) : control.settle_refund({ refund: refund.id })
      )
    },
    () => {
      const dispute = one(mine.disputes())
      if (dispute === undefined) return Effect.void
      return Effect.ignore(control.decide_dispute({ dispute: dispute.id, outcome: draw(2) === 0 ? "won" : "lost" }))
    },
    () => world.leap(`${1 + draw(90)} seconds`),
    () => world.pass(`${1 + draw(4)} minutes`)
  ]
  /** The first acts come more often, since the others need what they make. */
  const weighted = [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9]

  return { account, acts, draw, key, mine, orders, shop, trouble, weighted, merchant }
})

/** What Stripe's books of one account have moved, fees aside, by currency; and ours. */
const assertEqualBooks = Effect.fnUntraced(function* (
  world: World,
  one: Effect.Success<ReturnType<typeof live>>,
  where: string
) {
  const stripe = world.clientOf(one.key)
  const moved = { theirs: 0, ours: 0 }
  for (const each of yield* Effect.promise(() =>
    stripe.balanceTransactions.list({ limit: 100 }).autoPagingToArray({ limit: 5_000 })
  )) {
    moved.theirs += each.amount
  }
  const rows = yield* one.shop.ledger()
  const fees = rows.filter(([type]) => /fee/.test(type)).reduce((sum, [, amount]) => sum + amount, 0)
  const { available, frozen } = yield* one.shop.balance()
  // Money that could not be given back is nobody's yet: it is parked, and operators see it.
  const [parked] = yield* world.sql<{ amount: number }>`select coalesce(sum((p->>'amount')::int4), 0)::int4 as amount
    from orders, jsonb_array_elements(stray_payments) as p
    where merchant_id = ${one.merchant.merchantId} and p->>'state' = 'parked'`
  moved.ours = available - fees + parked!.amount
  assert.isBelow(rows.length, 100, "all rows are on one page")
  assert.strictEqual(moved.ours, moved.theirs, where)
  assert.strictEqual(frozen, 0, `everything is decided: ${where}`)
  const asked = one.mine.refunds().map(({ metadata }) => JSON.stringify(metadata))
  assert.strictEqual(new Set(asked).size, asked.length, `each refund is asked for once: ${where}`)
})

const later = (world: World, ...times: ReadonlyArray<Duration.Input>) =>
  Effect.forEach(
    times,
    (time) => Effect.andThen(world.leap(time), Effect.andThen(world.control.settle({}), world.atRest)),
    {
      discard: true
    }
  )

describe("a merchant with an account at Stripe", () => {
  it.live(`has the same books as Stripe after each of ${histories} random histories`, () =>
    Effect.gen(function* () {
      const draw = seeded(rounds(7, 8))
      const { layer, may } = mortal(draw)
      const world = yield* worlds({ faults: layer })
      const seen = { sessions: 0, refunds: 0, disputes: 0 }
      for (let history = 1; history <= histories; history++) {
        const one = yield* live(world, draw, `history${history}`)
        const did: Array<number> = []
        may.die = true
        for (let step = 0; step < stepsEach; step++) {
          const act = opening[step] ?? one.weighted[draw(one.weighted.length)]!
          did.push(act)
          yield* one.trouble
          yield* one.acts[act]!()
        }
        may.die = false
        yield* world.control.clear_faults({})
        // Webhooks that are late come, the reconciler looks, orders reach their end, refunds are asked about again.
        yield* later(world, "10 minutes", "1 hour")
        for (const dispute of one.mine.disputes()) {
          yield* Effect.ignore(world.control.decide_dispute({ dispute: dispute.id, outcome: "won" }))
        }
        for (const refund of one.mine.refunds())
          yield* Effect.ignore(world.control.settle_refund({ refund: refund.id }))
        yield* later(world, "1 hour", "25 hours", "1 hour")
        yield* assertEqualBooks(world, one, `history ${history}: ${did.join()}`)
        yield* assertLedgerWhole(world.sql)
        for (const { status } of one.mine.sessions()) seen.sessions += status === "complete" ? 1 : 0
        seen.refunds += one.mine.refunds().length
        seen.disputes += one.mine.disputes().length
        // Its account is asked no more, so that a history costs the same as the one before.
        yield* world.sql`update stripe_polls set due_at = 'infinity', movements_due_at = 'infinity'`
      }
      process.stdout.write(`\n${histories} histories: ${JSON.stringify({ ...seen, deaths: may.deaths })}\n`)
      assert.isAbove(seen.sessions, histories / 2, "they are about payments")
    })
  )
})
