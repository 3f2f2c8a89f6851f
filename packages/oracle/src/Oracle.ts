/**
 * What the service should answer: a second implementation of its rules, with plain lists and one clock. It is written
 * from docs/specification.md and docs/choices.md and shares no code with the service.
 */
import { acceptDispute, disputeNamed, giveEvidence, openDispute, resolveByHelper, uploadFile } from "./disputes.ts"
import { createEndpoint, createLink, createPayout, deleteEndpoint, reviewPayout, rotateEndpoint } from "./links.ts"
import { endPreviousSecrets, endPreviousSigning, readSigning, rotateSigning } from "./links.ts"
import { updateEndpoint, updateLink } from "./links.ts"
import { authorize, capture, captureAtBank, createOrder, expireOrder, pay, sendReceipt, updateOrder } from "./orders.ts"
import { createRefund, settle, updateRefund } from "./refunds.ts"
import { createErasure, exportBuyer, exportMerchant, readErasure, readTimeline, visitLink } from "./buyers.ts"
import { isList, listOf, listPathOf } from "./lists.ts"
import { actByPerson, createByPerson, type Person, type Role } from "./people.ts"
import { actOnKey, createKey, readMerchant, refusalOf, stand, updateMerchant } from "./rights.ts"
import { Account, currencies, type Currency, named, type ScopedKey } from "./state.ts"
import { clearAt, nextDueAt, passTo } from "./time.ts"
import { type Answer, days, type Fields, invalid, missing, ok, Part, refused } from "./values.ts"
import { bodyOf, oneOf } from "./fields.ts"
import { feesOf, frozenOf, statementOf, walletOf } from "./books.ts"
import {
  disputeView,
  endpointView,
  eventView,
  evidenceView,
  linkView,
  orderView,
  payoutView,
  refundView,
  walletView
} from "./views.ts"

/**
 * The credential of a call: a merchant's main key, its n-th key with scopes, the operator's token, or none, as in a
 * buyer's browser.
 */
export type Key = "sandbox" | "live" | "wrong" | "none" | "operator" | "buyer" | Role | number

export interface Call {
  /** The merchant that calls, or that the operator names. */
  readonly merchant: number
  readonly key: Key
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
  /** When the person signed in, if the call uses a person's role. */
  readonly since?: number | undefined
}

type Place = Pick<Account, "address" | "hooks">

/** The caller. */
export interface By {
  readonly person: Person | undefined
  readonly key: ScopedKey | undefined
  /** The request by its key, which counts for one path (silences: I3); undefined without a key. */
  readonly request: string | undefined
  /** The mails of all buyers. */
  readonly addresses: () => ReadonlyArray<string>
}

type Handle = (account: Account, now: number, ref: string, body: unknown, by: By) => Answer

type Numbered = { readonly no: { readonly value: string | undefined } }
const numbered = <T extends Numbered>(things: ReadonlyArray<T>, ref: string) =>
  things.find(({ no }) => no.value === ref)

/** `:ref` names an existing object, `:any` need not. */
const on = (name: string, call: string, handle: Handle) => {
  const [method, path] = call.split(" ") as [Call["method"], string]
  const form = new RegExp(`^${path.replace(":ref", "([^/]+)").replace(":any", "[^/]+")}$`)
  return { name, method, form, handle }
}

/** A read of an object that the path names. */
const read = <T>(
  name: string,
  path: string,
  find: (account: Account, ref: string) => T | undefined,
  view: (account: Account, thing: T) => Fields
) => {
  const what = name.startsWith("webhook") ? "endpoint" : path.split("/:ref")[0]!.split("/").at(-1)!.slice(0, -1)
  return on(`${name}.get`, `GET ${path}`, (account, _, ref) => {
    const thing = find(account, ref)
    return thing === undefined ? missing(what) : ok(view(account, thing))
  })
}

const of =
  <T>(find: (account: Account, ref: string) => T | undefined) =>
  (act: (account: Account, now: number, thing: T | undefined, body: unknown, by: By) => Answer): Handle =>
  (account, now, ref, body, by) =>
    act(account, now, find(account, ref), body, by)

const ofOrder = of(({ orders }, ref) => named(orders, ref))
const ofRefund = of(({ refunds }, ref) => named(refunds, ref))
const ofDispute = of(disputeNamed)
const ofLink = of(({ links }, ref) => numbered(links, ref))
const ofEndpoint = of(({ endpoints }, ref) => numbered(endpoints, ref))

const creates =
  (act: (account: Account, now: number, body: unknown) => Answer): Handle =>
  (account, now, _, body) =>
    act(account, now, body)

