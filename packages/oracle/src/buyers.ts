/**
 * The data of a buyer, identified by a whole address: erasures and archives (silences: O60 to O64), the timeline of an
 * order (O35), and visits to payment links (spec: Payment link; L4, L14).
 */
import { allOf, bodyOf, bool, email, oneLine } from "./fields.ts"
import { openOrder } from "./orders.ts"
import { covers } from "./rights.ts"
import type { Account, Dispute, Link, Order, Refund, ScopedKey, Texts } from "./state.ts"
import { addressesIn, named, newNo } from "./state.ts"
import { type Answer, type Check, type Fields, iso, missing, ok, Part, refused } from "./values.ts"

const erased = "[erased]"

const meaningOf = (address: string) => address.toLowerCase()

/** Whether the order is this buyer's: by its address; without one, if its own texts name this buyer and no other. */
export const isOwnOf = (order: Order, address: string): boolean => {
  if (order.receiptEmail !== null) return meaningOf(order.receiptEmail) === meaningOf(address)
  const names = new Set(Object.values(order.metadata).flatMap(addressesIn))
  return names.size === 1 && names.has(meaningOf(address))
}

export const ordersOf = (account: Account, address: string) => account.orders.filter((order) => isOwnOf(order, address))

/** Orders of others whose own texts name the buyer. */
const naming = (account: Account, address: string) =>
  account.orders.filter(
    (order) =>
      !isOwnOf(order, address) && Object.values(order.metadata).flatMap(addressesIn).includes(meaningOf(address))
  )

/** Orders that name the buyer, now or in the past. */
const everNaming = (account: Account, address: string) =>
  account.orders.filter((order) => order.addresses.has(meaningOf(address)))

export const createErasure = (account: Account, now: number, body: unknown): Answer => {
  const checked = allOf(body, { email, trade_no: oneLine(1, 128), dry_run: bool })
  if (checked !== undefined) return checked
  const sent = bodyOf(body)
  const address = (sent["email"] ?? undefined) as string | undefined
  if ((address === undefined) === (sent["trade_no"] == null)) return refused(400, "invalid_request")
  const one = address === undefined ? named(account.orders, sent["trade_no"] as string) : undefined
  if (address === undefined && one === undefined) return missing("order")
  const own = address === undefined ? [one!] : ordersOf(account, address)
  const others = address === undefined ? [] : naming(account, address)
  const isDry = sent["dry_run"] === true
  // Rows that change are counted: an order that names the buyer only in its events may be among them.
  const once = address === undefined ? own : everNaming(account, address)
  const count: Check = (actual) =>
    typeof actual === "number" && actual >= own.length + others.length && actual <= once.length
      ? undefined
      : `from ${own.length + others.length} to ${once.length}`
  const erasure = { no: newNo.erasure() }
  const view = new Part({
    object: "erasure",
    erasure_no: isDry ? null : erasure.no,
    trade_no: one?.no ?? null,
    merchant_id: account.merchantId,
    mode: "sandbox",
    requested_at: isDry ? null : iso(now),
    ...(isDry ? { status: "dry_run", counts: new Part({ orders: count }) } : {})
  })
  if (isDry) return ok(view)
  account.erasures.push(erasure)
  for (const order of once.filter((each) => !own.includes(each))) loseAddress(account, order, address!)
  loseFiles(account, own)
  for (const order of own) loseWords(account, order)
  for (const link of address === undefined ? [] : account.links) eraseLink(link, address!)
  // The stored answers of idempotency keys are removed with the words in them.
  account.answers.clear()
  return ok(view, 202)
}

/** The driver waits for its end. */
export const readErasure = (account: Account, ref: string): Answer => {
  const erasure = account.erasures.find(({ no }) => no.value === ref)
  return erasure === undefined ? missing("erasure") : ok(new Part({ object: "erasure", status: "done" }))
}

const without = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, key === "svc_payment_link" ? text : erased]))

