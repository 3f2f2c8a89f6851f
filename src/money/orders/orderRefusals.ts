/** Errors of orders as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import type { OrderConflict } from "@coffer/rules/order/Order"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { OrderNotFound } from "./OrderCommands.ts"
import type { OrderNumberTaken } from "./Orders.ts"

const conflictMessage = {
  just_paid: "The buyer has just paid; the order is now paid.",
  other_payment: "A payment of a different amount or currency was received and set aside; the order is still pending.",
  buyer_busy: "The buyer is completing the payment; retry later.",
  not_pending: "The order is no longer pending.",
  too_many_payments: `The order already has ${unappliedPaymentsMax} unmatched payments; the bank accepts no more.`,
  no_receipt: "The order is not paid, so it has no receipt.",
  not_parked: "The order has no unmatched payment with this ID.",
  too_many_receipts: "Five receipts were already sent for this order within the last hour.",
  too_many_keys: "A concurrent update exceeded the metadata limit; read the order and retry."
} satisfies Record<OrderConflict["reason"], string>

export const orderRefusals = {
  OrderNotFound: refuseAs(Wire.OrderNotFound, ({ ref }: OrderNotFound) => ({ message: `No order ${ref}.` })),
  OrderConflict: refuseAs(Wire.Conflict, ({ reason }: OrderConflict) => ({ message: conflictMessage[reason] })),
  OrderNumberTaken: refuseAs(Wire.Conflict, ({ differs, outTradeNo }: OrderNumberTaken) => ({
    message: `Order number ${outTradeNo} already exists with a different ${differs}.`,
    param: differs
  }))
}
