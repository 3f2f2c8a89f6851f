/** Stripe, for the suite: by the simulator, which has the test's clock, and one account for each law. */
import { accountOf } from "@coffer/simulator/start"
import { Effect, Layer } from "effect"
import type { Order } from "@coffer/rules/order/Order"
import { withoutBreaker } from "../../stripe/cells.ts"
import { connectedAs, worlds } from "../../stripe/kit.ts"
import type { Act, Call, Harness, Own } from "./Harness.ts"

/** What each call of the port asks for at Stripe. */
const asks: Readonly<Record<Call, string>> = {
  begin: "POST /v1/checkout/sessions",
  lookUp: "GET /v1/checkout/sessions/*",
  cancel: "POST /v1/checkout/sessions/*/expire",
  giveBack: "POST /v1/refunds",
  refund: "POST /v1/refunds",
  submit: "POST /v1/disputes/*",
  accept: "POST /v1/disputes/*/close",
  status: "GET /v1/disputes/*",
  capture: "POST /v1/payment_intents/*/capture",
  release: "POST /v1/payment_intents/*/cancel"
}
const buyers: Readonly<Record<Act, object>> = {
  pays: { authorises: true },
  declines: { with: "4000000000000002" },
  fails: {},
  "leaves for the wallet": {},
  "pays later": { processing: 600 }
}

export const stripe: Harness = {
  name: "stripe",
  lacks: {
    sums: "a session of Stripe takes the amount that it was made for",
    fails: "a session stays payable after each attempt until it expires",
    withdraws: "Stripe tells of a withdrawn chargeback as of one that is won"
  },
  world: Effect.gen(function* () {
    const [breaker, never] = withoutBreaker
    const world = yield* worlds({ beneath: Layer.succeed(breaker, never) })
    const { control } = world
    return { running: world, account: (merchant) => accountAt(world, control, merchant) }
  })
}

type World = Effect.Success<ReturnType<typeof worlds>>

interface Endpoint {
  readonly url: string
  readonly secret: string
}

const accountAt = Effect.fnUntraced(function* (
  world: World,
  control: World["control"],
  { merchantId }: { readonly merchantId: string }
) {
  // What an earlier law has broken or held back is not this one's; and its account is not looked at any more.
  yield* control.clear_faults({})
  yield* control.release_webhooks({})
  yield* Effect.andThen(control.rest({}), world.atRest)
  yield* world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
  const key = `sk_test_${merchantId.replace("mer_", "")}`
  const { secret, url } = yield* connectedAs(world, { merchantId }, key)
  const view = viewOf(world, merchantId, key)
  const { calm, fault } = view
  const own: Own & { readonly endpoint: Endpoint } = {
    endpoint: { url, secret: secret! },
    rest: Effect.andThen(control.rest({}), world.atRest),
    asked: true,
    away: true,
    page: true,
    books: (order) => booksOf(view, order),
    ...buyersOf(view),
    ...banksOf(view),
    holds: holdsOf(view),
    notices: noticesOf(view, { url, secret: secret! }),
    reachable: (is) => (is ? calm : fault("* /v1/*", "cut_before", 10_000)),
    wire: {
      // The client makes a call whose connection was cut once more.
      lose: (call, when, how) =>
        how === "failure" ? fault(asks[call], `error_${when}`) : fault(asks[call], `cut_${when}`, 2),
      calm
    },
    crowd: (call) => fault(asks[call], "rate_limited", 20, { reason: "endpoint-rate" }),
    key: {
      revoke: Effect.asVoid(control.revoke_key({ key })),
      restore: Effect.asVoid(control.restore_key({ key }))
    },
    clock: { ahead: Effect.asVoid(control.advance({ seconds: 120 })) }
  }
  return own
})

/** One account at the simulator. */
const viewOf = (world: World, merchantId: string, key: string) => {
  const account = accountOf(key)
  const { control } = world
  const all: World["simulator"]["all"] = (kind) => world.simulator.all(kind, account)
  const intents = (order: Order) =>
    all("payment_intent").flatMap(({ id, metadata }) => (metadata["coffer_trade_no"] === order.tradeNo ? [id] : []))
  return {
    world,
    control,
    merchantId,
    all,
    intents,
    client: world.clientOf(key),
    sessions: ({ tradeNo }: Order) =>
      all("checkout.session").filter(({ client_reference_id }) => client_reference_id === tradeNo),
    charge: (order: Order) => {
      const numbers = intents(order)
      return all("charge").findLast(({ paid, payment_intent }) => paid && numbers.includes(String(payment_intent)))!.id
    },
    refund: (refundNo: string) => all("refund").find(({ metadata }) => metadata?.["coffer_refund_no"] === refundNo)!.id,
    fault: (call: string, kind: Parameters<typeof control.fault>[0]["kind"], times = 1, more: object = {}) =>
      Effect.asVoid(control.fault({ on: call, kind, times, account, ...more })),
    calm: Effect.asVoid(control.clear_faults({ account }))
  }
}
type View = ReturnType<typeof viewOf>

