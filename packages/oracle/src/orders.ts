/** What the operations on orders answer (spec: Orders; States and transitions, Order). */
import { emit, post } from "./books.ts"
import { type Account, type Currency, mention, type Method, methods, newNo, type Order, type Payment } from "./state.ts"
import { allOf, bodyOf, currency, email, integer, merged, metadata, oneLine, oneOf, patch, url } from "./fields.ts"
import { feeOf, isOpen, orderView } from "./views.ts"
import type { Answer, When } from "./values.ts"
import { conflict, days, hours, invalid, limited, minutes, missing, ok, unanswered } from "./values.ts"

export const amountMax = 100_000_000_000
const unappliedMax = 20

/** The prefix of links is reserved (silences: O5). */
const ownNumber = (value: unknown) => oneLine(1, 128)(value) ?? (String(value).startsWith("plink_") ? "" : undefined)

export const createOrder = (account: Account, now: number, body: unknown): Answer => {
  const checked = allOf(
    body,
    {
      amount: integer(1, amountMax),
      out_trade_no: ownNumber,
      currency,
      subject: oneLine(0, 255),
      return_url: url,
      metadata,
      receipt_email: email,
      locale: oneOf(["zh", "en"]),
      capture: oneOf(["automatic", "manual"])
    },
    ["amount"]
  )
  const hasNotifyUrl = bodyOf(body)["notify_url"] == null || url(bodyOf(body)["notify_url"]) === undefined
  if (checked !== undefined) return hasNotifyUrl ? checked : invalid(...(checked.params ?? []), "notify_url")
  const sent = bodyOf(body)
  const ownNo = (sent["out_trade_no"] ?? undefined) as string | undefined
  const terms = {
    amount: sent["amount"] as number,
    currency: (sent["currency"] ?? "USD") as Currency,
    subject: titleOf(sent["subject"]),
    notifyUrl: (sent["notify_url"] ?? null) as string | null
  }
  const known = ownNo === undefined ? undefined : account.orders.find((order) => order.ownNo === ownNo)
  if (known !== undefined) {
    const isSame = (["amount", "currency", "subject", "notifyUrl"] as const).every(
      (term) => known[term] === terms[term]
    )
    const isCaptured = known.manual === (sent["capture"] === "manual")
    return isSame && isCaptured ? ok(orderView(account, known)) : conflict("order_number_taken")
  }
  // What is valid depends on settings, so a repeat is looked up first (silences: O3).
  if (!hasNotifyUrl) return invalid("notify_url")
  const order = openOrder(account, now, {
    ...terms,
    ownNo,
    returnUrl: (sent["return_url"] ?? null) as string | null,
    locale: (sent["locale"] ?? null) as string | null,
    manual: sent["capture"] === "manual",
    metadata: merged({}, sent["metadata"]) ?? {},
    receiptEmail: (sent["receipt_email"] ?? null) as string | null
  })
  return ok(orderView(account, order), 201)
}

type Terms = Pick<Order, "ownNo" | "amount" | "currency" | "subject" | "notifyUrl" | "returnUrl"> &
  Pick<Order, "locale" | "manual" | "metadata" | "receiptEmail">

/** Made by a call, or by a visit to a link. */
export const openOrder = (account: Account, now: number, terms: Terms): Order => {
  const order: Order = {
    ...terms,
    no: newNo.order(),
    createdAt: now,
    expiresAt: now + days,
    state: "pending",
    held: undefined,
    own: undefined,
    refunded: 0,
    failureReason: null,
    taken: [],
    declines: [],
    redirectedAt: undefined,
    receipts: [],
    unapplied: 0,
    erased: false,
    addresses: new Set()
  }
  mention(order, [order.receiptEmail, ...Object.values(order.metadata)])
  account.orders.push(order)
  return order
}

/** A blank title counts as none (silences: O7). */
export const titleOf = (text: unknown) => (typeof text === "string" && text.trim() !== "" ? text : null)

