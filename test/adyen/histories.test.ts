/**
 * Random histories of a merchant with an account at Adyen: answers are lost, notices come twice, late, in another order
 * or never, fibers die between Adyen's answer and our commit, buyers pay in links that have ended, amounts are held,
 * captured in part or released, refunds are refused or come back, disputes are answered and decided. When all is over, our books and Adyen's are equal to the minor unit,
 * and each refund was asked for once. Each history has a seed, which is printed when it fails. `HISTORY_SEED` is the
 * seed of the first one, and `HISTORIES` says how many there are.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { seeded } from "../kit/Process.ts"
import { rounds } from "../kit/run/soak.ts"
import { assertEqualBooks, connect, type Connected, type Made, type World, worlds } from "./kit.ts"

const histories = Number(process.env["HISTORIES"] ?? rounds(6, 1_000))
/** The next history has the next number. */
const firstSeed = Number(process.env["HISTORY_SEED"] ?? rounds(3, 1_001))
/** Further ones would show nothing new. */
const failuresMax = 5
const stepsEach = 22
/** Each begins with orders that a buyer is about to pay. */
const opening = [0, 1, 2, 0, 1, 2, 0, 1]
/** So many of a hundred steps begin with something that goes wrong. */
const troubles = 30

type Draw = (limit: number) => number

