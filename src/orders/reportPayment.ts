/** What the channel says of payments of an order, and the way back of money that must not stay. */
import type { PaymentId, TradeNo } from "@coffer/model/Ids"
import { type Order, OrderCommand, type PaymentFacts } from "@coffer/rules/order/Order"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import { Effect } from "effect"
import { withoutEntry } from "../aggregate/WriteLoop.ts"
import type { ChannelPayment, ChannelReport } from "../channel/Channel.ts"
import { answering, answerOf } from "../idempotency/Answering.ts"
import type { ChangeSet } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import type { Entry } from "../wallets/Wallets.ts"
import { orderView } from "./OrderView.ts"
import { alone, type OrderServices } from "./OrderServices.ts"

/** Which order it is, and whose. */
export type OrderName = Pick<Order, "merchantId" | "mode" | "tradeNo">

export const report = (services: OrderServices) => {
  const { byTradeNo, performReported, wakeups } = services
  return span("Orders.report")(function* (order: OrderName, said: ChannelReport, entry?: Entry) {
    const command = yield* commandOf(services, order, said)
    const after = yield* performReported(order.tradeNo, command, entry).pipe(
      Effect.catchTags({
        ...alone,
        // This very report was taken before, and its answer was lost.
        AlreadyExists: () => byTradeNo(order.tradeNo)
      })
    )
    if (after.unappliedPayments.length > 0) wakeups.raise("stray_payments")
    return after
  }, Effect.uninterruptible)
}

export const note = ({ links, transactor }: OrderServices) =>
  span("Orders.note")(
    function* (order: Order, changes: ChangeSet) {
      const view = orderView(order, links.unsigned)
      yield* answering((answer) => transactor.commit(order.tradeNo, [...changes, ...answerOf(answer, view)]))
      return order
      // Stale: the request's claim was taken over, and the attempt with it.
    },
    (noted, order) =>
      Effect.catchTags(noted, {
        StaleVersion: withoutEntry.StaleVersion,
        // This very attempt was noted before.
        AlreadyExists: () => Effect.succeed(order)
      })
  )

export const returnUnappliedPayments = ({ byTradeNo, channel, perform }: OrderServices) =>
  span("Orders.returnUnappliedPayments")(function* (tradeNo: TradeNo) {
    const order = yield* byTradeNo(tradeNo)
    for (const payment of order.unappliedPayments) {
      if (payment.state !== "due") continue
      yield* channel.giveBack(order, payment)
      yield* perform(tradeNo, ConfirmReturn.make({ paymentId: payment.paymentId }))
    }
  })

/** The buyer did not get the money: somebody has to look. */
export const reportFailedReturn = ({ perform }: OrderServices) =>
  span("Orders.reportFailedReturn")(function* (tradeNo: TradeNo, paymentId: PaymentId) {
    return yield* perform(tradeNo, FailReturn.make({ paymentId }))
  })

/** Adds what only we know: the fee of this merchant's schedule. */
export const paymentFacts = (
  { merchantOf }: OrderServices,
  order: Pick<OrderName, "merchantId" | "mode">,
  payment: ChannelPayment
) =>
  Effect.map(merchantOf(order), ({ fees }): PaymentFacts => ({
    ...payment,
    fee: feeFor(fees, { ...payment, mode: order.mode })
  }))

const { ConfirmPayment, ConfirmReturn, DeclinePayment, FailPayment, FailReturn } = OrderCommand.cases

const commandOf = (services: OrderServices, order: OrderName, said: ChannelReport): Effect.Effect<OrderCommand> => {
  switch (said._tag) {
    case "Succeeded":
      return Effect.map(paymentFacts(services, order, said.payment), (facts) => ConfirmPayment.make({ facts }))
    case "Declined":
      return Effect.succeed(DeclinePayment.make({}))
    case "Failed":
      return Effect.succeed(FailPayment.make({}))
  }
}
