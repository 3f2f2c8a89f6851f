/** Errors of orders as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import { createdAtOf, type TradeNo } from "@coffer/model/Ids"
import { isoText } from "@coffer/model/isoText"
import { heldOf, type HoldProblem, statusOf } from "@coffer/rules/order/Hold"
import type { Order, OrderConflict } from "@coffer/rules/order/Order"
import { Effect, Option } from "effect"
import { notFoundMessage } from "../../shared/http/numberHint.ts"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { OrderNotFound } from "./OrderCommands.ts"
import type { CaptureRefused } from "./orderHolds.ts"
import type { OrderNumberTaken } from "./Orders.ts"

/** The state of an order that a call no longer fits, with the moment since when it has it, if that is known. */
export const stateOf = (order: Order): string => {
  const held = heldOf(order)
  if (held !== undefined) return `The order is authorized since ${isoText(held.authorizedAt)}, and not paid`
  switch (order.status) {
    case "pending":
      return `The order is pending since ${isoText(createdAtOf(order.tradeNo))}, and not paid`
    case "failed":
    case "expired":
      return `The order is ${statusOf(order)}, and was not paid`
    case "paid":
      return `The order is paid since ${isoText(order.paidAt)}`
    case "partially_refunded":
    case "refunded":
      return `The order is ${order.status}, and was paid at ${isoText(order.paidAt)}`
  }
}

const conflictMessage = {
  just_paid: "The buyer has just paid; the order is now paid. Deliver it, or refund it.",
  other_payment:
    "A payment of a different amount or currency was set aside; the order is still pending. Read its timeline.",
  buyer_busy: "The buyer is completing the payment; the order is still pending. Retry in a minute.",
  not_pending: "The order is no longer pending. Read it: its status and paid_at say what happened.",
  too_many_payments: `The order already has ${unappliedPaymentsMax} unmatched payments; the bank accepts no more.`,
  no_receipt: "The order is not paid, so it has no receipt. Wait for payment.succeeded.",
  not_parked: "The order has no unmatched payment with this ID.",
  too_many_receipts: "Five receipts were already sent for this order within the last hour.",
  too_many_keys: "A concurrent update exceeded the metadata limit; read the order and retry."
} satisfies Record<OrderConflict["reason"], string>

const holdMessage = {
  not_authorized: "There is nothing to capture: the buyer has not authorized this order, or its hold was given up.",
  capturing: "A capture of the order is under way. Read its capturing_amount, or wait for payment.captured.",
  canceling: "The hold of the order is being released. Read the order.",
  captured: "Another amount was captured; an order is captured once. Read its captured_amount.",
  authorization_expired: "The bank holds nothing for this order any more: it has expired. Create another order."
} satisfies Record<HoldProblem, string>

/** Also for the pages and helpers that capture nothing themselves. */
const conflictOf = ({ hold, reason, tradeNo }: OrderConflict) =>
  hold === undefined
    ? { tradeNo, reason, message: conflictMessage[reason] }
    : { tradeNo, reason: hold, message: holdMessage[hold] }

const conflict = refuseAs(Wire.Conflict, ({ message }: ReturnType<typeof conflictOf>) => ({ message }))

export const orderRefusals = {
  CaptureRefused: refuseAs(Wire.ProcessorError, ({ words }: CaptureRefused) => ({
    message: `The channel refused: ${words}; the order stays authorized.`
  })),
  OrderNotFound: refuseAs(Wire.OrderNotFound, ({ ref }: OrderNotFound) => ({
    message: notFoundMessage("an order", ref, "/v1/orders")
  })),
  OrderConflict: (refused: OrderConflict) => conflict(conflictOf(refused)),
  OrderNumberTaken: refuseAs(Wire.Conflict, ({ differs, outTradeNo }: OrderNumberTaken) => ({
    message: takenMessage(`Order number ${outTradeNo}`, differs),
    param: differs
  }))
}

/** `what`: the number that was used before. */
export const takenMessage = (what: string, differs: string): string =>
  `${what} already exists with a different ${differs}. Use a new number, or the same terms.`

interface Reads {
  readonly byTradeNo: (tradeNo: TradeNo) => Effect.Effect<Order, OrderNotFound>
}

/** The state that a refusal is about is read for its message: it only ever moves on. */
export const withState = <Refusal>(
  { byTradeNo }: Reads,
  { tradeNo }: { readonly tradeNo: TradeNo },
  refuse: (state: string | undefined) => Effect.Effect<never, Refusal>
): Effect.Effect<never, Refusal> =>
  Effect.flatMap(Effect.option(byTradeNo(tradeNo)), (order) =>
    refuse(Option.getOrUndefined(Option.map(order, stateOf)))
  )

/** `not_pending` says which status it is, and since when. */
export const orderConflict = (orders: Reads) => (refused: OrderConflict) =>
  refused.reason === "not_pending" && refused.hold === undefined
    ? withState(orders, refused, (state) =>
        refuseAs(Wire.Conflict, (_: OrderConflict) => ({
          message:
            state === undefined ? conflictMessage.not_pending : `${state}: it is no longer pending. Read it first.`
        }))(refused)
      )
    : orderRefusals.OrderConflict(refused)
