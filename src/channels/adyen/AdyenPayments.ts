/**
 * Front door to payments at Adyen: a buyer begins one on Adyen's page, and a checkout is closed. That a payment was
 * made is told by its notice (`AdyenNotices.ts`).
 */
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { heldOf, isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Effect, Option, Schema } from "effect"
import { Orders } from "../../money/orders/Orders.ts"
import { span } from "../../platform/runtime/span.ts"
import type { Begun, HostedPage } from "../../shared/channel/Channel.ts"
import {
  type CancelReport,
  type ChannelPayment,
  ChannelUnreachable,
  type Checkout
} from "../../shared/channel/payments.ts"
import { refundableUntil } from "../../shared/channel/refundWindows.ts"
import { AdyenClient } from "./AdyenClient.ts"
import { heldAs, holdWordOf } from "./holdWords.ts"
import { isMade, type LinkStatus, Links } from "./Links.ts"
import { type LinkRow, LinkStore } from "./LinkStore.ts"
import { adyenChannel, cardOf, methodOf } from "./names.ts"
import { type NoticeRow, NoticeStore } from "./NoticeStore.ts"

const isCurrency = Schema.is(Currency)
const isMinor = Schema.is(Minor)
export const isTradeNo = Schema.is(TradeNo)

/** The code of a notice about a payment. */
export const paymentCode = "AUTHORISATION"

/** A payment as it was made. None in a currency or of an amount that no order of ours has. */
export const paymentOf = (notice: NoticeRow): Option.Option<ChannelPayment> => {
  const { amount, card_last4, currency, event_at: paidAt, method: variant, psp_reference } = notice
  if (!isCurrency(currency) || !isMinor(amount)) return Option.none()
  const method = methodOf(variant)
  return Option.some({
    channel: adyenChannel,
    paymentId: PaymentId.make(psp_reference),
    method,
    card: cardOf(variant, card_last4),
    amount,
    currency,
    paidAt,
    refundableUntil: refundableUntil(method, paidAt)
  })
}

/** The payment of a notice that names the order and is not in its books yet. */
const makePaidIn = (notices: NoticeStore["Service"], orders: Orders["Service"]) =>
  Effect.fnUntraced(function* (checkout: Checkout) {
    const named = yield* notices.named(checkout, checkout.tradeNo)
    const paid = named.find(({ code, due_at, succeeded }) => code === paymentCode && succeeded && due_at !== null)
    const payment = paid === undefined ? Option.none() : paymentOf(paid)
    if (Option.isNone(payment)) return payment
    const order = yield* Effect.option(orders.byTradeNo(checkout.tradeNo))
    if (!Option.exists(order, isManual)) return payment
    const word = holdWordOf(yield* notices.ofPayment(checkout, payment.value.paymentId))
    return Option.some(heldAs(payment.value, word))
  })

/** How often beginning is retried while others begin at the same moment. */
const attemptsMax = 3
/** How often to look for the order's link while Adyen is answering. */
const looksMax = 2

