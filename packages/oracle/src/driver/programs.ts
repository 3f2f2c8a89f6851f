/**
 * Random programs. A step knows what it does and a seed of its own; the call is made of these and of what is there when
 * its turn comes, so that a program from which steps were taken out still makes sense.
 */
import type { Call, Oracle } from "../Oracle.ts"
import type { Account } from "../state.ts"
import { days, hours, minutes, seconds } from "../values.ts"
import {
  type Numbered,
  refOf,
  orderRef,
  refundRef,
  disputeRef,
  amountOf,
  words,
  metadataOf,
  body,
  maybe,
  ownNoOf,
  emails,
  outcomes,
  methods
} from "./inputs.ts"
import { type Draw, drawFrom } from "./random.ts"

export interface Step {
  readonly does: string
  readonly merchant: number
  readonly seed: number
}

export type Act = { readonly call: Call } | { readonly pass: number }

/** How often each is drawn. */
const weights: Readonly<Record<string, number>> = {
  create: 14,
  pay: 18,
  expire: 5,
  readOrder: 3,
  updateOrder: 5,
  sendReceipt: 4,
  refund: 16,
  readRefund: 2,
  updateRefund: 2,
  settle: 6,
  dispute: 5,
  readDispute: 2,
  evidence: 6,
  readEvidence: 2,
  accept: 3,
  resolve: 5,
  createLink: 3,
  readLink: 1,
  updateLink: 3,
  createEndpoint: 2,
  readEndpoint: 1,
  updateEndpoint: 2,
  deleteEndpoint: 1,
  rotate: 1,
  payout: 4,
  readPayout: 1,
  review: 5,
  readEvent: 2,
  list: 8,
  balance: 3,
  channel: 2,
  badCall: 2,
  again: 8,
  pass: 7
}
const drawn = Object.entries(weights).flatMap(([does, weight]) => Array.from({ length: weight }, () => does))

export const programOf = (seed: number, length: number, merchants: number): ReadonlyArray<Step> => {
  const draw = drawFrom(seed)
  return Array.from({ length }, () => ({
    does: draw.of(drawn),
    // Mostly one merchant, so that much meets; the others see that nothing of it is theirs.
    merchant: draw.once(8) ? draw.int(merchants) : 0,
    seed: draw.int(2 ** 31)
  }))
}

/** What a step does now. `earlier`: the calls with a key until now. */
export const actOf = (step: Step, oracle: Oracle, earlier: ReadonlyArray<Call>): Act => {
  const draw = drawFrom(step.seed)
  if (step.does === "pass") return passing(oracle, draw)
  if (step.does === "again" && earlier.length > 0) return { call: repeated(draw.of(earlier.slice(-12)), draw) }
  const account = oracle.accounts[step.merchant]!
  const [needed, maker] = needs[step.does] ?? []
  const isBare = needed !== undefined && account[needed].length === 0 && !draw.once(10)
  const does = isBare && maker !== undefined ? maker : step.does
  const made = (makers[account.orders.length === 0 && makesOfOrders.has(does) ? "create" : does] ?? makers["create"]!)(
    account,
    draw,
    oracle
  )
  const key = draw.once(4) && made.method !== "GET" && made.key !== "operator" ? `key-${draw.int(6)}` : undefined
  return { call: { merchant: step.merchant, key: "sandbox", idempotencyKey: key, ...made } as Call }
}

const makesOfOrders: ReadonlySet<string> = new Set(["pay", "refund", "dispute", "expire", "updateOrder", "sendReceipt"])

/** What a step is about, and what is done instead where there is none. */
const needs: Readonly<Record<string, readonly ["refunds" | "disputes" | "links" | "endpoints" | "payouts", string]>> = {
  readRefund: ["refunds", "refund"],
  updateRefund: ["refunds", "refund"],
  settle: ["refunds", "refund"],
  readDispute: ["disputes", "dispute"],
  evidence: ["disputes", "dispute"],
  readEvidence: ["disputes", "dispute"],
  accept: ["disputes", "dispute"],
  resolve: ["disputes", "dispute"],
  readLink: ["links", "createLink"],
  updateLink: ["links", "createLink"],
  readEndpoint: ["endpoints", "createEndpoint"],
  updateEndpoint: ["endpoints", "createEndpoint"],
  rotate: ["endpoints", "createEndpoint"],
  readPayout: ["payouts", "payout"],
  review: ["payouts", "payout"]
}