const buyersOf = ({ control, sessions, world }: View): Pick<Own, "acts" | "processes"> => ({
  acts: (order, act, method) =>
    Effect.suspend(() => {
      const session = sessions(order).findLast(({ status }) => status === "open")
      const wallet = method === "card" ? {} : { with: method }
      return Effect.asVoid(control.pay({ session: session!.id, ...wallet, ...buyers[act] }))
    }),
  processes: { ends: () => world.leap("11 minutes") }
})

const holdsOf = ({ client, fault, intents }: View): NonNullable<Own["holds"]> => {
  const byHand = (order: Order, act: (intent: string) => Promise<unknown>) =>
    Effect.asVoid(Effect.promise(() => act(intents(order).at(-1)!)))
  return {
    captures: (order, part) =>
      byHand(order, (id) => client.paymentIntents.capture(id, part === undefined ? {} : { amount_to_capture: part })),
    ends: (order) => byHand(order, (id) => client.paymentIntents.cancel(id)),
    refuses: () => fault(asks.capture, "refused", 1, { code: "card_declined" })
  }
}

const booksOf = Effect.fnUntraced(function* ({ all, intents, sessions, world }: View, order: Order) {
  // Of a session whose answer was a failure nobody has the address: no buyer can pay in it, and it runs out.
  const known = yield* world.sql`select session_id from stripe_sessions where trade_no = ${order.tradeNo}`
  const told = (id: string) => known.some(({ session_id }) => session_id === id)
  const numbers = intents(order)
  const of = <A extends { readonly payment_intent?: unknown }>(some: ReadonlyArray<A>) =>
    some.filter(({ payment_intent }) => numbers.includes(String(payment_intent)))
  const disputes = of(all("dispute"))
  const failed: ReadonlyArray<unknown> = ["failed", "canceled"]
  return {
    open: sessions(order).filter(({ id, status }) => status === "open" && told(id)).length,
    paid: of(all("charge")).flatMap(({ amount_captured, captured }) => (captured ? [amount_captured] : [])),
    held: of(all("payment_intent").map((each) => ({ ...each, payment_intent: each.id }))).flatMap(
      ({ amount_capturable: amount }) => (amount > 0 ? [amount] : [])
    ),
    refunded: of(all("refund")).flatMap(({ amount, status }) => (failed.includes(status) ? [] : [amount])),
    answers: disputes.reduce((sum, each) => sum + each.evidence_details.submission_count, 0),
    isConceded: disputes.some(({ status }) => status === "lost")
  }
})

type Banks = Pick<Own, "disputes" | "decides" | "pends" | "settles" | "sendsBack" | "inquiries">

const banksOf = ({ all, charge, control, refund }: View): Banks => {
  const decides = (order: Order, outcome: Parameters<typeof control.decide_dispute>[0]["outcome"]) =>
    Effect.suspend(() => {
      const { id } = all("dispute").findLast((each) => each.charge === charge(order))!
      return Effect.asVoid(control.decide_dispute({ dispute: id, outcome }))
    })
  const opens = (order: Order, how: object = {}) =>
    Effect.suspend(() => Effect.asVoid(control.open_dispute({ charge: charge(order), ...how })))
  const settles: Own["settles"] = (refundNo, outcome) =>
    Effect.suspend(() => {
      const of = { refund: refund(refundNo) }
      return Effect.asVoid(outcome === "succeeded" ? control.complete_refund(of) : control.fail_refund(of))
    })
  return {
    disputes: (order, amount) => opens(order, amount === undefined ? {} : { amount }),
    decides,
    pends: Effect.as(control.refund_fates({ fates: ["pends"] }), "card" as const),
    settles,
    sendsBack: (refundNo) => settles(refundNo, "failed"),
    inquiries: {
      opens: (order) => opens(order, { is_inquiry: true }),
      escalates: (order) => decides(order, "escalated"),
      closes: (order) => decides(order, "warning_closed")
    }
  }
}

const noticesOf = (
  { all, calm, client, control, fault, merchantId, world }: View,
  own: Endpoint
): NonNullable<Own["notices"]> => {
  /** All events so far, sent to this endpoint. */
  const post = Effect.fnUntraced(function* ({ secret, url }: Endpoint) {
    const { now } = yield* control.state({})
    for (const event of all("event")) {
      const raw = JSON.stringify(event)
      const signature = client.webhooks.generateTestHeaderString({ payload: raw, secret, timestamp: now })
      const headers = { "Content-Type": "application/json", "Stripe-Signature": signature }
      yield* world.api.call("POST", new URL(url).pathname, { raw, headers })
    }
  })
  const dueNow = world.sql`update stripe_polls set due_at = '2000-01-01' where merchant_id = ${merchantId}`
  return {
    hold: Effect.asVoid(control.hold_webhooks({})),
    release: (order) =>
      Effect.asVoid(control.release_webhooks({ order: order === "oldest first" ? "oldest_first" : "newest_first" })),
    again: (how) => post(how === undefined ? own : { ...own, secret: "whsec_ofSomebodyElse" }),
    astray: (stranger) => post((stranger as Own & { readonly endpoint: Endpoint }).endpoint),
    lose: fault("webhook *", "lose", 100),
    find: Effect.andThen(Effect.andThen(dueNow, calm), world.pass("5 minutes"))
  }
}