export const updateOrder = (account: Account, _: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body, { metadata: patch, receipt_email: email })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  const sent = bodyOf(body)
  const after = merged(order.metadata, sent["metadata"])
  if (after === undefined) return invalid("metadata")
  order.metadata = after
  if ("receipt_email" in sent) order.receiptEmail = sent["receipt_email"] as string | null
  mention(order, [order.receiptEmail, ...Object.values(after)])
  return ok(orderView(account, order))
}

export const sendReceipt = (account: Account, now: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body ?? {}, { email })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  if (order.own === undefined) return conflict("no_receipt")
  const address = (bodyOf(body)["email"] ?? order.receiptEmail) as string | null
  if (address === null) return invalid("email")
  const lately = order.receipts.filter((at) => at > now - hours)
  if (lately.length >= 5) return limited()
  order.receipts = [...lately, now]
  order.receiptEmail = address
  mention(order, [address])
  return ok(orderView(account, order))
}

export const expireOrder = (account: Account, now: number, order: Order | undefined): Answer => {
  if (order === undefined) return missing("order")
  if (order.state === "expired" || order.state === "canceled") return ok(orderView(account, order))
  if (order.state !== "pending" && order.state !== "authorized") return conflict("not_pending")
  if (!account.reachable) return unanswered()
  if (order.state === "authorized") return cancelHold(account, now, order)
  if (isAway(order, now)) return conflict("buyer_busy")
  const first = namedFirst(order)
  // A hold of another amount is released.
  if (first === undefined || (order.manual && first.amount !== order.amount)) {
    if (first !== undefined) reportAll(account, now, order)
    end(account, now, order, "expired")
    return ok(orderView(account, order))
  }
  // The bank's answer names one payment, and it reports all others again.
  take(account, now, order, first)
  const isPaid = order.own !== undefined
  const isHeld = order.held !== undefined
  reportAll(account, now, order)
  if (isHeld) return cancelHold(account, now, order)
  return conflict(isPaid ? "just_paid" : "other_payment")
}

/** What happens automatically at `expires_at`, or once a redirected buyer has not come back. */
export const expireByItself = (account: Account, order: Order, when: When) => {
  const first = namedFirst(order)
  if (first !== undefined) take(account, when, order, first)
  if (order.state === "pending") end(account, when, order, "expired")
  reportAll(account, when, order)
}

/** The bank names a payment that the order waits for, if it has one. */
const namedFirst = ({ amount, taken }: Order) => taken.find((payment) => payment.amount === amount) ?? taken[0]

const reportAll = (account: Account, now: When, order: Order) => {
  for (const payment of order.taken) take(account, now, order, payment)
}

/** A buyer who left for 3DS or a wallet holds the order for half an hour (silences: O28). */
export const awayUntil = ({ redirectedAt }: Order) => (redirectedAt === undefined ? 0 : redirectedAt + 30 * minutes)
const isAway = (order: Order, now: number) => awayUntil(order) > now

const end = (account: Account, now: When, order: Order, state: "canceled" | "expired" | "failed") => {
  order.state = state
  emit(account, now, `payment.${state}`, order)
}

const cancelHold = (account: Account, now: number, order: Order): Answer => {
  end(account, now, order, "canceled")
  return ok(orderView(account, order))
}

/** The bank's hold has run out. */
export const endHold = (account: Account, when: When, order: Order) => {
  order.state = "expired"
  emit(account, when, "payment.authorization_expired", order)
}

/** The merchant charges what is held, once. */
export const capture = (account: Account, now: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body ?? {}, { amount: integer(1, amountMax) })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  const amount = (bodyOf(body)["amount"] ?? order.amount) as number
  if (amount > order.amount) return invalid("amount")
  if (order.own !== undefined && order.manual) {
    return amount === order.own.amount ? ok(orderView(account, order)) : conflict("captured")
  }
  if (order.state === "expired" && order.held !== undefined) return conflict("authorization_expired")
  if (order.state !== "authorized") return conflict("not_authorized")
  if (!account.reachable) return unanswered()
  charge(account, now, order, amount)
  return ok(orderView(account, order))
}