/** While a bank is away nobody knows when it is asked again, so it comes back first. */
const passing = (oracle: Oracle, draw: Draw): Act => {
  const away = oracle.accounts.findIndex(({ reachable }) => !reachable)
  if (away !== -1) {
    return { call: { merchant: away, key: "sandbox", method: "POST", path: channel, body: { reachable: true } } }
  }
  // Long ones are rare: the service looks around at each hour of them.
  if (draw.once(400)) return { pass: 91 * days }
  if (draw.once(12)) return { pass: 8 * days }
  const spans = [1 * seconds, 5 * seconds, 1 * minutes, 11 * minutes, 31 * minutes, 1 * hours, 1 * hours, 1 * days]
  return { pass: draw.of(spans) }
}

const channel = "/v1/test_helpers/channel"

const repeated = (call: Call, draw: Draw): Call => {
  if (!draw.once(4)) return call
  return { ...call, body: { ...(call.body as object), amount: 1 + draw.int(900) } }
}

type Made = Partial<Call> & Pick<Call, "method" | "path">
type Maker = (account: Account, draw: Draw, oracle: Oracle) => Made

const listPaths: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["orders", ["status=paid", "status=open", "metadata[cart]=1", "out_trade_no=no-1"]],
  ["refunds", ["status=failed", "status=x"]],
  ["disputes", ["status=lost", "status=under_review"]],
  ["balance_transactions", ["type=fee_debit", "currency=HKD", "type=none"]],
  ["events", []],
  ["payment_links", []],
  ["webhook_endpoints", []]
]

const listed: Maker = (account, draw, oracle) => {
  const [name, filters] = draw.of(listPaths)
  const query = [maybe(draw, 2, `limit=${draw.of([1, 2, 3, 100, 0, 101, "x"])}`)]
  if (filters.length > 0 && draw.once(2)) query.push(draw.of(filters))
  if (draw.once(20)) query.push("staus=paid")
  if (draw.once(4) && /refunds|disputes/.test(name)) query.push(`trade_no=${orderRef(account, draw, oracle)}`)
  if (draw.once(4) && name === "balance_transactions") query.push(`reference_id=${orderRef(account, draw, oracle)}`)
  if (draw.once(4) && name === "events") query.push(`object_id=${orderRef(account, draw, oracle)}`)
  const things: Readonly<Record<string, ReadonlyArray<Numbered>>> = {
    orders: account.orders,
    refunds: account.refunds,
    disputes: account.disputes,
    balance_transactions: account.rows,
    events: account.events
  }
  const rows = things[name] ?? []
  if (rows.length > 0 && draw.once(2)) {
    query.push(`${draw.of(["starting_after", "ending_before"])}=${draw.of(rows).no.value}`)
  }
  if (draw.once(5)) query.push(`created[${draw.of(["gte", "lte"])}]=${Math.floor(oracle.now / 1000) - draw.int(5000)}`)
  if (draw.once(30)) query.push("created[gte]=soon")
  return {
    method: "GET",
    path: `/v1/${name}?${query.filter((part) => part !== undefined).join("&")}`.replace(/\?$/, "")
  }
}

const badCalls: ReadonlyArray<Made> = [
  { method: "GET", path: "/v1/orders", key: "none" },
  { method: "POST", path: "/v1/refunds", key: "wrong", body: {} },
  { method: "GET", path: "/v1/balance", key: "live" },
  { method: "POST", path: "/v1/orders", key: "live", body: { amount: 100 } },
  { method: "GET", path: "/v1/nothing" },
  { method: "DELETE", path: "/v1/orders/x" },
  { method: "POST", path: "/v1/orders", body: { amount: 100 }, idempotencyKey: "k".repeat(256) }
]

