/**
 * The end of an unpaid order: now, by its merchant, or at its deadline (spec: States and transitions, Order). The
 * channel is asked first, since the buyer may have paid already.
 */
import type { TradeNo } from "@coffer/model/Ids"
import { CancelAnswer, type Order, OrderCommand } from "@coffer/rules/order/Order"
import { DateTime, Effect } from "effect"
import type { CancelReport } from "../channel/payments.ts"
import type { Account } from "@coffer/model/Account"
import { currentTime } from "../platform/runtime/clock.ts"
import { span } from "../platform/runtime/span.ts"
import type { OrderServices } from "./OrderServices.ts"
import { paymentFacts } from "./reportPayment.ts"

export const closeEarly = (services: OrderServices) => {
  const { channel, find, perform, performRequest } = services
  return span("Orders.closeEarly")(function* (account: Account, ref: string) {
    const order = yield* find(account, ref)
    if (order.status === "expired") return order
    if (order.status !== "pending") {
      return yield* perform(order, CloseEarly.make({ answer: Cancelled.make({}) }))
    }
    const answer = yield* answerOf(services, order, yield* channel.cancel(order))
    return yield* performRequest(order, CloseEarly.make({ answer }))
    // The channel's act must be recorded even when the caller hangs up.
  }, Effect.uninterruptible)
}

export const reachDeadline = (services: OrderServices) => {
  const { byTradeNo, channel, perform } = services
  return span("Orders.reachDeadline")(function* (tradeNo: TradeNo) {
    const order = yield* byTradeNo(tradeNo)
    const now = yield* currentTime
    if (order.status !== "pending" || DateTime.isLessThan(now, order.expiresAt)) return order
    const answer = yield* answerOf(services, order, yield* channel.cancel(order))
    return yield* perform(order, ReachDeadline.make({ now, answer }))
  })
}

const { CloseEarly, ReachDeadline } = OrderCommand.cases
const { Cancelled } = CancelAnswer.cases

const answerOf = Effect.fnUntraced(function* (services: OrderServices, order: Order, report: CancelReport) {
  return report._tag === "AlreadyPaid"
    ? { _tag: report._tag, facts: yield* paymentFacts(services, order, report.payment) }
    : { _tag: report._tag }
})