/** The same as a successful payment, for an order whose amount can be held. */
export const authorize = (account: Account, now: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body ?? {}, { payment_method: oneOf(Object.keys(methods)) })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  return order.manual ? pay(account, now, order, body) : conflict("not_authorized")
}

/** The bank captures what it holds by itself, and says so. */
export const captureAtBank = (account: Account, now: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body ?? {}, { outcome: oneOf(["succeed"]), amount: integer(1, amountMax) })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  const amount = (bodyOf(body)["amount"] ?? order.amount) as number
  if (order.state === "authorized" && amount <= order.amount) charge(account, now, order, amount)
  return ok(orderView(account, order))
}

const charge = (account: Account, now: number, order: Order, amount: number) => {
  order.own = { ...order.held!.payment, amount, at: now }
  credit(account, now, order)
  emit(account, now, "payment.captured", order)
}

const credit = (account: Account, now: When, order: Order) => {
  order.state = "paid"
  const { amount } = order.own!
  post(account, now, order, [
    ["payment_credit", amount],
    ["fee_debit", -feeOf(amount)]
  ])
  emit(account, now, "payment.succeeded", order)
}

/** Applies the report of a payment. */
const take = (account: Account, now: When, order: Order, payment: Payment) => {
  if (payment.known) return
  payment.known = true
  const isWhole = payment.amount === order.amount
  if (order.state === "pending" && isWhole) {
    if (order.manual) {
      order.state = "authorized"
      order.held = { payment, until: payment.at + 7 * days }
      emit(account, now, "payment.authorized", order)
    } else {
      order.own = payment
      credit(account, now, order)
    }
    return
  }
  order.unapplied += 1
  // What was only held is released, and no merchant hears of it.
  if (isWhole && !order.manual) emit(account, now, "payment.duplicate_refunded", order)
}

const outcomes = ["succeed", "decline", "cancel", "fail", "redirect", "succeed_unreported"]

/** The buyer pays. */
export const pay = (account: Account, now: number, order: Order | undefined, body: unknown): Answer => {
  const checked = allOf(body ?? {}, {
    payment_method: oneOf(Object.keys(methods)),
    outcome: oneOf(outcomes),
    amount: integer(1, amountMax)
  })
  if (checked !== undefined) return checked
  if (order === undefined) return missing("order")
  const sent = bodyOf(body)
  const outcome = (sent["outcome"] ?? "succeed") as string
  const lately = order.declines.filter((at) => at + 10 * minutes > now)
  if (lately.length >= 10) return limited()
  const method = (sent["payment_method"] ?? "card") as Method
  if (order.manual && !methods[method].isCard) return invalid("payment_method")
  if (!account.reachable) return unanswered()
  if (outcome.startsWith("succeed")) {
    if (order.taken.length > unappliedMax) return conflict("too_many_payments")
    const amount = (sent["amount"] ?? order.amount) as number
    const isWanted = order.state === "pending" && amount === order.amount
    if (outcome === "succeed" && !isWanted && order.unapplied >= unappliedMax) return conflict("too_many_payments")
    const payment = { id: newNo.payment(), amount, method, at: now, known: false, cardErased: false }
    order.redirectedAt = undefined
    order.taken.push(payment)
    if (outcome === "succeed") take(account, now, order, payment)
    return ok(orderView(account, order))
  }
  order.redirectedAt = outcome === "redirect" ? now : undefined
  if (outcome === "decline") order.declines = [...lately, now]
  const reason = { decline: "generic_decline", cancel: "cancelled_by_buyer", fail: "processing_error" }[outcome]
  if (reason !== undefined) order.failureReason = reason
  if (outcome === "fail" && order.state === "pending") end(account, now, order, "failed")
  return ok(orderView(account, order))
}

/** A dispute that has taken money blocks refunds (silences: R10). */
export const isDisputed = (account: Account, order: Order) =>
  account.disputes.some((dispute) => dispute.order === order && isOpen(dispute))

export const lostOf = (account: Account, order: Order) =>
  account.disputes
    .filter((dispute) => dispute.order === order && dispute.state === "lost")
    .reduce((sum, { amount }) => sum + amount, 0)