const makers: Readonly<Record<string, Maker>> = {
  create: (_, draw) => ({
    method: "POST",
    path: "/v1/orders",
    body: body({
      amount: draw.once(40) ? undefined : amountOf(draw),
      out_trade_no: ownNoOf(draw),
      currency: draw.of([undefined, undefined, undefined, "HKD", "CNY", "EUR"]),
      subject: maybe(draw, 4, draw.of<unknown>(words)),
      metadata: maybe(draw, 2, metadataOf(draw)),
      receipt_email: maybe(draw, 6, draw.of(emails)),
      locale: maybe(draw, 8, draw.of(["zh", "en", "de"])),
      return_url: maybe(draw, 10, draw.of(["https://shop.example/back?no={TRADE_NO}", "back"])),
      notify_url: maybe(draw, 12, draw.of(["http://127.0.0.1:9/hook", "ftp://shop.example"])),
      mode: maybe(draw, 20, "live")
    })
  }),
  pay: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/orders/${orderRef(account, draw, oracle)}/pay`,
    body: body({
      payment_method: draw.of([undefined, ...methods, ...(draw.once(10) ? ["cash"] : [])]),
      outcome: draw.of([undefined, ...outcomes]),
      amount: maybe(draw, 12, amountOf(draw, 500))
    })
  }),
  expire: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/orders/${orderRef(account, draw, oracle)}/expire`
  }),
  readOrder: (account, draw, oracle) => ({ method: "GET", path: `/v1/orders/${orderRef(account, draw, oracle)}` }),
  updateOrder: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/orders/${orderRef(account, draw, oracle)}`,
    body: body({ metadata: metadataOf(draw), receipt_email: maybe(draw, 3, draw.of(emails)) })
  }),
  sendReceipt: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/orders/${orderRef(account, draw, oracle)}/send_receipt`,
    body: body({ email: maybe(draw, 2, draw.of(emails)) })
  }),
  refund: (account, draw, oracle) => ({
    method: "POST",
    path: "/v1/refunds",
    body: body({
      trade_no: draw.once(40) ? undefined : decodeURIComponent(orderRef(account, draw, oracle)),
      out_refund_no: draw.once(4) ? `r-${draw.int(8)}` : undefined,
      amount: draw.once(3) ? undefined : draw.once(30) ? null : amountOf(draw, 6_000),
      reason: maybe(draw, 5, draw.of<unknown>(words)),
      metadata: maybe(draw, 6, metadataOf(draw))
    })
  }),
  readRefund: (account, draw, oracle) => ({ method: "GET", path: `/v1/refunds/${refundRef(account, draw, oracle)}` }),
  updateRefund: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/refunds/${refundRef(account, draw, oracle)}`,
    body: body({ metadata: metadataOf(draw) })
  }),
  settle: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/refunds/${refundRef(account, draw, oracle)}/settle`,
    body: { outcome: draw.of(["succeeded", "succeeded", "failed", "failed", draw.once(5) ? "lost" : "failed"]) }
  }),
  dispute: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/orders/${orderRef(account, draw, oracle)}/dispute`,
    body: body({
      amount: maybe(draw, 2, amountOf(draw, 9_000)),
      reason: maybe(draw, 6, "product_not_received"),
      evidence_due_by: maybe(draw, 6, null)
    })
  }),
  readDispute: (account, draw, oracle) => ({
    method: "GET",
    path: `/v1/disputes/${disputeRef(account, draw, oracle)}`
  }),
  evidence: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/disputes/${disputeRef(account, draw, oracle)}/evidence`,
    body: body({
      evidence: draw.of<unknown>([
        undefined,
        {},
        { customer_name: "Ann" },
        { customer_name: "Ann", refund_policy_disclosure: "none\nat all" },
        { customer_name: " " },
        { customer: "Ann" },
        { customer_name: "x".repeat(5001) },
        null
      ]),
      submit: draw.of<unknown>([undefined, undefined, true, true, false, "yes"])
    })
  }),
  readEvidence: (account, draw, oracle) => ({
    method: "GET",
    path: `/v1/disputes/${disputeRef(account, draw, oracle)}/evidence`
  }),
  accept: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/disputes/${disputeRef(account, draw, oracle)}/accept`
  }),
  resolve: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/disputes/${disputeRef(account, draw, oracle)}/resolve`,
    body: { outcome: draw.of(["won", "lost", "lost", "closed"]) }
  }),
  createLink: (_, draw, oracle) => ({
    method: "POST",
    path: "/v1/payment_links",
    body: body({
      amount: draw.once(20) ? undefined : amountOf(draw),
      currency: maybe(draw, 3, draw.of(["CNY", "EUR"])),
      subject: maybe(draw, 3, draw.of<unknown>(words)),
      max_uses: maybe(draw, 3, draw.of<unknown>([1, 3, 0, "2"])),
      expires_at: maybe(draw, 4, new Date(oracle.now + draw.of([-1, 1]) * hours).toISOString()),
      metadata: maybe(draw, 3, metadataOf(draw))
    })
  }),
  readLink: (account, draw, oracle) => ({
    method: "GET",
    path: `/v1/payment_links/${refOf(({ links }) => links, account, draw, oracle)}`
  }),
  updateLink: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/payment_links/${refOf(({ links }) => links, account, draw, oracle)}`,
    body: body({
      status: draw.of([undefined, "inactive", "active", "used_up"]),
      subject: maybe(draw, 3, draw.of<unknown>(words)),
      max_uses: maybe(draw, 3, draw.of<unknown>([1, 0])),
      metadata: maybe(draw, 2, metadataOf(draw)),
      amount: maybe(draw, 10, 5)
    })
  }),
  createEndpoint: (_, draw) => ({
    method: "POST",
    path: "/v1/webhook_endpoints",
    body: body({
      url: draw.of<unknown>(["http://127.0.0.1:9/hook", "http://127.0.0.1:9/other", "shop", undefined]),
      description: maybe(draw, 3, "the shop's"),
      enabled_events: draw.of<unknown>([undefined, ["*"], ["refund.failed"], [], ["payment.lost"]]),
      // Whether it is disabled in the end depends on how its address answers.
      disable_when_failing: maybe(draw, 5, false)
    })
  }),
  readEndpoint: (account, draw, oracle) => ({ method: "GET", path: endpointPath(account, draw, oracle) }),
  updateEndpoint: (account, draw, oracle) => ({
    method: "POST",
    path: endpointPath(account, draw, oracle),
    body: body({
      status: maybe(draw, 3, draw.of(["enabled", "paused", "disabled", "off"])),
      disabled: maybe(draw, 3, draw.of([true, false])),
      description: maybe(draw, 3, "another")
    })
  }),
  deleteEndpoint: (account, draw, oracle) => ({ method: "DELETE", path: endpointPath(account, draw, oracle) }),
  rotate: (account, draw, oracle) => ({
    method: "POST",
    path: `${endpointPath(account, draw, oracle)}/rotate_secret`
  }),
  payout: (account, draw) => ({
    method: "POST",
    key: "operator",
    path: `/operator/v1/merchants/${account.merchantId}/payouts`,
    body: body({
      mode: "sandbox",
      currency: draw.of(["USD", "USD", "HKD"]),
      amount: amountOf(draw, 9_000),
      reference: maybe(draw, 3, `p-${draw.int(3)}`)
    })
  }),
  readPayout: (account, draw) => ({ method: "GET", key: "operator", path: payoutPath(account, draw) }),
  review: (account, draw) => ({
    method: "POST",
    key: "operator",
    path: `${payoutPath(account, draw)}/${draw.of(["approve", "approve", "reject", "complete", "complete", "fail"])}`
  }),
  readEvent: (account, draw, oracle) => ({
    method: "GET",
    path: `/v1/events/${refOf(({ events }) => events, account, draw, oracle)}`
  }),
  list: listed,
  balance: (_, draw) => ({
    method: "GET",
    path: `/v1/balance${draw.of(["", "?currency=USD", "?currency=HKD", "?currency=CNY", "?currency=EUR"])}`
  }),
  channel: (_, draw) => ({ method: "POST", path: channel, body: { reachable: draw.once(2) } }),
  badCall: (_, draw) => draw.of(badCalls)
}

const endpointPath = (account: Account, draw: Draw, oracle: Oracle) =>
  `/v1/webhook_endpoints/${refOf(({ endpoints }) => endpoints, account, draw, oracle)}`

const payoutPath = (account: Account, draw: Draw) =>
  `/operator/v1/payouts/${account.payouts.length === 0 ? "unknown" : draw.of(account.payouts.slice(-4)).no.value}`
