/**
 * Random histories of a merchant with an account at Stripe: answers are lost, webhooks come twice, late, swapped or
 * never, fibers die between Stripe's answer and our commit. Methods are left out of sessions, refusals are kept for
 * their key, an account takes 25 calls in a second, inquiries become chargebacks, losses are appealed, amounts are held
 * and captured in part, given up, or captured by hand. When all is
 * over, our books and Stripe's are equal to the minor unit, and each movement was made once. Each history has a seed,
 * which is printed when it fails. `HISTORY_SEED` is the seed of the first one, and `HISTORIES` says how many there are.
 */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Cause, type Duration, Effect, Exit, Layer } from "effect"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { merchantOf, type Json } from "../kit/Merchant.ts"
import { seeded } from "../kit/Process.ts"
import { isSoak, rounds } from "../kit/run/soak.ts"
import { chooses, connectedAs, leadsTo, type World, worlds } from "./kit.ts"

const histories = Number(process.env["HISTORIES"] ?? rounds(5, 1_000))
/** The next history has the next number. */
const firstSeed = Number(process.env["HISTORY_SEED"] ?? rounds(7, 1_001))
/** Further ones would show nothing new. */
const failuresMax = 10
const stepsEach = 18
/** Each begins with orders that a buyer is about to pay. */
const opening = [0, 1, 2, 0, 1, 2]
/** So many of a hundred calls, webhooks and steps of ours go wrong. */
const troubles = 25

type Draw = (limit: number) => number
type Made = Json & { readonly checkout_url: string }

/** A fiber dies, before or after what happens there, as the process might. */
const mortal = () => {
  const may = { die: false, deaths: 0, draw: seeded(0) }
  const meant = (point: string, detail: string) =>
    point === "RefundChannel.refund" ||
    point === "HoldChannel.ask" ||
    point === "DisputeChannel.submit" ||
    point === "DisputeChannel.accept" ||
    (point === "Store.write" && detail.startsWith("stripe_"))
  const layer = Layer.succeed(Faults.Faults, {
    around: (point, effect, detailOf) => {
      if (!may.die || !meant(point, detailOf?.() ?? "")) return effect
      return Effect.suspend(() => {
        const fate = may.draw(100)
        const death = Effect.die(`died at ${point}`)
        if (fate < 8) may.deaths++
        if (fate < 4) return death
        return fate < 8 ? Effect.andThen(effect, death) : effect
      })
    }
  })
  return { may, layer }
}

const ofHolds = ["POST /v1/payment_intents/*/capture", "POST /v1/payment_intents/*/cancel"]
const calls = [
  "POST /v1/checkout/sessions",
  "GET /v1/checkout/sessions/*",
  "POST /v1/checkout/sessions/*/expire",
  "POST /v1/refunds",
  "GET /v1/refunds*",
  "GET /v1/events",
  "GET /v1/payment_intents/*",
  ...ofHolds,
  "* /v1/disputes*"
]
const kinds = [
  "cut_before",
  "cut_after",
  "error_before",
  "error_after",
  "error_kept_after",
  "rate_limited",
  "refused"
] as const
/** The calls that an account takes in a second. The clock is stopped: more get 429 until a step lets a second pass. */
const perSecond = 25
const cards = ["pm_card_visa", "pm_card_visa", "pm_card_pendingRefund", "pm_card_refundFail"]
const disputed = ["pm_card_createDispute", "pm_card_createDisputeInquiry"]
/** The words that may come next from the bank; what cannot follow is refused and changes nothing. */
const words = [
  "won",
  "lost",
  "escalated",
  "escalated",
  "warning_closed",
  "appeal_needs_response",
  "appeal_under_review"
] as const

/** Money to give back with: after its fee, an order alone has too little for a refund of all of it. */
const funds = { amount: 50_000 }