/** A fiber dies, before or after what happens there, as the process might. */
const mortal = () => {
  const may = { die: false, deaths: 0, draw: seeded(0) }
  const meant = (point: string, detail: string) =>
    ["RefundChannel.refund", "DisputeChannel.submit", "DisputeChannel.accept", "HoldChannel.ask"].includes(point) ||
    (point === "Store.write" && detail.startsWith("adyen_"))
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

const calls = [
  "POST /v72/paymentLinks",
  "GET /v72/paymentLinks/*",
  "PATCH /v72/paymentLinks/*",
  "POST /v72/payments/*",
  "POST /ca/*"
]
const kinds = ["cut_before", "cut_after", "error_before", "error_after", "rate_limited"] as const
const variants = ["visa", "mc", "amex"]

/** Events after which the bank says nothing more. */
const last = ["DISPUTE_DEFENSE_PERIOD_ENDED", "ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "SECOND_CHARGEBACK"]

const live = (world: Connected, draw: Draw) => {
  const { bank, shop, simulator } = world
  const orders: Array<Made> = []
  const one = <A>(list: ReadonlyArray<A>): A | undefined => list[draw(list.length || 1)]
  const withOrder = (act: (order: Made) => Effect.Effect<unknown, unknown>) => {
    const order = one(orders)
    return order === undefined ? Effect.void : act(order)
  }
  const open = () => [...bank.disputes.values()].filter(({ event }) => !last.includes(event))

  const trouble = Effect.sync(() => {
    if (draw(100) >= troubles) return
    if (draw(2) === 0) {
      const kind = kinds[draw(kinds.length)]!
      simulator.faults.add({ on: calls[draw(calls.length)]!, kind, times: kind.startsWith("cut") ? 2 : 1 })
    } else {
      const kind = (["twice", "late", "swap", "lose"] as const)[draw(4)]!
      // Adyen sends a notice until it is acknowledged. A lost one is found in a report, which tells of payments.
      simulator.faults.add({ on: kind === "lose" ? "webhook AUTHORISATION" : "webhook *", kind })
    }
  })

  const decideDispute = Effect.sync(() => {
    const dispute = one(open())
    if (dispute === undefined) return
    if (draw(3) === 0) return bank.charge(dispute)
    if (!dispute.isDefended) return draw(3) === 0 ? bank.end(dispute) : undefined
    if (dispute.event === "CHARGEBACK_REVERSED") return draw(2) === 0 ? bank.win(dispute) : bank.lose(dispute)
    return bank.reverse(dispute)
  })

  /** A payment in our books of which Adyen has the money. */
  const onePaid = Effect.gen(function* () {
    const rows = yield* world.sql<{ readonly payment_id: string }>`select payment_id from orders
      where merchant_id = ${shop.merchantId} and status in ('paid', 'partially_refunded') and amount < 50000
      order by trade_no`
    return bank.payments.get(one(rows)?.payment_id ?? "")
  })

  const openDispute = Effect.gen(function* () {
    const payment = yield* onePaid
    const isDisputed = [...bank.disputes.values()].some((dispute) => dispute.payment === payment)
    // What is on its way back is not disputed.
    if (payment !== undefined && payment.refunded === 0 && !isDisputed) bank.open(payment)
  })

  const refund = Effect.gen(function* () {
    const payment = yield* onePaid
    if (payment === undefined) return
    yield* shop.refund({ trade_no: payment.reference, ...(draw(2) === 0 ? {} : { amount: 1 + draw(400) }) })
  })

  const answerDispute = Effect.gen(function* () {
    const { body } = yield* shop.get("/v1/disputes")
    const dispute = one<{ readonly dispute_no: string }>(body.data.data)
    if (dispute === undefined) return
    const evidence = { evidence: { product_description: `Tea ${draw(2)}` }, submit: true }
    yield* draw(3) === 0 ? shop.accept(dispute.dispute_no) : shop.respond(dispute.dispute_no, evidence)
  })

  const acts: ReadonlyArray<() => Effect.Effect<unknown, unknown>> = [
    () =>
      Effect.map(
        shop.post("/v1/orders", { amount: 500 + draw(5_000), ...(draw(3) === 0 ? { capture: "manual" } : {}) }),
        ({ body }) => void orders.push(body.data)
      ),
    () => withOrder((order) => world.choose(order, ["card", "alipay"][draw(2)]!)),
    () =>
      withOrder((order) =>
        Effect.sync(() => {
          // A buyer has no other address: a link whose answer was lost for good is unreachable.
          const link = one(world.links(order))
          if (link === undefined) return
          const refused = draw(4) === 0 ? { refused: "Refused" } : {}
          bank.pay(link.id, { variant: variants[draw(variants.length)]!, late: draw(8) === 0, ...refused })
        })
      ),
    () => withOrder((order) => world.page(order, "?returned=1")),
    () => withOrder((order) => shop.post(`/v1/orders/${order.trade_no}/expire`)),
    () => refund,
    () =>
      Effect.sync(() => {
        const modification = one([...bank.modifications.values()])
        if (modification === undefined) return
        const outcome = (["done", "done", "refused", "failed"] as const)[draw(4)]!
        // A whole payment that comes back late is for a person, and so is a capture that fails after it was told.
        const isOfHold = ["CAPTURE", "CANCELLATION"].includes(modification.kind)
        if (isOfHold && outcome === "failed") return
        if (isOfHold || modification.kind === "REFUND" || outcome === "done")
          bank.decide(modification.pspReference, outcome)
      }),
    () => openDispute,
    () => decideDispute,
    () => answerDispute,
    () => world.settled,
    () => world.leap(`${1 + draw(90)} seconds`),
    () => world.pass(`${1 + draw(4)} minutes`),
    () => Effect.sync(() => bank.closeBatch()),
    () => withOrder(({ trade_no }) => shop.capture(trade_no, draw(2) === 0 ? {} : { amount: 1 + draw(500) })),
    () =>
      Effect.sync(() => {
        const held = one([...bank.payments.values()].filter(({ hold }) => hold === "held"))
        if (held === undefined) return
        if (draw(2) === 0) bank.expire(held)
        else bank.captureByHand(held, 1 + draw(held.amount))
      })
  ]
  /** The first acts come more often, since the others need what they make. */
  const weighted = [
    0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 10, 11, 12, 13, 14, 14, 14, 15
  ]
  return { acts, weighted, trouble, open }
}

/** One merchant's history from its beginning until nothing is open any more. */
const history = Effect.fnUntraced(function* (base: World, may: ReturnType<typeof mortal>["may"], seed: number) {
  const draw = seeded(seed)
  const world = yield* connect(base)
  const { bank, leap, settled, simulator } = world
  yield* world.paid({ amount: 50_000 })
  const one = live(world, draw)
  const did: Array<number> = []
  Object.assign(may, { die: true, draw: seeded(seed + 1_000_000) })
  for (let step = 0; step < stepsEach; step++) {
    const act = opening[step] ?? one.weighted[draw(one.weighted.length)]!
    did.push(act)
    yield* one.trouble
    yield* Effect.ignore(one.acts[act]!())
  }
  may.die = false
  simulator.faults.clear()
  // Late notices come, the reports tell of lost ones, orders reach their end, refunds are asked about again.
  const later = Effect.gen(function* () {
    yield* settled
    bank.closeBatch()
    yield* leap("7 hours")
    yield* settled
  })
  yield* later
  for (const dispute of one.open())
    yield* Effect.sync(() => (dispute.isDefended ? bank.win(dispute) : bank.end(dispute)))
  yield* Effect.andThen(later, leap("20 hours"))
  // What is still held comes to its end.
  if ([...bank.payments.values()].some(({ hold }) => hold === "held")) yield* leap("8 days")
  for (const id of bank.modifications.keys()) bank.decide(id, "done")
  yield* later
  for (const id of bank.modifications.keys()) bank.decide(id, "done")
  yield* later
  return { world, did: did.join() }
})

describe("a merchant with an account at Adyen", () => {
  it.live(`has the same books as Adyen after each of ${histories} random histories`, () =>
    Effect.gen(function* () {
      const { layer, may } = mortal()
      const base = yield* worlds({ faults: layer })
      const seen = { payments: 0, captures: 0, releases: 0, refunds: 0, returns: 0, disputes: 0 }
      const failed: Array<string> = []
      for (let seed = firstSeed; seed < firstSeed + histories && failed.length < failuresMax; seed++) {
        const { did, world } = yield* history(base, may, seed)
        const { bank } = world
        const where = `HISTORY_SEED=${seed}: ${did}`
        const exit = yield* Effect.exit(Effect.andThen(assertEqualBooks(world, where), assertLedgerWhole(base.sql)))
        if (Exit.isFailure(exit)) failed.push(`${where}: ${Cause.pretty(exit.cause)}`)
        seen.payments += bank.payments.size
        const held = (state: string) => [...bank.payments.values()].filter(({ hold }) => hold === state).length
        if (held("held") > 0) failed.push(`${where}: a hold has no end`)
        seen.captures += held("captured")
        seen.releases += held("released")
        const asked = (of: string) => [...bank.modifications.values()].filter(({ kind }) => kind === of).length
        seen.refunds += asked("REFUND")
        seen.returns += asked("CANCEL_OR_REFUND")
        seen.disputes += bank.disputes.size
        // Its account is no longer asked, so that a history costs the same as the one before.
        yield* base.sql`update adyen_reports set due_at = '9999-12-31'`
      }
      process.stdout.write(`\n${histories} histories: ${JSON.stringify({ ...seen, deaths: may.deaths })}\n`)
      assert.deepStrictEqual(failed, [])
      assert.isAbove(seen.payments, histories, "they are about payments")
    })
  )
})
