/**
 * The work of merchants, buyers' banks and the operator with money, each as a list of steps that can be taken again
 * from the start after no answer came: by the same numbers, and only what has not happened yet. Nothing is remembered
 * but those numbers, as after a crash of the merchant's own.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Merchant, Reply } from "../Api.ts"
import { type Json, merchantOf, said } from "../Merchant.ts"
import type { Running } from "../Service.ts"

/** {@link merchantOf}, whose requests are sent until they are answered. */
export interface Shop extends ReturnType<typeof merchantOf> {
  readonly service: Running
  readonly merchant: Merchant
}

export const shopOf = (service: Running, merchant: Merchant): Shop => ({
  ...merchantOf(service, merchant.sandboxKey, insist(service)),
  service,
  merchant
})

export interface Workflow {
  readonly name: string
  /** The state before; nothing fails here. */
  readonly before: (shop: Shop) => Effect.Effect<unknown>
  readonly steps: (shop: Shop) => Effect.Effect<unknown>
  /** Patterns that the books must match at the end, so that a workflow that does nothing twice does not pass. */
  readonly ends: { readonly [Book in "orders" | "refunds" | "disputes" | "payouts"]?: RegExp }
  /** Whether the merchant comes back long after the crash, so that the service has to see to it by itself. */
  readonly away?: true
}

const triesMax = 6
/** A claim's lease is 30 seconds; a bank settles in the sandbox after 60. */
const leaseEnds = "31 seconds"

/** Sends until the request succeeds. Before each retry it passes the time in which a lease of a dead service ends. */
const insist = (service: Running) =>
  Effect.fnUntraced(function* (send: Effect.Effect<Reply>) {
    for (let tries = 1; ; tries++) {
      const reply = yield* send
      if (reply.status < 300) return reply
      assert.isBelow(tries, triesMax, reply.text)
      const again = reply.body.error === "idempotency_in_progress" || reply.status === 503 || reply.status === 502
      assert.isTrue(again, reply.text)
      yield* service.pass(leaseEnds)
    }
  })

const operator = ({ service }: Shop, path: string, body?: object) =>
  said(insist(service)(service.api.operator("POST", path, body)))

/** An order of this number that is paid; a buyer from whom the bank has taken the money does not pay again. */
const paid = Effect.fnUntraced(function* (shop: Shop, number: string, amount: number, method = "card") {
  const order = yield* said(shop.post("/v1/orders", { amount, out_trade_no: number }))
  const { sql } = shop.service
  const taken = yield* Effect.orDie(sql`select 1 from sandbox_payments where trade_no = ${order["trade_no"]}`)
  if (taken.length === 0) yield* shop.post(`/v1/test_helpers/orders/${number}/pay`, { payment_method: method })
})

/** An order to give money back for, and money enough to do it with. */
const sold = (method: string) => (shop: Shop) =>
  Effect.andThen(paid(shop, "other", 5_000), paid(shop, "order", 1_000, method))

const tradeNo = (shop: Shop) => Effect.map(shop.order("order"), (order) => order["trade_no"] as string)

const refund = Effect.fnUntraced(function* (shop: Shop, amount?: number, idempotencyKey?: string) {
  const named = idempotencyKey === undefined ? { out_refund_no: "refund" } : {}
  const body = { trade_no: yield* tradeNo(shop), ...named, ...(amount === undefined ? {} : { amount }) }
  return yield* shop.refund(body, idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey })
})

/** The channel cannot be reached, and then it can. */
const refundedAfterAll = Effect.fnUntraced(function* (shop: Shop) {
  const { api } = shop.service
  const known = yield* api.get("/v1/refunds/refund", shop.merchant.sandboxKey)
  if (known.status === 404) {
    yield* shop.reachable(false)
    const body = { trade_no: yield* tradeNo(shop), out_refund_no: "refund", amount: 400 }
    const refused = yield* api.post("/v1/refunds", shop.merchant.sandboxKey, body)
    assert.include([502, 409, 201, 200], refused.status, refused.text)
  }
  yield* shop.reachable(true)
  yield* refund(shop, 400)
})

/** The channel decides about a refund that it took its time for, unless it has. */
const settled = Effect.fnUntraced(function* (shop: Shop, outcome: "succeeded" | "failed") {
  const { status } = yield* said(shop.get("/v1/refunds/refund"))
  if (status === "pending") yield* shop.settle("refund", outcome)
})

/** The channel has decided, and says so when it is asked. */
const settledSilently = ({ service: { sql } }: Shop) =>
  Effect.orDie(sql`update sandbox_refunds set settles_at = created_at where state = 'pending'`)

/** The buyer goes to the bank once; what it has reported is there, or comes. */
const disputed = Effect.fnUntraced(function* (shop: Shop): Effect.fn.Return<Json> {
  const { sql } = shop.service
  const trade = yield* tradeNo(shop)
  const atBank = yield* Effect.orDie(sql`select 1 from sandbox_disputes where trade_no = ${trade}`)
  if (atBank.length === 0) return yield* said(shop.dispute("order", { amount: 600 }))
  for (let waited = 0; ; waited++) {
    const { data } = yield* said(shop.get("/v1/disputes"))
    if (data.length > 0) return data[0]
    assert.isBelow(waited, triesMax, "the bank's report")
    yield* shop.service.pass("1 minute")
  }
})