const live = Effect.fnUntraced(function* (world: World, draw: Draw, name: string) {
  const { control } = world
  const merchant = yield* world.api.newMerchant()
  const key = `sk_test_${name}`
  yield* connectedAs(world, merchant, key)
  const shop = merchantOf({ ...world, merchant })
  const orders: Array<Made> = []
  const one = <A>(list: ReadonlyArray<A>): A | undefined => list[draw(list.length || 1)]
  const sessionsOf = (made: ReadonlyArray<Json>) => {
    const numbers = new Set(made.map((each) => each["trade_no"]))
    return world.simulator
      .all("checkout.session")
      .filter(({ client_reference_id }) => numbers.has(client_reference_id ?? ""))
  }
  const mine = {
    sessions: () => sessionsOf(orders),
    refunds: () => world.simulator.all("refund").filter((each) => intents().has(String(each.payment_intent))),
    disputes: () => world.simulator.all("dispute").filter((each) => intents().has(String(each.payment_intent))),
    held: () =>
      world.simulator
        .all("payment_intent")
        .filter(({ id, status }) => status === "requires_capture" && intents().has(id))
  }
  const intents = () => new Set(mine.sessions().map(({ payment_intent }) => String(payment_intent)))
  /** An order whose money Stripe has, or any. */
  const oneToRefund = () => {
    const paid = new Set(
      mine.sessions().flatMap((each) => (each.payment_status === "paid" ? [each.client_reference_id] : []))
    )
    return one(orders.filter((each) => paid.has(each["trade_no"]))) ?? one(orders)
  }
  const oneDisputed = Effect.map(shop.get("/v1/disputes"), ({ body }) => one<Json>(body.data.data))

  const first = (yield* shop.post("/v1/orders", funds)).body.data as Made
  yield* chooses(world.api, first, "card")
  yield* control.pay({ session: sessionsOf([first])[0]!.id })
  yield* Effect.andThen(control.rest({}), world.atRest)

  const trouble = Effect.gen(function* () {
    if (draw(100) >= troubles) return
    if (draw(2) === 0) {
      const kind = kinds[draw(kinds.length)]!
      // There is too little money at Stripe, which is said to this key for a day.
      const refusing = ["POST /v1/refunds", ...ofHolds]
      const on = kind === "refused" ? refusing[draw(refusing.length)]! : calls[draw(calls.length)]!
      yield* control.fault({ on, kind, times: kind.startsWith("cut") ? 2 : 1 })
    } else {
      const kind = (["lose", "twice", "late", "swap"] as const)[draw(4)]!
      yield* control.fault({ on: "webhook *", kind, seconds: 1 + draw(200) })
    }
  })

  const acts: ReadonlyArray<() => Effect.Effect<unknown, unknown>> = [
    () => {
      const capture = draw(5) < 2 ? { capture: "manual" } : {}
      const made = shop.post("/v1/orders", { amount: 500 + draw(5_000), ...capture })
      return Effect.map(made, ({ body }) => void orders.push(body.data))
    },
    () => {
      const order = one(orders)
      const method = ["card", "alipay", "apple_pay"][draw(3)]!
      if (order === undefined) return Effect.void
      return Effect.map(chooses(world.api, order, method), (reply) => {
        const to = mine.sessions().find(({ url }) => url !== null && url === leadsTo(reply))
        const type = method === "alipay" ? "alipay" : "card"
        if (to !== undefined)
          assert.include(to.payment_method_types, type, "the buyer is led to a page with the method")
      })
    },
    () =>
      Effect.gen(function* () {
        // A buyer has no other address: a session whose answer was lost for good is unreachable.
        const rows = yield* world.sql<{ session_id: string | null }>`select session_id from stripe_sessions`
        const shown = new Set(rows.map(({ session_id }) => session_id))
        const session = one(mine.sessions().filter(({ id, status }) => status === "open" && shown.has(id)))
        if (session === undefined) return
        const wallet = session.payment_method_types.includes("alipay")
        const known = draw(3) === 0 ? disputed : cards
        const how = wallet ? { with: "alipay" } : { with: known[draw(known.length)]! }
        const authorises = draw(4) === 0 ? {} : { authorises: draw(4) > 0 }
        const processing = draw(6) === 0 ? { processing: 30 + draw(600) } : {}
        yield* Effect.ignore(control.pay({ session: session.id, ...how, ...authorises, ...processing }))
      }),
    () => {
      const order = one(orders)
      return order === undefined
        ? Effect.void
        : world.api.call("GET", `${new URL(order.checkout_url).pathname}?returned=1`)
    },
    () => {
      const order = one(orders)
      return order === undefined ? Effect.void : shop.post(`/v1/orders/${order["trade_no"]}/expire`)
    },
    () => {
      const order = oneToRefund()
      const part = draw(2) === 0 ? {} : { amount: 1 + draw(800) }
      return order === undefined ? Effect.void : shop.refund({ trade_no: order["trade_no"], ...part })
    },
    () => {
      const refund = one(mine.refunds())
      if (refund === undefined) return Effect.void
      return Effect.ignore(
        draw(2) === 0 ? control.fail_refund({ refund: refund.id }) : control.complete_refund({ refund: refund.id })
      )
    },
    () => {
      const dispute = one(mine.disputes())
      if (dispute === undefined) return Effect.void
      return Effect.ignore(control.decide_dispute({ dispute: dispute.id, outcome: words[draw(words.length)]! }))
    },
    () =>
      Effect.flatMap(oneDisputed, (dispute) => {
        if (dispute === undefined) return Effect.void
        const evidence = { evidence: { product_description: `Tea ${draw(2)}` }, submit: true }
        return draw(3) === 0 ? shop.accept(dispute["dispute_no"]) : shop.respond(dispute["dispute_no"], evidence)
      }),
    () => world.leap(`${1 + draw(90)} seconds`),
    () => world.pass(`${1 + draw(4)} minutes`),
    () => control.set_account({ account: accountOf(key), methods: draw(2) === 0 ? ["card"] : ["card", "alipay"] }),
    () => {
      const order = one(orders.filter((each) => each["capture"] === "manual"))
      if (order === undefined) return Effect.void
      const part = draw(3) === 0 ? {} : { amount: 500 + draw(order["amount"] - 499) }
      return draw(4) === 0 ? shop.expire(order["trade_no"]) : shop.capture(order["trade_no"], part)
    },
    () => {
      const held = one(mine.held())
      if (held === undefined) return Effect.void
      const { amount_capturable: whole, id } = held
      const { paymentIntents } = world.clientOf(key)
      const asked = draw(2) === 0 ? { amount_to_capture: 1 + draw(whole) } : undefined
      const act = () => (asked === undefined ? paymentIntents.cancel(id) : paymentIntents.capture(id, asked))
      // A fault that was meant for us.
      return Effect.ignore(Effect.tryPromise(act))
    }
  ]
  /** The first acts come more often, since the others need what they make. */
  const weighted = [0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5, 5, 6, 7, 8, 8, 9, 10, 11, 12, 12, 12, 13]

  return { acts, key, mine, shop, trouble, weighted, merchant }
})

