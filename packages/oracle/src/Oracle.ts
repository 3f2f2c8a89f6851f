/**
 * What the service should answer: a second statement of its rules, over plain lists and with one clock. It is written
 * from docs/specification.md and docs/choices.md and shares no code with what it judges.
 */
import { acceptDispute, disputeNamed, giveEvidence, openDispute, readEvidence, resolveByHelper } from "./disputes.ts"
import { createEndpoint, createLink, createPayout, deleteEndpoint, reviewPayout, rotateEndpoint } from "./links.ts"
import { updateEndpoint, updateLink } from "./links.ts"
import { createOrder, expireOrder, pay, sendReceipt, updateOrder } from "./orders.ts"
import { createRefund, settle, updateRefund } from "./refunds.ts"
import { listOf } from "./lists.ts"
import { Account, currencies, type Currency, named } from "./state.ts"
import { clearAt, nextDueAt, passTo } from "./time.ts"
import { type Answer, days, type Fields, invalid, missing, ok, refused } from "./values.ts"
import { bodyOf, oneOf } from "./fields.ts"
import { walletOf } from "./books.ts"
import {
  disputeView,
  endpointView,
  eventView,
  linkView,
  orderView,
  payoutView,
  refundView,
  walletView
} from "./views.ts"

/** Whose key a call has. */
export type Key = "sandbox" | "live" | "wrong" | "none" | "operator"

export interface Call {
  /** Which merchant calls, or is looked at. */
  readonly merchant: number
  readonly key: Key
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
}

type Handle = (account: Account, now: number, ref: string, body: unknown) => Answer

const found = <T>(what: string, thing: T | undefined, view: (thing: T) => Fields): Answer =>
  thing === undefined ? missing(what) : ok(view(thing))

const numbered = <T extends { readonly no: { readonly value: string | undefined } }>(
  things: ReadonlyArray<T>,
  ref: string
) => things.find(({ no }) => no.value === ref)