const routes = [
  on("orders.create", "POST /v1/orders", creates(createOrder)),
  read("orders", "/v1/orders/:ref", ({ orders }, ref) => named(orders, ref), orderView),
  on("orders.update", "POST /v1/orders/:ref", ofOrder(updateOrder)),
  on("orders.expire", "POST /v1/orders/:ref/expire", ofOrder(expireOrder)),
  on("orders.capture", "POST /v1/orders/:ref/capture", ofOrder(capture)),
  on("orders.sendReceipt", "POST /v1/orders/:ref/send_receipt", ofOrder(sendReceipt)),
  on("timelines.get", "GET /v1/orders/:ref/timeline", (account, _, ref, __, by) => readTimeline(account, ref, by.key)),
  on("refunds.create", "POST /v1/refunds", creates(createRefund)),
  read("refunds", "/v1/refunds/:ref", ({ refunds }, ref) => named(refunds, ref), refundView),
  on("refunds.update", "POST /v1/refunds/:ref", ofRefund(updateRefund)),
  read("disputes", "/v1/disputes/:ref", disputeNamed, disputeView),
  on("disputes.submitEvidence", "POST /v1/disputes/:ref/evidence", ofDispute(giveEvidence)),
  read("disputes.evidence", "/v1/disputes/:ref/evidence", disputeNamed, evidenceView),
  on("disputes.accept", "POST /v1/disputes/:ref/accept", ofDispute(acceptDispute)),
  on("paymentLinks.create", "POST /v1/payment_links", creates(createLink)),
  read("paymentLinks", "/v1/payment_links/:ref", ({ links }, ref) => numbered(links, ref), linkView),
  on("paymentLinks.update", "POST /v1/payment_links/:ref", ofLink(updateLink)),
  on("visits.make", "GET /pay/:ref", ofLink(visitLink)),
  on("webhookEndpoints.create", "POST /v1/webhook_endpoints", creates(createEndpoint)),
  read("webhookEndpoints", "/v1/webhook_endpoints/:ref", (own, ref) => numbered(own.endpoints, ref), endpointView),
  on("webhookEndpoints.update", "POST /v1/webhook_endpoints/:ref", ofEndpoint(updateEndpoint)),
  on("webhookEndpoints.delete", "DELETE /v1/webhook_endpoints/:ref", ofEndpoint(deleteEndpoint)),
  on("webhookEndpoints.rotateSecret", "POST /v1/webhook_endpoints/:ref/rotate_secret", ofEndpoint(rotateEndpoint)),
  on("webhookSigningSecret.get", "GET /v1/webhook_signing_secret", readSigning),
  on("webhookSigningSecret.rotate", "POST /v1/webhook_signing_secret/rotate", rotateSigning),
  on(
    "webhookEndpoints.endPreviousSecrets",
    "POST /v1/webhook_endpoints/:ref/end_previous_secrets",
    ofEndpoint(endPreviousSecrets)
  ),
  on("webhookSigningSecret.endPrevious", "POST /v1/webhook_signing_secret/end_previous", endPreviousSigning),
  on("files.upload", "POST /v1/files", (account, now, _, body) => uploadFile(account, now, body)),
  read("events", "/v1/events/:ref", ({ events }, ref) => numbered(events, ref), eventView),
  on("deliveries.unknown", "GET /v1/webhook_deliveries/:ref", () => missing("delivery")),
  on("reports.unknown", "GET /v1/reports/(?!(?:statement|fees|frozen)$):any", () => missing("report")),
  on("erasures.create", "POST /v1/erasures", creates(createErasure)),
  on("erasures.get", "GET /v1/erasures/:ref", (account, _, ref) => readErasure(account, ref)),
  on("exports.buyer", "POST /v1/exports", (account, _, __, body, { addresses }) =>
    exportBuyer(account, body, addresses())
  ),
  on("testHelpers.orders.pay", "POST /v1/test_helpers/orders/:ref/pay", ofOrder(pay)),
  on("testHelpers.orders.authorize", "POST /v1/test_helpers/orders/:ref/authorize", ofOrder(authorize)),
  on("testHelpers.orders.capture", "POST /v1/test_helpers/orders/:ref/capture", ofOrder(captureAtBank)),
  on("testHelpers.orders.dispute", "POST /v1/test_helpers/orders/:ref/dispute", ofOrder(openDispute)),
  on("testHelpers.refunds.settle", "POST /v1/test_helpers/refunds/:ref/settle", (account, now, ref, body) => {
    const outcome = bodyOf(body)["outcome"]
    if (oneOf(["succeeded", "failed"])(outcome) !== undefined) return invalid("outcome")
    const refund = named(account.refunds, ref)
    return refund === undefined ? missing("refund") : settle(account, now, refund, outcome as "succeeded" | "failed")
  }),
  on("testHelpers.disputes.resolve", "POST /v1/test_helpers/disputes/:ref/resolve", ofDispute(resolveByHelper)),
  on("testHelpers.channel.set", "POST /v1/test_helpers/channel", (account, now, _, body) => {
    account.reachable = bodyOf(body)["reachable"] === true
    if (!account.reachable) account.awayAt = now
    return ok({ reachable: account.reachable })
  }),
  on("operator.merchants.get", "GET /operator/v1/merchants/:ref", (account) => readMerchant(account)),
  on("operator.merchants.update", "POST /operator/v1/merchants/:ref", (account, _, __, body) =>
    updateMerchant(account, body)
  ),
  on("operator.merchants.stand", "POST /operator/v1/merchants/:any/(suspend|resume|close)", (account, now, act) =>
    stand(account, now, act)
  ),
  on("operator.exports.merchant", "POST /operator/v1/merchants/:ref/exports", (account) => exportMerchant(account)),
  on("operator.apiKeys.create", "POST /operator/v1/merchants/:ref/api_keys", creates(createKey)),
  on("operator.apiKeys.get", "GET /operator/v1/merchants/:any/api_keys/:ref", actOnKey),
  on("operator.apiKeys.act", "POST /operator/v1/merchants/:any/api_keys/([^/]+/(?:roll|revoke))", actOnKey),
  on("operator.payouts.create", "POST /operator/v1/merchants/:ref/payouts", creates(createPayout)),
  read("operator.payouts", "/operator/v1/payouts/:ref", ({ payouts }, ref) => numbered(payouts, ref), payoutView),
  on(
    "operator.payouts.review",
    "POST /operator/v1/payouts/([^/]+/(?:approve|reject|complete|fail))",
    (account, now, ref) => {
      const [no, step] = ref.split("/") as [string, string]
      return reviewPayout(account, now, numbered(account.payouts, no), step)
    }
  ),
  on("console.apiKeys.create", "POST /console/api/merchants/:ref/api_keys", (account, now, _, body, { person }) =>
    createByPerson(account, now, person!, body)
  ),
  on(
    "console.apiKeys.act",
    "POST /console/api/merchants/:any/api_keys/([^/]+/(?:roll|revoke))",
    (account, now, ref, body, { person }) => actByPerson(account, now, person!, ref, body)
  )
]