const answered = Effect.fnUntraced(function* (shop: Shop, path: "evidence" | "accept") {
  const { dispute_no, status } = yield* disputed(shop)
  if (status !== "needs_response") return
  const evidence = { product_description: "As described." }
  yield* path === "accept" ? shop.accept(dispute_no) : shop.respond(dispute_no, { evidence, submit: true })
})

const resolved = Effect.fnUntraced(function* (shop: Shop, outcome: "won" | "lost" | "closed") {
  const { dispute_no, status } = yield* disputed(shop)
  if (status !== outcome) yield* shop.resolve(dispute_no, outcome)
})

/** Lost, and then won: a dispute that is won already is not lost again. */
const appealed = Effect.fnUntraced(function* (shop: Shop) {
  const { status } = yield* disputed(shop)
  if (status === "won") return
  yield* resolved(shop, "lost")
  yield* resolved(shop, "won")
})

const paidOut = Effect.fnUntraced(function* (shop: Shop, ...steps: ReadonlyArray<readonly [string, string]>) {
  const body = { mode: "sandbox", currency: "USD", amount: 2_000, reference: "payout" }
  const made = yield* operator(shop, `/merchants/${shop.merchant.merchantId}/payouts`, body)
  let status = made["status"]
  for (const [step, from] of steps) {
    if (status === from) ({ status } = yield* operator(shop, `/payouts/${made["payout_no"]}/${step}`))
  }
})

const all =
  (...steps: ReadonlyArray<(shop: Shop) => Effect.Effect<unknown>>) =>
  (shop: Shop) =>
    Effect.forEach(steps, (step) => step(shop), { discard: true })

export const workflows: ReadonlyArray<Workflow> = [
  {
    name: "order paid",
    ends: { orders: /^order paid / },
    before: () => Effect.void,
    steps: (shop) => paid(shop, "order", 1_000)
  },

  {
    name: "refund by card",
    ends: { orders: /^order partially_refunded 400 /, refunds: /^400 succeeded$/ },
    away: true,
    before: sold("card"),
    steps: (shop) => refund(shop, 400)
  },
  {
    name: "refund of all, by Idempotency-Key",
    ends: { orders: /^order refunded 1000 /, refunds: /^1000 succeeded$/ },
    before: sold("card"),
    steps: (shop) => refund(shop, undefined, "key")
  },
  {
    name: "refund by alipay, confirmed",
    ends: { orders: /^order partially_refunded 400 /, refunds: /^400 succeeded$/ },
    before: sold("alipay"),
    steps: all(
      (shop) => refund(shop, 400),
      (shop) => settled(shop, "succeeded")
    )
  },
  {
    name: "refund by alipay, rejected",
    ends: { orders: /^order paid 0 0 /, refunds: /^400 failed$/ },
    before: sold("alipay"),
    steps: all(
      (shop) => refund(shop, 400),
      (shop) => settled(shop, "failed")
    )
  },
  {
    name: "refund by alipay, found out by asking",
    ends: { orders: /^order partially_refunded 400 /, refunds: /^400 succeeded$/ },
    away: true,
    before: sold("alipay"),
    steps: all(
      (shop) => refund(shop, 400),
      settledSilently,
      ({ service }) => service.pass("5 minutes")
    )
  },
  {
    name: "refund while the channel is away",
    ends: { orders: /^order partially_refunded 400 /, refunds: /^400 succeeded$/ },
    before: sold("card"),
    steps: refundedAfterAll
  },

  {
    name: "dispute won with evidence",
    ends: { disputes: /^600 null won / },
    away: true,
    before: sold("card"),
    steps: all(
      disputed,
      (shop) => answered(shop, "evidence"),
      (shop) => resolved(shop, "won")
    )
  },
  {
    name: "dispute lost by acceptance",
    ends: { disputes: /^600 \d+ lost / },
    away: true,
    before: sold("card"),
    steps: all(
      disputed,
      (shop) => answered(shop, "accept"),
      ({ service }) => service.pass("5 minutes")
    )
  },
  {
    name: "dispute lost, then won by appeal",
    ends: { disputes: /^600 \d+ won / },
    before: sold("card"),
    steps: all(disputed, appealed)
  },
  {
    name: "dispute closed by the issuer",
    ends: { disputes: /^600 null closed / },
    before: sold("card"),
    steps: all(disputed, (shop) => resolved(shop, "closed"))
  },

  {
    name: "payout completed",
    ends: { payouts: /^2000 \d+ succeeded$/ },
    before: sold("card"),
    steps: (shop) => paidOut(shop, ["approve", "requested"], ["complete", "approved"])
  },
  {
    name: "payout rejected",
    ends: { payouts: /^2000 \d+ rejected$/ },
    before: sold("card"),
    steps: (shop) => paidOut(shop, ["reject", "requested"])
  },
  {
    name: "payout failed",
    ends: { payouts: /^2000 \d+ failed$/ },
    before: sold("card"),
    steps: (shop) => paidOut(shop, ["approve", "requested"], ["fail", "approved"])
  }
]
