/**
 * The receipt of an order: who may ask for it, and how often (spec: Orders, send_receipt; Limits). Part of the order's
 * rules: only a paid order has one, and it keeps it when it is refunded.
 */
import { prefixes } from "@coffer/model/Ids"
import { receiptSendsMax, receiptWindow } from "@coffer/model/Limits"
import { DateTime } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Order, type OrderCommand, OrderConflict, OrderEvent, type Receipt } from "./Order.ts"

type CommandOf<Tag extends OrderCommand["_tag"]> = Extract<OrderCommand, { readonly _tag: Tag }>
type ReceiptDecision = Decision<OrderEvent, OrderConflict>

const { BuyersAddressTaken, ReceiptFailed, ReceiptNumbered, ReceiptRequested, ReceiptSent } = OrderEvent.cases

/** The merchant's own number, which the buyer may know from the shop. A number of ours means nothing to a buyer. */
export const shopsNumber = ({ outTradeNo, tradeNo }: Order): string | undefined =>
  outTradeNo === (tradeNo as string) || outTradeNo.startsWith(prefixes.link) ? undefined : outTradeNo

export const noReceipt: Receipt = { number: null, sentAt: null, requestedAt: [] }

/** Whether the buyer may set the receipt email: the merchant gave none, and the order is unpaid. */
export const takesAddress = ({ receipt, receiptEmail, status }: Order): boolean =>
  status === "pending" && (receiptEmail === null || receipt?.isBuyers === true)

/** A late form changes nothing: its order was paid meanwhile, or has the merchant's address. */
export const decideTakeBuyersAddress = (order: Order, { address }: CommandOf<"TakeBuyersAddress">): ReceiptDecision =>
  takesAddress(order) && order.receiptEmail !== address ? accept(BuyersAddressTaken.make({ address })) : accept()

/** The receipt of an order whose address is the merchant's. */
export const merchants = (receipt: Receipt | null): Receipt | null => {
  if (receipt === null) return null
  const { isBuyers: _, ...rest } = receipt
  return rest
}

export const decideNumberReceipt = (order: Order, { number }: CommandOf<"NumberReceipt">): ReceiptDecision => {
  if (!hasReceipt(order)) return refuse(conflict(order, "no_receipt"))
  return order.receipt?.number ? accept() : accept(ReceiptNumbered.make({ number }))
}

export const decideRequestReceipt = (order: Order, request: CommandOf<"RequestReceipt">): ReceiptDecision => {
  const { address, at, mailId, save } = request
  if (!hasReceipt(order)) return refuse(conflict(order, "no_receipt"))
  // The cluster may deliver the command twice. Two requests may have the same time, so the number identifies each.
  if (order.receipt?.mailIds?.includes(mailId) === true) return accept()
  return recentRequests(order, at).length < receiptSendsMax
    ? accept(ReceiptRequested.make({ address, at, mailId, save }))
    : refuse(conflict(order, "too_many_receipts"))
}

export const decideConfirmReceiptSent = (order: Order, { at }: CommandOf<"ConfirmReceiptSent">): ReceiptDecision => {
  if (!hasReceipt(order)) return refuse(conflict(order, "no_receipt"))
  // Always a fact, since the mail's row is written with it. That row's version shows whether it was recorded before.
  return accept(ReceiptSent.make({ at: DateTime.max(at, order.receipt?.sentAt ?? at) }))
}

export const decideFailReceipt = (order: Order, { reason }: CommandOf<"FailReceipt">): ReceiptDecision =>
  hasReceipt(order) ? accept(ReceiptFailed.make({ reason })) : refuse(conflict(order, "no_receipt"))

/** The receipt after a request. The last five numbers are enough: the hour of a sixth has passed. */
export const requested = (
  order: Order,
  { at, mailId }: Pick<CommandOf<"RequestReceipt">, "at" | "mailId">
): Receipt => {
  const { failure: _, ...receipt } = order.receipt ?? noReceipt
  return {
    ...receipt,
    requestedAt: [...recentRequests(order, at), at],
    mailIds: [...(receipt.mailIds ?? []), mailId].slice(-receiptSendsMax)
  }
}

export const sent = ({ receipt }: Order, at: DateTime.Utc): Receipt => {
  const { failure: _, ...rest } = receipt ?? noReceipt
  return { ...rest, sentAt: at }
}

/** When the merchant requested it within the hour before `at`, oldest first. */
export const recentRequests = ({ receipt }: Order, at: DateTime.Utc): ReadonlyArray<DateTime.Utc> => {
  const since = DateTime.subtractDuration(at, receiptWindow)
  return (receipt?.requestedAt ?? []).filter((time) => DateTime.isGreaterThan(time, since))
}

export const hasReceipt = (order: Order): boolean => "paymentId" in order

const conflict = ({ tradeNo }: Order, reason: OrderConflict["reason"]) => new OrderConflict({ tradeNo, reason })
