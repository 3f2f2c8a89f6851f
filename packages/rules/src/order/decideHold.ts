/**
 * Decisions about a hold. What the channel is asked for is written down first, and only one thing at a time is asked:
 * so a capture and a release exclude each other, and a hold is captured once. Part of the order's rules (silences:
 * O75).
 */
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import type { EventType } from "@coffer/model/EventType"
import type { Minor } from "@coffer/model/Money"
import { accept, type Decision, refuse } from "../Decision.ts"
import {
  type Hold,
  heldOf,
  type HeldPayment,
  type HoldProblem,
  type HoldRequest,
  HoldStep,
  isManual,
  type Release
} from "./Hold.ts"
import { type Order, OrderConflict, OrderEvent, type UnappliedPayment } from "./Order.ts"
import type { PaymentFacts } from "./Payment.ts"

type HoldDecision = Decision<OrderEvent, OrderConflict>
type StepOf<Tag extends HoldStep["_tag"]> = Extract<HoldStep, { readonly _tag: Tag }>

const {
  CaptureTold,
  HoldAsked,
  HoldPlaced,
  HoldReleased,
  HoldWithdrawn,
  UnappliedPaymentFound,
  UnappliedPaymentNoted,
  UnappliedPaymentReturned
} = OrderEvent.cases

export const decideHold = (order: Order, step: HoldStep): HoldDecision =>
  HoldStep.match(step, {
    Authorize: (authorize): HoldDecision => decideAuthorize(order, authorize),
    AskCapture: (ask): HoldDecision => decideAskCapture(order, ask),
    AskRelease: (ask): HoldDecision => decideAskRelease(order, ask),
    Capture: ({ facts }): HoldDecision => decideCapture(order, facts),
    Withdraw: (withdraw): HoldDecision => decideWithdraw(order, withdraw),
    Release: ({ paymentId }): HoldDecision => decideRelease(order, paymentId)
  })

/** A hold of another amount, for an order that waits for none, or a second one: nothing of it is captured. */
const decideAuthorize = (order: Order, { amount, currency, payment }: StepOf<"Authorize">): HoldDecision => {
  const { paymentId } = payment
  if (order.hold?.payment?.paymentId === paymentId || isKnown(order, paymentId)) return accept()
  const isItsOwn = amount === order.amount && currency === order.currency
  const waits = order.status === "pending" && isManual(order) && heldOf(order) === undefined
  if (waits && isItsOwn) return accept(HoldPlaced.make({ payment }))
  if (order.mode === "sandbox" && order.unappliedPayments.length >= unappliedPaymentsMax) {
    return refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "too_many_payments" }))
  }
  const { authorizedAt: paidAt, captureBy: _, ...rest } = payment
  const reason = !isItsOwn ? "mismatch" : order.status === "failed" || order.status === "expired" ? "late" : "second"
  const found = { ...rest, amount, currency, paidAt, reason, state: "due", isHold: true } as const
  return accept(UnappliedPaymentFound.make({ payment: found }))
}

/** The same amount again joins the capture that is under way, or finds it done. */
const decideAskCapture = (order: Order, { amount, key, now }: StepOf<"AskCapture">): HoldDecision => {
  if ("paymentId" in order) {
    return order.hold?.captured === amount
      ? accept()
      : refuseHold(order, isManual(order) ? "captured" : "not_authorized")
  }
  if (heldOf(order) === undefined || amount > order.amount) return refuseHold(order, problemOfEnded(order))
  const request = order.hold?.request
  if (request === undefined) return accept(HoldAsked.make({ request: { key, at: now, capture: amount } }))
  if (request.release !== undefined) return refuseHold(order, "canceling")
  return request.capture === amount ? join(request) : refuseHold(order, "capturing")
}

const join = (request: HoldRequest): HoldDecision =>
  request.isShared === true ? accept() : accept(HoldAsked.make({ request: { ...request, isShared: true } }))

/** Without a refusal the channel did nothing: who has asked for it alone is told so. */
const decideWithdraw = (order: Order, { key, refusal }: StepOf<"Withdraw">): HoldDecision => {
  const request = order.hold?.request
  const isStill = heldOf(order) !== undefined && request?.key === key
  if (!isStill || (refusal === undefined && request.isShared === true)) return accept()
  return accept(HoldWithdrawn.make(refusal === undefined ? {} : { refusal }))
}

const problemOfEnded = ({ hold }: Order): HoldProblem =>
  hold?.released === "expired" ? "authorization_expired" : "not_authorized"

