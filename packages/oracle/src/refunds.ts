/** What the operations on refunds answer (spec: Refunds; silences: R16, the order of the checks). */
import { emit, post, usable } from "./books.ts"
import { allOf, bodyOf, freeText, integer, merged, metadata, oneLine, patch } from "./fields.ts"
import { amountMax, isDisputed, lostOf } from "./orders.ts"
import { type Account, mention, methods, named, newNo, type Order, type Refund } from "./state.ts"
import { type Answer, conflict, invalid, missing, ok, refused, timeOf, unanswered, type When } from "./values.ts"
import { amountPaid, refundableUntil, refundView } from "./views.ts"

export const createRefund = (account: Account, now: number, body: unknown): Answer => {
  const sent = bodyOf(body)
  const checked = allOf(
    body,
    {
      trade_no: oneLine(1, 128),
      out_refund_no: oneLine(1, 128),
      amount: integer(1, amountMax),
      reason: freeText(500),
      metadata
    },
    ["trade_no", ...(sent["amount"] === null ? ["amount"] : [])]
  )
  if (checked !== undefined) return checked
  const order = named(account.orders, sent["trade_no"] as string)
  if (order === undefined) return missing("order")
  const ownNo = (sent["out_refund_no"] ?? undefined) as string | undefined
  const requested = sent["amount"] as number | undefined
  const earlier = ownNo === undefined ? undefined : account.refunds.find((refund) => refund.ownNo === ownNo)
  if (earlier !== undefined) {
    const isSame = earlier.order === order && earlier.requested === requested
    return isSame ? ok(refundView(account, earlier)) : conflict("refund_number_taken")
  }
  const standing = stands(account, now, order, requested)
  if ("status" in standing) return standing
  if (!account.reachable) return unanswered()
  const later = !methods[order.own!.method].isCard
  const refund: Refund = {
    no: newNo.refund(),
    ownNo,
    order,
    amount: standing.amount,
    requested,
    reason: (sent["reason"] ?? null) as string | null,
    metadata: merged({}, sent["metadata"]) ?? {},
    createdAt: now,
    updatedAt: timeOf(now),
    state: later ? "pending" : "succeeded",
    settledAt: later ? null : timeOf(now)
  }
  mention(order, Object.values(refund.metadata))
  account.refunds.push(refund)
  if (later) {
    post(account, now, refund, [["refund_freeze", -refund.amount]])
    return ok(refundView(account, refund), 202)
  }
  order.refunded += refund.amount
  post(account, now, refund, [["refund_at_once", -refund.amount]])
  emit(account, now, "refund.succeeded", refund)
  return ok(refundView(account, refund), 201)
}

/** The amount, or the refusal. */
const stands = (
  account: Account,
  now: number,
  order: Order,
  requested: number | undefined
): Answer | { readonly amount: number } => {
  if (order.own === undefined) return conflict("not_paid")
  const lost = lostOf(account, order)
  if (order.refunded + lost >= amountPaid(order)) return conflict("nothing_left")
  if (isDisputed(account, order)) return conflict("disputed")
  const until = refundableUntil(order)
  if (until !== null && now > until) return refused(400, "refund_window_expired")
  const pending = account.refunds
    .filter((refund) => refund.order === order && refund.state === "pending")
    .reduce((sum, { amount }) => sum + amount, 0)
  const left = amountPaid(order) - order.refunded - pending - lost
  if (requested === undefined && left <= 0) return conflict()
  const amount = requested ?? left
  if (amount > left) return invalid("amount")
  if (amount > usable(account, order.currency)) return refused(400, "insufficient_balance", "amount")
  return { amount }
}

export const updateRefund = (account: Account, now: number, refund: Refund | undefined, body: unknown): Answer => {
  const checked = allOf(body, { metadata: patch })
  if (checked !== undefined) return checked
  if (refund === undefined) return missing("refund")
  const after = merged(refund.metadata, bodyOf(body)["metadata"])
  if (after === undefined) return invalid("metadata")
  if ("metadata" in bodyOf(body)) refund.updatedAt = timeOf(now)
  refund.metadata = after
  mention(refund.order, Object.values(after))
  return ok(refundView(account, refund))
}

/** The bank's decision: by a test helper, or automatic. */
export const settle = (account: Account, when: When, refund: Refund, outcome: "succeeded" | "failed"): Answer => {
  const { amount, order, state } = refund
  if (state === outcome) return ok(refundView(account, refund))
  if (state === "failed") return conflict()
  refund.state = outcome
  const now = timeOf(when)
  refund.updatedAt = now
  refund.settledAt = outcome === "succeeded" ? now : null
  if (outcome === "succeeded") order.refunded += amount
  else if (state === "succeeded") order.refunded -= amount
  const effect = outcome === "succeeded" ? "refund_debit" : state === "pending" ? "refund_unfreeze" : "refund_reversed"
  post(account, now, refund, [[effect, outcome === "succeeded" ? -amount : amount]])
  emit(account, now, `refund.${outcome}`, refund)
  return ok(refundView(account, refund))
}
