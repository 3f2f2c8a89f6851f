/**
 * Handles Adyen's notices (docs/decisions/0279): each says what has happened, and is reported to the order, the refund
 * or the dispute. Notices may come twice, late, and in any order, so what several of them say together is decided from
 * all of them. A notice whose subject is not here yet is handled later.
 */
import { belongsTo } from "@coffer/model/Account"
import { PaymentId, RefundNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { amountPaid, heldOf, isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { Disputes } from "../../money/disputes/Disputes.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { Refunds } from "../../money/refunds/Refunds.ts"
import { makeAlarmOfContradiction } from "../../shared/channel/contradiction.ts"
import type { OneAccount } from "./account.ts"
import { makeAnswers } from "./AdyenDisputes.ts"
import { isTradeNo, paymentCode, paymentOf } from "./AdyenPayments.ts"
import { channelDisputeOf, isOfDispute, wordOf } from "./disputeWords.ts"
import { captureFailedCode, heldAs, holdWordOf, isOfHold } from "./holdWords.ts"
import { isMade, Links } from "./Links.ts"
import { LinkStore } from "./LinkStore.ts"
import { isOfModification, noticesOf, outcomeIn } from "./Modifying.ts"
import { isReturn, ModificationStore, returnPrefix } from "./ModificationStore.ts"
import { adyenChannel, cardOf, methodOf } from "./names.ts"
import type { Notice } from "./notices.ts"
import { type NoticeRow, NoticeStore } from "./NoticeStore.ts"

/** Its subject is not in our books yet: it is retried later. */
export class NotYetKnown extends Schema.TaggedError<NotYetKnown>()("NotYetKnown", { reason: Schema.String }) {}

/** Held: it tells of an amount that is captured later. */
export type Handled = "adopted" | "held" | "ignored"

export class AdyenNotices extends Context.Service<
  AdyenNotices,
  {
    /** Keeps the notice, to be handled by a worker. Whether it is new. */
    readonly note: (account: OneAccount, notice: Notice) => Effect.Effect<boolean>
    readonly handle: (notice: NoticeRow) => Effect.Effect<Handled, HandleFailure>
  }
>()("@coffer/adyen/AdyenNotices") {}

type Handlers = Effect.Success<typeof makeHandlers>
type HandleFailure = Effect.Error<ReturnType<Handlers[keyof Handlers]>>

/** A notice that matters to us. The others, such as those of a report, are counted and not kept. */
export const isKept = (code: string): boolean =>
  code === paymentCode || isOfHold(code) || isOfModification(code) || isOfDispute(code)

export const layer = Layer.effect(
  AdyenNotices,
  Effect.gen(function* () {
    const handlers = yield* makeHandlers
    const store = yield* NoticeStore
    const wakeups = yield* Wakeups
    const handleOf = (notice: NoticeRow): Effect.Effect<Handled, HandleFailure> => {
      if (notice.code === paymentCode) return handlers.payment(notice)
      if (notice.code === captureFailedCode) return handlers.captureFailed(notice)
      if (isOfHold(notice.code) && !isReturn(notice)) return handlers.hold(notice)
      return isOfModification(notice.code) ? handlers.modification(notice) : handlers.dispute(notice)
    }
    return AdyenNotices.of({
      note: Effect.fnUntraced(function* (account, notice) {
        const isNew = yield* store.insert(account, notice, yield* currentTime)
        if (isNew) wakeups.raise("adyen_notices")
        return isNew
      }),
      handle: span("AdyenNotices.handle")(function* (notice: NoticeRow) {
        return yield* Effect.annotateLogs(handleOf(notice), {
          merchant_id: notice.merchant_id,
          mode: notice.mode,
          adyen: notice.psp_reference
        })
      })
    })
  })
)

const noticeServices = Effect.gen(function* () {
  const orders = yield* Orders
  return {
    orders,
    refunds: yield* Refunds,
    disputes: yield* Disputes,
    links: yield* Links,
    linkStore: yield* LinkStore,
    store: yield* NoticeStore,
    modifications: yield* ModificationStore,
    answers: yield* makeAnswers,
    alarm: yield* makeAlarmOfContradiction,
    /** The merchant's own order that a reference names. A holder of the account may write other references. */
    orderOf: Effect.fnUntraced(function* (account: OneAccount, reference: string) {
      if (!isTradeNo(reference)) return Option.none<Order>()
      const found = yield* Effect.option(orders.byTradeNo(reference))
      return Option.filter(found, (order) => belongsTo(account, order))
    })
  }
})
type Services = Effect.Success<typeof noticeServices>

const makeHandlers = Effect.map(noticeServices, (services) => ({
  payment: handlePayment(services),
  captureFailed: handleCaptureFailed(services),
  hold: handleHold(services),
  modification: handleModification(services),
  dispute: handleDispute(services)
}))

const accountOf = ({ merchant_id: merchantId, mode }: NoticeRow) => ({ merchantId, mode })

/** A person may have to look at it: the log line names the object. */
const ignore = (why: string) =>
  Effect.as(Effect.logWarning(`a notice of Adyen was ignored: ${why}`), "ignored" as const)

/** What Adyen has of a payment of an order that is captured later. `authorized`: the payment's own notice. */
const reportHeld = Effect.fnUntraced(function* ({ orders, store }: Services, order: Order, authorized: NoticeRow) {
  const payment = paymentOf(authorized)
  if (Option.isNone(payment)) return yield* Effect.as(ignore("no order has such an amount"), order)
  const word = holdWordOf(yield* store.ofPayment(accountOf(authorized), authorized.psp_reference))
  const reporting = orders.report(order, { _tag: "Succeeded", payment: heldAs(payment.value, word) })
  const after = yield* Effect.catchTags(reporting, { OrderConflict: () => Effect.succeed(order) })
  return word.isReleased ? yield* orders.report(order, { _tag: "Released", paymentId: payment.value.paymentId }) : after
})

const handlePayment = (services: Services) => {
  const { linkStore, links, orderOf, orders } = services
  /** The order is paid: what else could be paid is ended. If Adyen does not answer, the notice is handled again. */
  const endLink = Effect.fnUntraced(function* (order: Order, paidLink: string | null) {
    const found = yield* linkStore.active(order.tradeNo)
    if (Option.isNone(found)) return
    const row = found.value
    if (!isMade(row)) return yield* Effect.asVoid(linkStore.giveUp(row.key))
    if (row.link_id === paidLink) return yield* linkStore.ended(row.key)
    const { _tag } = yield* links.end(row)
    // It is paid, too: its notice comes, and the payment goes back.
    if (_tag === "Done") yield* linkStore.ended(row.key)
  })
  return Effect.fnUntraced(function* (notice: NoticeRow) {
    const found = yield* orderOf(accountOf(notice), notice.reference)
    if (Option.isNone(found)) return yield* ignore("it names no order of ours")
    const order = found.value
    if (!notice.succeeded) {
      yield* orders.report(order, { _tag: "Attempted", attempt: attemptOf(notice) })
      return "adopted" as const
    }
    if (isManual(order)) {
      const after = yield* reportHeld(services, order, notice)
      const held = heldOf(after)
      if (after.status !== "pending" || held !== undefined) yield* endLink(after, notice.link_id)
      return held?.paymentId === notice.psp_reference ? "held" : "adopted"
    }
    const payment = paymentOf(notice)
    if (Option.isNone(payment)) return yield* ignore("it is of a currency or an amount that no order has")
    const after = yield* Effect.catchTags(orders.report(order, { _tag: "Succeeded", payment: payment.value }), {
      OrderConflict: () => Effect.succeed(order)
    })
    if (after.status !== "pending") yield* endLink(after, notice.link_id)
    return "adopted" as const
  })
}

const cancelReasons = /cancel/i

const attemptOf = ({ card_last4, event_at, method, psp_reference, reason }: NoticeRow) => {
  const card = cardOf(method, card_last4)
  return {
    channel: adyenChannel,
    id: psp_reference,
    method: methodOf(method),
    outcome: cancelReasons.test(reason ?? "") ? ("cancelled" as const) : ("declined" as const),
    reason: (reason ?? "refused").toLowerCase().replaceAll(/\W+/g, "_"),
    ...(reason === null ? {} : { message: reason }),
    ...(card === null ? {} : { card }),
    at: event_at
  }
}

/** Adyen has captured or released what it held, or says that it did not do what we asked for. */
const handleHold = (services: Services) => {
  const { orderOf, orders, store } = services
  return Effect.fnUntraced(function* (notice: NoticeRow) {
    const account = accountOf(notice)
    const paymentId = notice.original_reference ?? notice.psp_reference
    const about = yield* store.about(account, paymentId)
    const authorized = about.find(({ code, succeeded }) => code === paymentCode && succeeded)
    if (authorized === undefined) return yield* new NotYetKnown({ reason: "payment" })
    const found = yield* orderOf(account, authorized.reference)
    // An account that captures by itself tells of it, too.
    if (Option.isNone(found) || !isManual(found.value)) return "ignored" as const
    if (notice.succeeded) {
      yield* reportHeld(services, found.value, authorized)
      // A capture that was denied leaves the hold, and its order gets the card with the next one.
      const word = holdWordOf(yield* store.ofPayment(account, paymentId))
      if (word.captured !== undefined || word.isReleased) yield* store.forgetCard(account, paymentId)
    } else {
      // The answer is asked for again, and is this notice.
      yield* orders.checkHold(found.value.tradeNo)
    }
    return "adopted" as const
  })
}

/** The order was paid, and Adyen does not get the money: nothing is taken back by the program. */
const handleCaptureFailed = ({ alarm }: Services) =>
  Effect.fnUntraced(function* ({ mode, original_reference, psp_reference, reference }: NoticeRow) {
    yield* alarm(mode, {
      trade_no: reference,
      payment_id: original_reference ?? psp_reference,
      status: captureFailedCode
    })
    return "adopted" as const
  })

const isRefundNo = Schema.is(RefundNo)

const handleModification = ({ modifications, orderOf, orders, refunds, store }: Services) => {
  const ours = (reference: string) => isRefundNo(reference) || reference.startsWith(returnPrefix)

  const returned = Effect.fnUntraced(function* (account: OneAccount, paymentId: PaymentId) {
    const [payment] = yield* store.about(account, paymentId)
    const order = payment === undefined ? Option.none() : yield* orderOf(account, payment.reference)
    return Option.isNone(order) ? yield* new NotYetKnown({ reason: "payment" }) : order.value
  })

  return Effect.fnUntraced(function* (notice: NoticeRow) {
    const account = accountOf(notice)
    const found = yield* modifications.find(account, notice.psp_reference, notice.reference)
    if (Option.isNone(found)) {
      // Made in Adyen's pages, or a request of ours whose answer is not written yet.
      return ours(notice.reference)
        ? yield* new NotYetKnown({ reason: "modification" })
        : yield* ignore("it was not requested here")
    }
    const outcome = outcomeIn(yield* noticesOf(store, account, found.value))
    if (outcome === undefined) return "ignored" as const
    const { payment_id: paymentId, reference } = found.value
    if (!isReturn(found.value)) {
      yield* refunds.report(RefundNo.make(reference), outcome)
      return "adopted" as const
    }
    const order = yield* returned(account, paymentId)
    yield* outcome.outcome === "failed"
      ? orders.reportFailedReturn(order, paymentId, outcome.reason)
      : orders.reportReturned(order, { paymentId, left: Minor.make(0) })
    return "adopted" as const
  })
}

const handleDispute = ({ answers, disputes, orderOf, orders, store }: Services) =>
  Effect.fnUntraced(function* (notice: NoticeRow) {
    const account = accountOf(notice)
    const { original_reference, psp_reference: processorDisputeId } = notice
    const found = yield* orderOf(account, notice.reference)
    if (Option.isNone(found) || original_reference === null) return yield* ignore("a dispute is for no payment of ours")
    const order = found.value
    const heard = yield* store.about(account, processorDisputeId)
    if (!("paymentId" in order) || order.paymentId !== original_reference) {
      const payment = order.unappliedPayments.find(({ paymentId }) => paymentId === original_reference)
      const dispute = payment === undefined ? undefined : channelDisputeOf(heard, processorDisputeId, payment)
      if (dispute === undefined) return yield* new NotYetKnown({ reason: "payment" })
      yield* orders.noteDispute(order.tradeNo, PaymentId.make(original_reference), dispute)
      return "adopted" as const
    }
    const answer = (yield* answers.taken({ ...account, processorDisputeId }))?.step
    const word = wordOf(heard, answer, order.currency)
    if (word === undefined) return "ignored" as const
    const whole = amountPaid(order)
    const left = whole - order.refundedAmount
    const first = heard.find(({ code }) => isOfDispute(code)) ?? notice
    yield* disputes.handleReport({
      ...word,
      ...account,
      tradeNo: order.tradeNo,
      channel: adyenChannel,
      processorDisputeId,
      // In another currency it freezes the rest of the payment.
      amount: word.standing?.amount ?? Minor.make(left > 0 ? left : whole),
      reason: first.reason ?? "general",
      evidenceDueBy: word.standing?.evidenceDueBy ?? null,
      openedAt: first.event_at
    })
    return "adopted" as const
  })