/** By method and path; the group of a path is what it names. */
const routes: ReadonlyArray<readonly [name: string, method: Call["method"], path: RegExp, handle: Handle]> = [
  ["orders.create", "POST", /^\/v1\/orders$/, (account, now, _, body) => createOrder(account, now, body)],
  [
    "orders.get",
    "GET",
    /^\/v1\/orders\/([^/]+)$/,
    (account, _, ref) => found("order", named(account.orders, ref), (order) => orderView(account, order))
  ],
  [
    "orders.update",
    "POST",
    /^\/v1\/orders\/([^/]+)$/,
    (account, _, ref, body) => updateOrder(account, named(account.orders, ref), body)
  ],
  [
    "orders.expire",
    "POST",
    /^\/v1\/orders\/([^/]+)\/expire$/,
    (account, now, ref) => expireOrder(account, now, named(account.orders, ref))
  ],
  [
    "orders.sendReceipt",
    "POST",
    /^\/v1\/orders\/([^/]+)\/send_receipt$/,
    (account, now, ref, body) => sendReceipt(account, now, named(account.orders, ref), body)
  ],
  ["refunds.create", "POST", /^\/v1\/refunds$/, (account, now, _, body) => createRefund(account, now, body)],
  [
    "refunds.get",
    "GET",
    /^\/v1\/refunds\/([^/]+)$/,
    (account, _, ref) => found("refund", named(account.refunds, ref), (refund) => refundView(account, refund))
  ],
  [
    "refunds.update",
    "POST",
    /^\/v1\/refunds\/([^/]+)$/,
    (account, now, ref, body) => updateRefund(account, now, named(account.refunds, ref), body)
  ],
  [
    "disputes.get",
    "GET",
    /^\/v1\/disputes\/([^/]+)$/,
    (account, _, ref) => found("dispute", disputeNamed(account, ref), (dispute) => disputeView(account, dispute))
  ],
  [
    "disputes.submitEvidence",
    "POST",
    /^\/v1\/disputes\/([^/]+)\/evidence$/,
    (account, now, ref, body) => giveEvidence(account, now, disputeNamed(account, ref), body)
  ],
  [
    "disputes.getEvidence",
    "GET",
    /^\/v1\/disputes\/([^/]+)\/evidence$/,
    (account, _, ref) => readEvidence(disputeNamed(account, ref))
  ],
  [
    "disputes.accept",
    "POST",
    /^\/v1\/disputes\/([^/]+)\/accept$/,
    (account, now, ref) => acceptDispute(account, now, disputeNamed(account, ref))
  ],
  ["paymentLinks.create", "POST", /^\/v1\/payment_links$/, (account, now, _, body) => createLink(account, now, body)],
  [
    "paymentLinks.get",
    "GET",
    /^\/v1\/payment_links\/([^/]+)$/,
    (account, _, ref) => found("payment_link", numbered(account.links, ref), (link) => linkView(account, link))
  ],
  [
    "paymentLinks.update",
    "POST",
    /^\/v1\/payment_links\/([^/]+)$/,
    (account, _, ref, body) => updateLink(account, numbered(account.links, ref), body)
  ],
  [
    "webhookEndpoints.create",
    "POST",
    /^\/v1\/webhook_endpoints$/,
    (account, now, _, body) => createEndpoint(account, now, body)
  ],
  [
    "webhookEndpoints.get",
    "GET",
    /^\/v1\/webhook_endpoints\/([^/]+)$/,
    (account, _, ref) => found("endpoint", numbered(account.endpoints, ref), endpointView)
  ],
  [
    "webhookEndpoints.update",
    "POST",
    /^\/v1\/webhook_endpoints\/([^/]+)$/,
    (account, _, ref, body) => updateEndpoint(numbered(account.endpoints, ref), body)
  ],
  [
    "webhookEndpoints.delete",
    "DELETE",
    /^\/v1\/webhook_endpoints\/([^/]+)$/,
    (account, _, ref) => deleteEndpoint(account, numbered(account.endpoints, ref))
  ],
  [
    "webhookEndpoints.rotateSecret",
    "POST",
    /^\/v1\/webhook_endpoints\/([^/]+)\/rotate_secret$/,
    (account, _, ref) => rotateEndpoint(numbered(account.endpoints, ref))
  ],
  [
    "events.get",
    "GET",
    /^\/v1\/events\/([^/]+)$/,
    (account, _, ref) => found("event", numbered(account.events, ref), eventView)
  ],
  [
    "testHelpers.orders.pay",
    "POST",
    /^\/v1\/test_helpers\/orders\/([^/]+)\/pay$/,
    (account, now, ref, body) => pay(account, now, named(account.orders, ref), body)
  ],
  [
    "testHelpers.orders.dispute",
    "POST",
    /^\/v1\/test_helpers\/orders\/([^/]+)\/dispute$/,
    (account, now, ref, body) => openDispute(account, now, named(account.orders, ref), body)
  ],
  [
    "testHelpers.refunds.settle",
    "POST",
    /^\/v1\/test_helpers\/refunds\/([^/]+)\/settle$/,
    (account, now, ref, body) => {
      const outcome = bodyOf(body)["outcome"]
      if (oneOf(["succeeded", "failed"])(outcome) !== undefined) return invalid("outcome")
      const refund = named(account.refunds, ref)
      return refund === undefined ? missing("refund") : settle(account, now, refund, outcome as "succeeded" | "failed")
    }
  ],
  [
    "testHelpers.disputes.resolve",
    "POST",
    /^\/v1\/test_helpers\/disputes\/([^/]+)\/resolve$/,
    (account, now, ref, body) => resolveByHelper(account, now, disputeNamed(account, ref), body)
  ],
  [
    "testHelpers.channel.set",
    "POST",
    /^\/v1\/test_helpers\/channel$/,
    (account, _, __, body) => {
      account.reachable = bodyOf(body)["reachable"] === true
      return ok({ reachable: account.reachable })
    }
  ],
  [
    "operator.payouts.create",
    "POST",
    /^\/operator\/v1\/merchants\/([^/]+)\/payouts$/,
    (account, now, _, body) => createPayout(account, now, bodyOf(body))
  ],
  [
    "operator.payouts.get",
    "GET",
    /^\/operator\/v1\/payouts\/([^/]+)$/,
    (account, _, ref) => found("payout", numbered(account.payouts, ref), (payout) => payoutView(account, payout))
  ],
  [
    "operator.payouts.review",
    "POST",
    /^\/operator\/v1\/payouts\/([^/]+\/(?:approve|reject|complete|fail))$/,
    (account, now, ref) => {
      const [no, step] = ref.split("/") as [string, string]
      return reviewPayout(account, now, numbered(account.payouts, no), step)
    }
  ]
]

