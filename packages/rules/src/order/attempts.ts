/**
 * Failed attempts to pay, and the channel's final report about an order. Part of the order's rules. An attempt that is
 * reported after the order has ended is recorded for the timeline (silences: O13, O70).
 */
import { paymentAttemptsMax, paymentDeclinesMax, paymentDeclinesWindow } from "@coffer/model/Limits"
import { DateTime } from "effect"
import { accept, type Decision } from "../Decision.ts"
import { heldOf, statusOf } from "./Hold.ts"
import { type Order, type OrderConflict, OrderEvent, type PaymentAttempt } from "./Order.ts"

type AttemptDecision = Decision<OrderEvent, OrderConflict>

const { AttemptNoted, PaymentFailed } = OrderEvent.cases

/** The same in every status. The channel may report an attempt many times. */
export const decideNoteAttempt = (order: Order, attempt: PaymentAttempt): AttemptDecision =>
  isKnown(order, attempt) ? accept() : accept(AttemptNoted.make({ attempt }))

export const decideFailPayment = (order: Order, attempt: PaymentAttempt): AttemptDecision => {
  switch (order.status) {
    case "pending":
      return heldOf(order) === undefined ? accept(PaymentFailed.make({ attempt })) : decideNoteAttempt(order, attempt)
    case "paid":
    case "partially_refunded":
    case "refunded":
    case "failed":
    case "expired":
      return decideNoteAttempt(order, attempt)
  }
}

const isKnown = ({ attempts }: Order, { channel, id }: PaymentAttempt): boolean =>
  attempts?.some((each) => each.id === id && each.channel === channel) === true

/** The order with the attempt inserted by time. Only bank refusals count as declines. */
export const attempted = (order: Order, attempt: PaymentAttempt): Order => ({
  ...order,
  declines: order.declines + (attempt.outcome === "declined" ? 1 : 0),
  attempts: [...(order.attempts ?? []), attempt]
    .toSorted((a, b) => DateTime.toEpochMillis(a.at) - DateTime.toEpochMillis(b.at))
    .slice(-paymentAttemptsMax)
})

/** Attempts left before the bank's lockout, by the order's data. */
export const triesLeft = ({ attempts }: Order, now: DateTime.Utc): number => {
  const since = DateTime.subtractDuration(now, paymentDeclinesWindow)
  const recent = (attempts ?? []).filter(
    ({ at, outcome }) => outcome === "declined" && DateTime.isGreaterThan(at, since)
  )
  return Math.max(0, paymentDeclinesMax - recent.length)
}

/** Whether no buyer has tried to pay yet, or left an address. */
export const isUntouched = (order: Order): boolean =>
  statusOf(order) === "pending" && order.receiptEmail === null && order.attempts === null

/** Why the order is not paid: the reason of its last attempt. Null without attempts, and for a paid order. */
export const failureOf = (order: Order): string | null =>
  "paymentId" in order ? null : (order.attempts?.at(-1)?.reason ?? null)