export const makeAdyenPayments = Effect.gen(function* () {
  const client = yield* AdyenClient
  const links = yield* Links
  const store = yield* LinkStore
  const notices = yield* NoticeStore
  const orders = yield* Orders

  const paidIn = makePaidIn(notices, orders)

  const make = (order: Order, row: LinkRow, language: string) =>
    Effect.catchTags(Effect.map(links.make(order, row, language), begunOf), {
      AdyenRefused: ({ code }) => Effect.succeed(notTaken(amountCodes.has(code) ? "amount" : "method"))
    })

  /** Undefined: a new link may be planned. */
  const beginAt = Effect.fnUntraced(function* (order: Order, row: LinkRow, method: PaymentMethod, language: string) {
    const isSame = row.method === method
    if (!isMade(row)) {
      // Adyen's answer was lost, or another request is asking now. A retry with the same key gets the same link.
      if (isSame) return yield* make(order, row, language)
      // If it was made meanwhile, the next attempt finds it.
      yield* store.giveUp(row.key)
      return undefined
    }
    const looked = isSame ? links.look(row) : links.end(row)
    const status = yield* Effect.catchTags(looked, { ChannelUnreachable: () => Effect.succeed(unknown) })
    if (status._tag === "Unknown") return unknown
    return status._tag === "Over" ? undefined : begunOf(status)
  })

  const begin = span("AdyenPayments.begin")(function* (order: Order, method: PaymentMethod, language: string) {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const found = yield* store.active(order.tradeNo)
      const begun = Option.isSome(found) ? yield* beginAt(order, found.value, method, language) : undefined
      if (begun !== undefined) return begun
      // A second link would be paid twice. The notice of a payment may be here and not handled, or the order has ended,
      // which is committed before its link ends.
      if (Option.isSome(yield* paidIn(order))) return orderEnded
      const now = yield* orders.byTradeNo(order.tradeNo)
      if (now.status !== "pending" || heldOf(now) !== undefined) return orderEnded
      const planned = yield* links.plan(order, method)
      if (Option.isSome(planned)) return yield* make(order, planned.value, language)
    }
    return yield* new ChannelUnreachable()
  }, Effect.uninterruptible)

  const cancel = span("AdyenPayments.cancel")(function* (checkout: Checkout) {
    for (let look = 1; look <= looksMax; look++) {
      const found = yield* store.active(checkout.tradeNo)
      if (Option.isNone(found)) return yield* reported(checkout, cancelled)
      const row = found.value
      if (isMade(row)) {
        const { _tag } = yield* links.end(row)
        return yield* reported(checkout, _tag === "Over" ? cancelled : busy)
      }
      // Adyen may have made the link, but its address is unknown. A call that is making it now will expire it.
      if (yield* store.giveUp(row.key)) return cancelled
      // Adyen's answer came meanwhile: look again.
    }
    return yield* new ChannelUnreachable()
  })

  /** A notice that is not handled yet goes before what the link says. */
  const reported = (checkout: Checkout, report: CancelReport) =>
    Effect.map(
      paidIn(checkout),
      Option.match({ onNone: () => report, onSome: (payment): CancelReport => ({ _tag: "AlreadyPaid", payment }) })
    )

  const isProcessing = Effect.fnUntraced(function* (order: Order) {
    if (order.status !== "pending" || (yield* client.accountOf(order)) === null) return false
    return Option.exists(yield* store.active(order.tradeNo), ({ state }) => state === "processing")
  })

  const lookUp = span("AdyenPayments.lookUp")(function* (order: Order) {
    if (order.status !== "pending" || (yield* client.accountOf(order)) === null) return order
    const found = yield* store.active(order.tradeNo)
    if (Option.isNone(found) || !isMade(found.value)) return order
    yield* links.look(found.value)
    const payment = yield* paidIn(order)
    return Option.isNone(payment)
      ? order
      : yield* Effect.catchTags(orders.report(order, { _tag: "Succeeded", payment: payment.value }), {
          OrderConflict: () => Effect.succeed(order)
        })
  }, Effect.uninterruptible)

  return {
    page: { begin, lookUp, isProcessing, offered: (_, methods) => Effect.succeed(methods) } satisfies HostedPage,
    cancel: Effect.fnUntraced(function* (checkout: Checkout) {
      return (yield* client.accountOf(checkout)) === null ? cancelled : yield* cancel(checkout)
    })
  }
})

const cancelled: CancelReport = { _tag: "Cancelled" }
const busy: CancelReport = { _tag: "BuyerBusy" }
const orderEnded: Begun = { _tag: "Settled" }
const unknown = { _tag: "Unknown" } as const satisfies Begun
const notTaken = (because: "method" | "amount"): Begun => ({ _tag: "NotTaken", because })

/** Adyen's codes of an amount or a currency that it does not take. */
const amountCodes: ReadonlySet<string> = new Set(["137", "138"])

const begunOf = (status: LinkStatus | undefined): Begun =>
  status?._tag === "Open" ? { _tag: "Redirect", url: status.url } : orderEnded
