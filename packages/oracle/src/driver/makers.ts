/** The calls of random programs: made from existing objects, sometimes with an invalid value. */
import { isKept } from "../disputes.ts"
import type { Call, Oracle } from "../Oracle.ts"
import { covers, statusOfKey } from "../rights.ts"
import type { Account, Order } from "../state.ts"
import { days, hours } from "../values.ts"
import { isOpen } from "../views.ts"
import {
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
import { badCalls } from "./badCalls.ts"
import { keyMakers } from "./keyMakers.ts"
import { listed } from "./listMaker.ts"
import type { Draw } from "./random.ts"

export const channel = "/v1/test_helpers/channel"

const noteOfOperators = "suspect-of-laundering"

export type Made = Partial<Call> & Pick<Call, "method" | "path">
export type Maker = (account: Account, draw: Draw, oracle: Oracle) => Made

export const makers: Readonly<Record<string, Maker>> = {
  create: (account, draw) => ({
    method: "POST",
    path: "/v1/orders",
    body: body({
      amount: draw.once(40) ? undefined : amountOf(draw),
      out_trade_no: ownNoOf(draw),
      currency: draw.of([undefined, undefined, undefined, "HKD", "CNY", "EUR"]),
      subject: maybe(draw, 2, draw.once(3) ? draw.of<unknown>(words) : "plain"),
      metadata: maybe(draw, 2, metadataOf(draw)),
      receipt_email: maybe(draw, 6, draw.of(emails)),
      locale: maybe(draw, 8, draw.of(["zh", "en", "de"])),
      return_url: maybe(draw, 10, draw.of(["https://shop.example/back?no={TRADE_NO}", "back"])),
      notify_url: maybe(draw, 12, draw.of([`${account.hooks}/order`, "ftp://shop.example"])),
      mode: maybe(draw, 20, "live"),
      capture: draw.of([undefined, undefined, undefined, "manual", draw.once(8) ? "later" : "automatic"])
    })
  }),
  /** The terms of an order that exists, perhaps an erased one; sometimes with another amount. */
  createAgain: (account, draw) => {
    const erased = account.orders.filter(hasErasedTerms)
    const orders = erased.length > 0 && draw.once(2) ? erased : account.orders
    const { amount, currency, notifyUrl, ownNo, subject } = draw.of(orders)
    const terms = { amount: draw.once(4) ? amount + 1 : amount, currency, subject, notify_url: notifyUrl }
    return { method: "POST", path: "/v1/orders", body: body({ ...terms, out_trade_no: ownNo }) }
  },
  pay: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/orders/${orderRef(account, draw, oracle)}/pay`,
    body: body({
      payment_method: draw.of([undefined, ...methods, ...(draw.once(10) ? ["cash"] : [])]),
      outcome: draw.of([undefined, ...outcomes]),
      amount: maybe(draw, 12, amountOf(draw, 500))
    })
  }),
  /** A part, all of it, or too much, of an order that may wait for it. */
  capture: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/orders/${orderRef(account, draw, oracle)}/capture`,
    body: body({ amount: maybe(draw, 2, amountOf(draw, 500)) })
  }),
  authorize: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/orders/${orderRef(account, draw, oracle)}/authorize`,
    body: body({ payment_method: maybe(draw, 4, draw.of(methods)) })
  }),
  captureAtBank: (account, draw, oracle) => ({
    method: "POST",
    path: `/v1/test_helpers/orders/${orderRef(account, draw, oracle)}/capture`,
    body: body({ amount: maybe(draw, 2, amountOf(draw, 500)) })
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
  evidence: (account, draw, oracle) => {
    const files = account.files.filter((file) => isKept(account, oracle.now, file) !== undefined)
    return {
      method: "POST",
      path: `/v1/disputes/${disputeRef(account, draw, oracle)}/evidence`,
      body: body({
        evidence: draw.of<unknown>([
          undefined,
          {},
          { customer_name: "Ann" },
          { customer_email_address: "ann@shop.example", refund_policy_disclosure: "none\nat all" },
          { customer_name: " " },
          { customer: "Ann" },
          { customer_name: "x".repeat(5001) },
          null
        ]),
        files: draw.of<unknown>([
          undefined,
          undefined,
          undefined,
          [],
          [{ type: "receipt", url: "https://files.example/files/unknown.pdf" }],
          ...(files.length === 0 ? [] : [[{ type: "receipt", url: draw.of(files).no.value }]])
        ]),
        submit: draw.of<unknown>([undefined, undefined, true, true, false, "yes"])
      })
    }
  },
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
      metadata: maybe(draw, 3, metadataOf(draw)),
      capture: draw.of([undefined, undefined, "manual", draw.once(8) ? "later" : "automatic"])
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
  createEndpoint: (account, draw) => ({
    method: "POST",
    path: "/v1/webhook_endpoints",
    body: body({
      url: draw.of<unknown>([`${account.hooks}/a`, `${account.hooks}/b`, `${account.hooks}/down`, "shop", undefined]),
      description: maybe(draw, 3, "the shop's"),
      enabled_events: draw.of<unknown>([
        undefined,
        ["*"],
        ["refund.failed"],
        ["payment.captured"],
        [],
        ["payment.lost"]
      ]),
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
  rotate: (account, draw, oracle) => {
    const path = endpointPath(account, draw, oracle)
    return { method: "POST", path: `${path}/${draw.once(3) ? "end_previous_secrets" : "rotate_secret"}` }
  },
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
  upload: (_, draw) => ({
    method: "POST",
    path: "/v1/files",
    body: { file: draw.once(4) ? "no PDF" : `%PDF-1.4 ${draw.int(9)}` }
  }),
  signing: (_, draw) =>
    draw.once(3)
      ? { method: "POST", path: `/v1/webhook_signing_secret/${draw.of(["rotate", "rotate", "end_previous"])}` }
      : { method: "GET", path: "/v1/webhook_signing_secret" },
  report: (_, draw, oracle) => {
    // Days before 1970 are refused.
    const dayBefore = (count: number) => new Date(Math.max(0, oracle.now - count * days)).toISOString().slice(0, 10)
    const [kind, query] = draw.of([
      ["fees", `?from=${dayBefore(draw.int(30))}&to=${dayBefore(0)}`],
      ["fees", `?from=${dayBefore(draw.int(2))}`],
      ["statement", `?from=${dayBefore(draw.int(9))}&to=${dayBefore(0)}&interval=range`],
      ["frozen", ""]
    ] as const)
    return { method: "GET", path: `/v1/reports/${kind}${query}` }
  },
  /** What an operator reads of a merchant. */
  listOfOperator: (account, draw, oracle) => {
    const { path } = draw.once(8) ? { path: "/v1/payouts" } : listed(account, draw, oracle)
    const [name, query] = path.slice("/v1/".length).split("?") as [string, string | undefined]
    const mode = `mode=${draw.once(20) ? "test" : "sandbox"}`
    const at = `/operator/v1/merchants/${account.merchantId}/${name}`
    return {
      method: "GET",
      key: "operator",
      path: `${at}?${[mode, query].filter((part) => part !== undefined).join("&")}`
    }
  },
  balance: (_, draw) => ({
    method: "GET",
    path: `/v1/balance${draw.of(["", "?currency=USD", "?currency=HKD", "?currency=CNY", "?currency=EUR"])}`
  }),
  channel: (_, draw) => ({ method: "POST", path: channel, body: { reachable: draw.once(2) } }),
  badCall: (_, draw) => draw.of(badCalls),
  visit: (account, draw, oracle) => ({
    method: "GET",
    key: "buyer",
    path: `/pay/${refOf(({ links }) => links, account, draw, oracle)}`
  }),
  timeline: (account, draw, oracle) => ({
    method: "GET",
    path: `/v1/orders/${orderRef(account, draw, oracle)}/timeline`
  }),
  /** With a key that may read the order, and perhaps not all else. */
  timelineByKey: (account, draw, oracle) => {
    const reading = account.keys.flatMap((key, index) =>
      key.mode === "sandbox" && statusOfKey(key, oracle.now) === "active" && covers(key.scopes, "orders:read")
        ? [index]
        : []
    )
    const key = reading.length === 0 ? {} : { key: draw.of(reading) }
    return { method: "GET", path: `/v1/orders/${orderRef(account, draw, oracle)}/timeline`, ...key }
  },
  erase: (account, draw, oracle) => erasing(account, draw, oracle, draw.once(8)),
  dryErase: (account, draw, oracle) => erasing(account, draw, oracle, true),
  readErasure: (account, draw, oracle) => ({
    method: "GET",
    path: `/v1/erasures/${refOf(({ erasures }) => erasures, account, draw, oracle)}`
  }),
  archive: (_, draw) => ({ method: "POST", path: "/v1/exports", body: { email: draw.of(emails) } }),
  /** With a note of the operators that it must not have. */
  merchantArchive: (account, draw) => {
    const path = `/operator/v1/merchants/${account.merchantId}`
    return account.note === null && draw.once(2)
      ? { method: "POST", key: "operator", path, body: { note: noteOfOperators } }
      : { method: "POST", key: "operator", path: `${path}/exports`, body: { mode: "sandbox" } }
  },
  settings: (account, draw) => ({
    method: "POST",
    key: "operator",
    path: `/operator/v1/merchants/${account.merchantId}`,
    body: draw.of<object>([
      { note: noteOfOperators },
      { note: null },
      { approved: true },
      { aproved: true },
      { approved: false },
      { sandbox: { ip_allowlist: "203.0.113.7" } },
      { sandbox: { ip_allowlist: `203.0.113.7, ${account.address}` } },
      {}
    ])
  }),
  stand: (account, draw) => {
    const at = `/operator/v1/merchants/${account.merchantId}`
    if (draw.once(4)) return { method: "GET", key: "operator", path: at }
    // It is permanent, so rare. A bank that is down could not come back.
    const act = draw.once(20) && account.reachable ? "close" : draw.of(["suspend", "resume"])
    return { method: "POST", key: "operator", path: `${at}/${act}` }
  },
  ...keyMakers
}

/** Terms that an erasure removes, under a number by which they come again. */
const hasOwnTerms = ({ ownNo, subject }: Order) => ownNo !== undefined && subject !== null
export const hasErasedTerms = (order: Order) => order.erased && hasOwnTerms(order)

/** An order with an open dispute would be erased later, so the dispute ends first. */
const erasing = (account: Account, draw: Draw, oracle: Oracle, isDry: boolean): Made => {
  const open = account.disputes.find(isOpen)
  if (open?.no.value !== undefined && !isDry) {
    if (!account.reachable) return { method: "POST", path: channel, body: { reachable: true } }
    return {
      method: "POST",
      path: `/v1/test_helpers/disputes/${open.no.value}/resolve`,
      body: { outcome: draw.of(["won", "lost", "closed"]) }
    }
  }
  const termed = account.orders.filter((order) => hasOwnTerms(order) && !order.erased)
  if (termed.length > 0 && draw.once(3)) {
    return { method: "POST", path: "/v1/erasures", body: body({ trade_no: draw.of(termed).no.value, dry_run: isDry }) }
  }
  const email = draw.once(5) ? undefined : draw.of(emails)
  return {
    method: "POST",
    path: "/v1/erasures",
    body: body({
      email,
      trade_no: email === undefined || draw.once(20) ? decodeURIComponent(orderRef(account, draw, oracle)) : undefined,
      dry_run: isDry ? true : draw.of([undefined, false])
    })
  }
}

const endpointPath = (account: Account, draw: Draw, oracle: Oracle) =>
  `/v1/webhook_endpoints/${refOf(({ endpoints }) => endpoints, account, draw, oracle)}`

const payoutPath = (account: Account, draw: Draw) =>
  `/operator/v1/payouts/${account.payouts.length === 0 ? "unknown" : draw.of(account.payouts.slice(-4)).no.value}`