type Report = (account: Account, now: number, query: URLSearchParams) => Answer
const reports: Readonly<Record<string, Report>> = { statement: statementOf, fees: feesOf, frozen: frozenOf }
const reportIn = (path: string) => (path.startsWith("/v1/reports/") ? path.slice("/v1/reports/".length) : "")

const listNames: Readonly<Record<string, string>> = {
  "/v1/orders": "orders.list",
  "/v1/refunds": "refunds.list",
  "/v1/disputes": "disputes.list",
  "/v1/balance_transactions": "ledger.list",
  "/v1/events": "events.list",
  "/v1/payment_links": "paymentLinks.list",
  "/v1/webhook_endpoints": "webhookEndpoints.list"
}

/** Those that can succeed. */
export const operations: ReadonlyArray<string> = [
  ...routes.map(({ name }) => name).filter((name) => !name.endsWith(".unknown")),
  ...Object.values(listNames).flatMap((name) => [name, `operator.${name}`]),
  "operator.payouts.list",
  "balance.get",
  ...Object.keys(reports).map((name) => `reports.${name}`)
]

export class Oracle {
  accounts: ReadonlyArray<Account>
  now: number
  /** `places`: where each merchant calls from, and is called. */
  constructor(merchantIds: ReadonlyArray<string>, now: number, places: ReadonlyArray<Place> = []) {
    this.accounts = merchantIds.map((merchantId, index) => new Account(merchantId, now, places[index]))
    this.now = now
  }

  passTo(now: number) {
    for (const account of this.accounts) passTo(account, now)
    this.now = now
  }

  nextDueAt(now: number): number {
    return Math.min(...this.accounts.map((account) => nextDueAt(account, now)))
  }

  /** Until when to wait so that the state is determined. */
  clearAt(now: number): number {
    return Math.max(...this.accounts.map((account) => clearAt(account, now)))
  }

  /** The name of the operation; undefined if the service has none. */
  operationOf({ method, path }: Pick<Call, "method" | "path">): string | undefined {
    const [bare] = path.split("?") as [string]
    // A path has one spelling (silences: G15).
    if (/%(2[de]|3\d|[46][1-9a-f]|[57][0-9a]|5f)/i.test(bare) || /\/\/|\/$/.test(bare)) return undefined
    if (method === "GET" && isList(bare)) {
      const name = listNames[listPathOf(bare)] ?? "payouts.list"
      return bare.startsWith("/operator/") ? `operator.${name}` : name
    }
    if (method === "GET" && bare === "/v1/balance") return "balance.get"
    if (method === "GET" && reportIn(bare) in reports) return `reports.${reportIn(bare)}`
    return routes.find((route) => route.method === method && route.form.test(bare))?.name
  }