/** Files that only evidence of these orders names. */
const loseFiles = ({ disputes, files }: Account, own: ReadonlyArray<Order>) => {
  const namedBy = (some: ReadonlyArray<Dispute>) =>
    new Set(some.flatMap(({ evidence }) => evidence.files.map(({ url }) => url)))
  const mine = namedBy(disputes.filter(({ order }) => own.includes(order)))
  const others = namedBy(disputes.filter(({ order }) => !own.includes(order)))
  for (const file of files) file.erased ||= mine.has(file.no.value) && !others.has(file.no.value)
}

const loseWords = (account: Account, order: Order) => {
  order.erased = true
  for (const payment of order.taken) payment.cardErased = true
  if (order.own !== undefined) order.own.cardErased = true
  order.metadata = without(order.metadata)
  order.receiptEmail = null
  for (const refund of account.refunds.filter((each) => each.order === order)) {
    refund.metadata = without(refund.metadata)
    if (refund.reason !== null) refund.reason = erased
  }
  for (const { evidence } of account.disputes.filter((each) => each.order === order)) {
    evidence.texts = without(evidence.texts)
    evidence.files = []
  }
  for (const event of account.events.filter((each) => each.order === order)) {
    event.former = [...event.former, event.object]
    const { metadata, ...rest } = event.object
    event.object = {
      ...rest,
      ...(metadata === undefined ? {} : { metadata: without(metadata as Texts) }),
      ...("subject" in rest && rest["subject"] !== null ? { subject: erased } : {}),
      ...("receipt_email" in rest ? { receipt_email: null, paid_card: null } : {}),
      ...(rest["object"] === "refund" && rest["reason"] !== null ? { reason: erased } : {})
    }
  }
}

/** A link whose own texts name this buyer and no other is the buyer's. */
const eraseLink = (link: Link, address: string) => {
  const names = new Set([link.subject ?? "", ...Object.values(link.metadata)].flatMap(addressesIn))
  if (!names.has(meaningOf(address))) return
  if (names.size > 1) {
    link.metadata = cutOut(link.metadata, address)
    return
  }
  link.metadata = without(link.metadata)
  if (link.subject !== null) link.subject = erased
}

const cutOut = (texts: Texts, address: string): Texts => {
  const pattern = new RegExp(`(?<![\\w.+-])${address.replace(/[.+]/g, "\\$&")}(?![\\w-]|\\.\\w)`, "gi")
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text.replace(pattern, erased)]))
}

const loseAddress = (account: Account, order: Order, address: string) => {
  const cut = (texts: Texts) => cutOut(texts, address)
  order.metadata = cut(order.metadata)
  for (const refund of account.refunds.filter((each) => each.order === order)) refund.metadata = cut(refund.metadata)
  for (const { evidence } of account.disputes.filter((each) => each.order === order))
    evidence.texts = cut(evidence.texts)
  for (const event of account.events.filter((each) => each.order === order)) {
    const { metadata, receipt_email: mail } = event.object
    event.former = [...event.former, event.object]
    if (metadata !== undefined) event.object = { ...event.object, metadata: cut(metadata as Texts) }
    if (typeof mail === "string") event.object = { ...event.object, receipt_email: cut({ mail })["mail"] }
  }
}

// Archives ----------------------------------------------------------------------

const numbersOf = (things: ReadonlyArray<{ readonly no: { readonly value: string | undefined } }>) =>
  things.map(({ no }) => no.value!)

/** An archive has all of the former, perhaps some of the latter, and no others. */
const between =
  (must: ReadonlyArray<string>, may: ReadonlyArray<string> = []): Check =>
  (actual) => {
    const shown = actual as ReadonlyArray<string>
    const lacking = must.find((no) => !shown.includes(no))
    if (lacking !== undefined) return `${lacking} among them`
    const strange = shown.find((no) => !must.includes(no) && !may.includes(no))
    return strange === undefined ? undefined : `no ${strange} among them`
  }