const decideAskRelease = (order: Order, { key, now, release }: StepOf<"AskRelease">): HoldDecision => {
  if (order.status === "expired") return accept()
  if (heldOf(order) === undefined) return refuseHold(order, undefined)
  const request = order.hold?.request
  if (request === undefined) return accept(HoldAsked.make({ request: { key, at: now, release } }))
  return request.release === undefined ? refuseHold(order, "capturing") : join(request)
}

/** The channel took the money: for the order if it waited for it, and otherwise it goes back to the buyer. */
const decideCapture = (order: Order, facts: PaymentFacts): HoldDecision => {
  if ("paymentId" in order && order.paymentId === facts.paymentId) return accept()
  const known = order.unappliedPayments.find(({ paymentId }) => paymentId === facts.paymentId)
  const { card: _, fee: __, refundableUntil: ___, ...payment } = facts
  if (known !== undefined) {
    // It was to be released, and was captured meanwhile: now there is money to give back.
    return known.isHold === true
      ? accept(UnappliedPaymentNoted.make({ payment: { ...payment, reason: known.reason, state: "due" } }))
      : accept()
  }
  const isWhole = facts.currency === order.currency && facts.amount > 0 && facts.amount <= order.amount
  const held = heldOf(order)
  const heldId = held?.paymentId ?? facts.paymentId
  if (order.status === "pending" && isManual(order) && heldId === facts.paymentId && isWhole) {
    // Without their constructors: the command with the facts has validated them.
    return accept<OrderEvent>({ _tag: "PaymentSucceeded", facts }, CaptureTold.make({}))
  }
  const found = UnappliedPaymentFound.make({ payment: { ...payment, ...fateOf(order, isWhole) } })
  // The channel holds nothing any more: the order ends, and a person looks at the payment.
  return held?.paymentId === facts.paymentId ? accept<OrderEvent>(found, released(order)) : accept(found)
}

const released = ({ hold }: Order) => HoldReleased.make({ release: hold?.request?.release ?? "expired" })

const fateOf = ({ status }: Order, isWhole: boolean): Pick<UnappliedPayment, "reason" | "state"> => {
  if (!isWhole) return { reason: "mismatch", state: "parked" }
  return { reason: status === "failed" || status === "expired" ? "late" : "second", state: "due" }
}

const decideRelease = (order: Order, paymentId: HeldPayment["paymentId"]): HoldDecision => {
  if (heldOf(order)?.paymentId === paymentId) {
    return accept(released(order))
  }
  return order.unappliedPayments.some((each) => each.paymentId === paymentId && each.isHold && each.state === "due")
    ? accept(UnappliedPaymentReturned.make({ paymentId }))
    : accept()
}

const isKnown = (order: Order, id: HeldPayment["paymentId"]): boolean =>
  ("paymentId" in order && order.paymentId === id) || order.unappliedPayments.some(({ paymentId }) => paymentId === id)

const refuseHold = ({ tradeNo }: Order, hold: HoldProblem | undefined): HoldDecision =>
  refuse(new OrderConflict({ tradeNo, reason: "not_pending", ...(hold === undefined ? {} : { hold }) }))

// Evolve ----------------------------------------------------------------------

type HoldEvent = Extract<OrderEvent, { readonly _tag: "HoldPlaced" | "HoldAsked" | "HoldWithdrawn" }>

/** The order after a fact that leaves it as pending as it was. */
export const holding = (order: Order, event: HoldEvent): Order => ({ ...order, hold: holdAfter(order.hold, event) })

const holdAfter = (hold: Order["hold"], event: HoldEvent): Hold => {
  switch (event._tag) {
    case "HoldPlaced":
      return { ...hold, payment: event.payment }
    case "HoldAsked":
      return { ...withoutRequest(hold), request: event.request }
    case "HoldWithdrawn":
      return { ...withoutRequest(hold), ...(event.refusal === undefined ? {} : { refusal: event.refusal }) }
  }
}

/** The hold once nothing is asked for. */
export const withoutRequest = (hold: Order["hold"]): Hold => {
  const { request: _, refusal: __, ...rest } = hold ?? {}
  return rest
}

/** The hold of an order that was just paid, for its terms; an order without one gets none. */
export const capturedOf = ({ hold }: Pick<Order, "hold">, captured: Minor): Pick<Order, "hold"> =>
  hold === null || hold === undefined ? {} : { hold: { ...withoutRequest(hold), captured } }

// Consequences ----------------------------------------------------------------

export const endOf: Readonly<Record<Release, EventType>> = {
  canceled: "payment.canceled",
  expired: "payment.authorization_expired"
}