  /** A buyer may follow any merchant's link. */
  private accountOf({ key, merchant, path }: Call): Account {
    const own = this.accounts[merchant]!
    if (key !== "buyer") return own
    return this.accounts.find(({ links }) => links.some(({ no }) => path.endsWith(`/${no.value}`))) ?? own
  }

  /** Whether a merchant's main key may read its books. */
  mayRead(merchant: number): boolean {
    return refusalOf(this.accounts[merchant]!, this.now, "main", { method: "GET", name: "events.list" }) === undefined
  }

  answer(call: Call): Answer {
    const account = this.accountOf(call)
    const name = this.operationOf(call)
    if (name === undefined) return refused(404, "route_not_found")
    if (call.key === "none") return refused(401, "missing_api_key")
    if (call.key === "wrong") return refused(401, "invalid_api_key")
    if (call.key === "operator" || call.key === "buyer" || call.since !== undefined)
      return this.run(account, call, undefined)
    const key = typeof call.key === "number" ? account.keys[call.key]! : undefined
    const refusal = refusalOf(account, this.now, key ?? (call.key === "live" ? "live" : "main"), {
      method: call.method,
      name
    })
    if (refusal !== undefined) return refusal
    // Live is only used for some reads; it has no test helpers (silences: U26).
    if (call.key === "live") {
      return name.startsWith("testHelpers.") ? refused(404, "route_not_found") : ok(new Part({}))
    }
    // An erasure, an archive and a file take no key (silences: O62, O64, D6).
    const isKept = call.method !== "GET" && !/^(erasures|exports|files)\./.test(name)
    if (call.idempotencyKey === undefined || !isKept) return this.run(account, call, key)
    return this.once(account, call, key, call.idempotencyKey)
  }

  /** The first success under a key is the answer of the next 24 hours (silences: I1 to I5). */
  private once(account: Account, call: Call, by: ScopedKey | undefined, key: string): Answer {
    if (key === "" || key.length > 255) return invalid("Idempotency-Key")
    const place = requestOf(call)!
    const body = meaningOf(call.body ?? {}, /^\/v1\/[a-z_]+$/.test(call.path))
    const kept = account.answers.get(place)
    if (kept !== undefined && kept.at + days > this.now) {
      return kept.body === body ? { ...kept.answer, replayed: true } : refused(400, "idempotency_error")
    }
    const answer = this.run(account, call, by)
    if (answer.status < 300) account.answers.set(place, { at: this.now, body, answer })
    return answer
  }

  private run(account: Account, call: Call, key: ScopedKey | undefined): Answer {
    const { body, key: role, method, path, since } = call
    const [bare, query] = path.split("?") as [string, string | undefined]
    if (method === "GET") {
      const search = new URLSearchParams(query)
      const listed = listOf(account, bare, search)
      if (listed !== undefined) return listed
      if (bare === "/v1/balance") return balance(account, search)
      const report = reports[reportIn(bare)]
      if (report !== undefined) return report(account, this.now, search)
    }
    const { form, handle } = routes.find((route) => route.method === method && route.form.test(bare))!
    const ref = decodeURIComponent(form.exec(bare)![1] ?? "")
    const addresses = () => this.accounts.flatMap(({ orders }) => orders.flatMap((order) => [...order.addresses]))
    return handle(account, this.now, ref, body, {
      key,
      request: requestOf(call),
      addresses,
      person: since === undefined ? undefined : { role: role as Role, since }
    })
  }
}

const requestOf = ({ idempotencyKey, method, path }: Call) =>
  idempotencyKey === undefined ? undefined : `${method} ${path} ${idempotencyKey}`

const balance = (account: Account, query: URLSearchParams): Answer => {
  const currency = query.get("currency") ?? "USD"
  if (!currencies.includes(currency as Currency)) return invalid("currency")
  return ok(walletView(account, currency, walletOf(account, currency as Currency)))
}

/** Compared by meaning: the order of names does not matter, nor does a null in a new object (silences: G18). */
const meaningOf = (value: unknown, isNew = false): string => {
  if (Array.isArray(value)) return `[${value.map((each) => meaningOf(each)).join()}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  const fields = Object.entries(value).filter(([, field]) => !isNew || field !== null)
  const texts = fields.map(([name, field]) => `${JSON.stringify(name)}:${meaningOf(field)}`)
  return `{${texts.toSorted().join()}}`
}