/** The operators' notes, and other people's addresses. */
const lacks =
  (account: Account, addresses: ReadonlyArray<string> = []): Check =>
  (actual) => {
    const text = actual as string
    const shown = addressesIn(text).find((address) => addresses.includes(address))
    if (shown !== undefined) return `no ${shown}`
    return account.note !== null && text.includes(account.note) ? "no word of the operators" : undefined
  }

export const exportBuyer = (account: Account, body: unknown, others: ReadonlyArray<string>): Answer => {
  const checked = allOf(body, { email }, ["email"])
  if (checked !== undefined) return checked
  const address = bodyOf(body)["email"] as string
  const own = ordersOf(account, address)
  const once = everNaming(account, address)
  const of = (orders: ReadonlyArray<Order>, things: ReadonlyArray<Dispute | Refund>) =>
    numbersOf(things.filter(({ order }) => orders.includes(order)))
  const strangers = others.filter((other) => meaningOf(other) !== meaningOf(address))
  return ok(
    new Part({
      // An order that once had the address may still name it in its events.
      orders: between(numbersOf(own), numbersOf(once)),
      refunds: between(of(own, account.refunds), of(once, account.refunds)),
      disputes: between(of(own, account.disputes), of(once, account.disputes)),
      text: lacks(account, strangers)
    })
  )
}

export const exportMerchant = (account: Account): Answer =>
  ok(
    new Part({
      orders: between(numbersOf(account.orders)),
      refunds: between(numbersOf(account.refunds)),
      disputes: between(numbersOf(account.disputes)),
      text: lacks(account)
    })
  )

// Timelines ----------------------------------------------------------------------

const scopeOfKind: Readonly<Record<string, string>> = {
  request: "logs:read",
  refund: "refunds:read",
  dispute: "disputes:read",
  ledger: "balance:read",
  event: "events:read",
  delivery: "webhooks:read",
  attempt: "webhooks:read"
}

/** A key sees only kinds of rows that it could read elsewhere. */
export const readTimeline = (account: Account, ref: string, key: ScopedKey | undefined): Answer => {
  const order = named(account.orders, ref)
  if (order === undefined) return missing("order")
  const omitted = Object.keys(scopeOfKind).filter(
    (kind) => key !== undefined && !covers(key.scopes, scopeOfKind[kind]!)
  )
  const rows = account.rows.filter((row) => row.order === order).length
  const entries: Check = (actual) => {
    const kinds = (actual as ReadonlyArray<Fields>).map(({ kind }) => String(kind))
    const strange = omitted.find((kind) => kinds.includes(kind))
    if (strange !== undefined) return `no entry of the kind ${strange}`
    const found = kinds.filter((kind) => kind === "ledger").length
    return omitted.includes("ledger") || found === rows ? undefined : `${rows} rows of the ledger, and not ${found}`
  }
  return ok(new Part({ object: "timeline", trade_no: order.no, entries }))
}

// Visits ------------------------------------------------------------------------

/** Each visit makes an order, even in the same browser. */
export const visitLink = (account: Account, now: number, link: Link | undefined): Answer => {
  const isOpen =
    link !== undefined &&
    link.status === "active" &&
    (link.expiresAt === null || link.expiresAt > now) &&
    (link.maxUses === null || link.used < link.maxUses) &&
    !account.suspended &&
    account.closedAt === undefined
  if (!isOpen) return ok({ order: null })
  link.used += 1
  const { amount, currency, metadata, no, notifyUrl, returnUrl, subject, used } = link
  const order = openOrder(account, now, {
    amount,
    currency,
    notifyUrl,
    returnUrl,
    subject,
    ownNo: `${no.value}_${used}`,
    locale: null,
    manual: link.manual,
    metadata: { ...metadata, svc_payment_link: no.value! },
    receiptEmail: null
  })
  return ok({ order: order.no }, 303)
}
