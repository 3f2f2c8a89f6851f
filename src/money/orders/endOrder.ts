/**
 * The end of an unpaid order: the merchant closes it now, or it expires at its deadline (spec: States and transitions,
 * Order). The channel is asked first, since the buyer may have paid already.
 */
import type { Account } from "@coffer/model/Account"
import type { TradeNo } from "@coffer/model/Ids"
import { heldOf } from "@coffer/rules/order/Hold"
import { CancelAnswer, type Order, OrderCommand } from "@coffer/rules/order/Order"
import { DateTime, Effect } from "effect"
import type { CancelReport } from "../../shared/channel/payments.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import type { OrderServices } from "./OrderCommands.ts"
import { cancelHold } from "./orderHolds.ts"
import { paymentFacts, recordReport, returnUnappliedPayments } from "./reportPayment.ts"

export const closeEarly = (services: OrderServices) => {
  const { byTradeNo, channel, faults, find, perform, performRequest } = services
  return span("Orders.closeEarly")(function* (account: Account, ref: string) {
    const order = yield* find(account, ref)
    if (order.status === "expired") return order
    if (order.status !== "pending") {
      return yield* perform(order, CloseEarly.make({ answer: Cancelled.make({}) }))
    }
    if (heldOf(order) !== undefined) return yield* cancelHold(services, order)
    const cancelled = yield* faults.around("OrderChannel.cancel", channel.cancel(order))
    const held = yield* authorized(services, order, cancelled)
    if (held !== undefined) return yield* cancelHold(services, held)
    const answer = yield* answerOf(services, order, yield* withoutForeignHold(services, order, cancelled))
    return yield* performRequest(order, CloseEarly.make({ answer })).pipe(
      Effect.catchTags({
        // The buyer may have authorised it since the channel was asked.
        OrderConflict: Effect.fnUntraced(function* (conflict) {
          const after = yield* byTradeNo(order.tradeNo)
          return heldOf(after) === undefined ? yield* conflict : yield* cancelHold(services, after)
        })
      })
    )
    // The channel's act must be recorded even when the caller hangs up.
  }, Effect.uninterruptible)
}

export const reachDeadline = (services: OrderServices) => {
  const { byTradeNo, channel, perform } = services
  return span("Orders.reachDeadline")(function* (tradeNo: TradeNo) {
    const order = yield* byTradeNo(tradeNo)
    const now = yield* currentTime
    const isOver = order.status !== "pending" || heldOf(order) !== undefined
    if (isOver || DateTime.isLessThan(now, order.expiresAt)) return order
    const cancelled = yield* channel.cancel(order)
    const held = yield* authorized(services, order, cancelled)
    if (held !== undefined) return held
    const answer = yield* answerOf(services, order, cancelled)
    return yield* perform(order, ReachDeadline.make({ now, answer }))
  })
}

/** The order, if the channel holds its amount and has not said so: an authorisation in time counts. */
const authorized = Effect.fnUntraced(function* (services: OrderServices, order: Order, answer: CancelReport) {
  if (answer._tag !== "AlreadyPaid" || answer.payment.hold === undefined) return undefined
  const found = { _tag: "Succeeded", payment: answer.payment } as const
  const after = yield* recordReport(services, order, found, (command) => services.perform(order, command))
  return heldOf(after) === undefined ? undefined : after
})

/** What the channel holds by another amount keeps no order open: it is released, and the channel is asked again. */
const withoutForeignHold = Effect.fnUntraced(function* (services: OrderServices, order: Order, answer: CancelReport) {
  if (!isAlreadyHeld(answer)) return answer
  yield* returnUnappliedPayments(services)(order.tradeNo)
  const again = yield* services.channel.cancel(order)
  return isAlreadyHeld(again) ? ({ _tag: "BuyerBusy" } satisfies CancelReport) : again
})

const isAlreadyHeld = (answer: CancelReport) =>
  answer._tag === "AlreadyPaid" && answer.payment.hold !== undefined && answer.payment.hold !== "captured"

const { CloseEarly, ReachDeadline } = OrderCommand.cases
const { Cancelled } = CancelAnswer.cases

const answerOf = Effect.fnUntraced(function* (services: OrderServices, order: Order, report: CancelReport) {
  return report._tag === "AlreadyPaid"
    ? { _tag: report._tag, facts: yield* paymentFacts(services, order, report.payment) }
    : { _tag: report._tag }
})