const listNames: Readonly<Record<string, string>> = {
  "/v1/orders": "orders.list",
  "/v1/refunds": "refunds.list",
  "/v1/disputes": "disputes.list",
  "/v1/balance_transactions": "ledger.list",
  "/v1/events": "events.list",
  "/v1/payment_links": "paymentLinks.list",
  "/v1/webhook_endpoints": "webhookEndpoints.list"
}

/** All that it knows. */
export const operations: ReadonlyArray<string> = [
  ...routes.map(([name]) => name),
  ...Object.values(listNames),
  "balance.get"
]

export class Oracle {
  readonly accounts: ReadonlyArray<Account>
  now: number
  constructor(merchantIds: ReadonlyArray<string>, now: number) {
    this.accounts = merchantIds.map((merchantId) => new Account(merchantId, now))
    this.now = now
  }

  passTo(now: number) {
    for (const account of this.accounts) passTo(account, now)
    this.now = now
  }

  nextDueAt(now: number): number {
    return Math.min(...this.accounts.map((account) => nextDueAt(account, now)))
  }

  /** The next moment from `now` on at which it is clear what has been done. */
  clearAt(now: number): number {
    const at = Math.max(...this.accounts.map((account) => clearAt(account, now)))
    return at === now ? now : this.clearAt(at)
  }

  /** The name of the operation; undefined where the service has none. */
  operationOf({ method, path }: Pick<Call, "method" | "path">): string | undefined {
    const [bare] = path.split("?") as [string]
    if (method === "GET" && bare in listNames) return listNames[bare]
    if (method === "GET" && bare === "/v1/balance") return "balance.get"
    return routes.find(([, verb, form]) => verb === method && form.test(bare))?.[0]
  }

  answer(call: Call): Answer {
    const account = this.accounts[call.merchant]!
    if (this.operationOf(call) === undefined) return refused(404, "route_not_found")
    if (call.key === "none") return refused(401, "missing_api_key")
    if (call.key === "wrong") return refused(401, "invalid_api_key")
    // A live key meets no test helper, approved or not (silences: U26).
    if (call.key === "live") return refused(403, "merchant_not_approved")
    if (call.key === "operator" || call.method === "GET" || call.idempotencyKey === undefined)
      return this.run(account, call)
    return this.once(account, call, call.idempotencyKey)
  }

  /** The first success under a key is the answer of the next 24 hours (silences: I1 to I5). */
  private once(account: Account, call: Call, key: string): Answer {
    if (key === "" || key.length > 255) return invalid("Idempotency-Key")
    const place = `${call.method} ${call.path} ${key}`
    const body = meaningOf(call.body)
    const kept = account.answers.get(place)
    if (kept !== undefined && kept.at + days > this.now) {
      return kept.body === body ? { ...kept.answer, replayed: true } : refused(400, "idempotency_error")
    }
    const answer = this.run(account, call)
    if (answer.status < 300) account.answers.set(place, { at: this.now, body, answer })
    return answer
  }

  private run(account: Account, { body, method, path }: Call): Answer {
    const [bare, query] = path.split("?") as [string, string | undefined]
    if (method === "GET") {
      const search = new URLSearchParams(query)
      const listed = listOf(account, bare, search)
      if (listed !== undefined) return listed
      if (bare === "/v1/balance") return balance(account, search)
    }
    const [, , form, handle] = routes.find(([, verb, each]) => verb === method && each.test(bare))!
    return handle(account, this.now, decodeURIComponent(form.exec(bare)![1] ?? ""), body)
  }
}

const balance = (account: Account, query: URLSearchParams): Answer => {
  const currency = query.get("currency") ?? "USD"
  if (!currencies.includes(currency as Currency)) return invalid("currency")
  return ok(walletView(account, currency, walletOf(account, currency as Currency)))
}

/** Bodies are compared by their meaning: the order of names and a null for what may be left out make no other one. */
const meaningOf = (value: unknown): string => {
  if (value === undefined) return "{}"
  if (Array.isArray(value)) return `[${value.map(meaningOf).join()}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const names = Object.keys(value).toSorted()
  return `{${names.map((name) => `${JSON.stringify(name)}:${meaningOf((value as Fields)[name])}`).join()}}`
}