/** The movements in Stripe's books of one account, fees aside, by currency; and ours. */
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
  // A payment that could not be returned is parked, and operators see it.
  const [parked] = yield* world.sql<{ amount: number }>`select coalesce(sum((p->>'amount')::int4), 0)::int4 as amount
    from orders, jsonb_array_elements(unapplied_payments) as p
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
    (time) => Effect.andThen(world.leap(time), Effect.andThen(world.control.rest({}), world.atRest)),
    {
      discard: true
    }
  )

/**
 * One merchant's history from its beginning until nothing is open any more. Its acts are told for a person who has to
 * look.
 */
const history = Effect.fnUntraced(function* (world: World, may: ReturnType<typeof mortal>["may"], seed: number) {
  const draw = seeded(seed)
  const one = yield* live(world, draw, `history${seed}`)
  const did: Array<number> = []
  Object.assign(may, { die: true, draw: seeded(seed + 1_000_000) })
  if (draw(2) === 0) yield* world.control.rate_limit({ calls: perSecond })
  for (let step = 0; step < stepsEach; step++) {
    const act = opening[step] ?? one.weighted[draw(one.weighted.length)]!
    did.push(act)
    if (draw(3) === 0) yield* world.leap("1 second")
    yield* one.trouble
    yield* one.acts[act]!()
  }
  may.die = false
  yield* world.control.clear_faults({})
  yield* world.control.rate_limit({ calls: 0 })
  // Late webhooks come, the reconciler looks, orders reach their end, refunds are asked about again.
  yield* later(world, "10 minutes", "1 hour")
  for (const { id, status } of one.mine.disputes()) {
    const outcome = status.startsWith("warning_") ? "warning_closed" : "won"
    yield* Effect.ignore(world.control.decide_dispute({ dispute: id, outcome }))
  }
  for (const { id } of one.mine.refunds()) yield* Effect.ignore(world.control.complete_refund({ refund: id }))
  yield* later(world, "1 hour", "25 hours", "1 hour")
  return { one, did: did.join() }
})

describe("a merchant with an account at Stripe", () => {
  it.live(`has the same books as Stripe after each of ${histories} random histories`, () =>
    Effect.gen(function* () {
      const { layer, may } = mortal()
      const world = yield* worlds({ faults: layer })
      const seen = { sessions: 0, refunds: 0, disputes: 0, inquiries: 0, held: 0, inPart: 0 }
      const failed: Array<string> = []
      for (let seed = firstSeed; seed < firstSeed + histories && failed.length < failuresMax; seed++) {
        const { did, one } = yield* history(world, may, seed)
        const where = `HISTORY_SEED=${seed}: ${did}`
        const whole = Effect.andThen(assertEqualBooks(world, one, where), assertLedgerWhole(world.sql))
        const exit = yield* Effect.exit(whole)
        if (Exit.isFailure(exit)) failed.push(`${where}: ${Cause.pretty(exit.cause)}`)
        for (const { status } of one.mine.sessions()) seen.sessions += status === "complete" ? 1 : 0
        seen.refunds += one.mine.refunds().length
        seen.disputes += one.mine.disputes().length
        seen.inquiries += one.mine.disputes().filter(({ status }) => status === "warning_closed").length
        seen.held += one.mine.held().length
        seen.inPart += world.simulator
          .all("payment_intent", accountOf(one.key))
          .filter(({ amount, amount_received: received }) => received > 0 && received < amount).length
        if (isSoak) process.stdout.write(`HISTORY_SEED=${seed}: ${Exit.isSuccess(exit) ? "equal" : failed.at(-1)}\n`)
        // Its account is no longer asked, so that a history costs the same as the one before.
        yield* world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
      }
      const { text } = yield* world.api.get("/metrics")
      const limited = Number(
        /coffer_stripe_calls_total\{mode="sandbox",outcome="rate_limited"\S* (\d+)/.exec(text)?.[1]
      )
      process.stdout.write(`\n${histories} histories: ${JSON.stringify({ ...seen, limited, deaths: may.deaths })}\n`)
      assert.deepStrictEqual(failed, [])
      assert.isAbove(seen.sessions, histories / 2, "they are about payments")
    })
  )
})
