/** The channel's reports about payments of an order, and the return of money that must not stay. */
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { type ChannelDispute, type Order, OrderCommand, type UnappliedPayment } from "@coffer/rules/order/Order"
import { isManual } from "@coffer/rules/order/Hold"
import type { PaymentFacts } from "@coffer/rules/order/Payment"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import { Effect, Option, Schema } from "effect"
import { withoutEntry } from "../aggregate/WriteLoop.ts"
import type { ChannelPayment, ChannelReport } from "../../shared/channel/payments.ts"
import { withAnswer, answerOf } from "../../shared/idempotency/Answering.ts"
import type { ChangeSet } from "../../platform/commit/Change.ts"
import { span } from "../../platform/runtime/span.ts"
import type { Entry } from "../wallets/Wallets.ts"
import {
  holdsSince,
  impossibleWithoutEntry,
  notYet,
  type OrderName,
  OrderNotFound,
  type OrderServices
} from "./OrderCommands.ts"
import { orderView } from "./OrderView.ts"

/** The rest of an unapplied payment, and why a refund did not reach the buyer. */
export type Returned = Omit<Extract<OrderCommand, { readonly _tag: "NoteGivenBack" }>, "_tag">

export const report = (services: OrderServices) => {
  const { byTradeNo, performReported } = services
  return span("Orders.report")(function* (order: OrderName, report: ChannelReport, entry?: Entry) {
    return yield* recordReport(services, order, report, (command) =>
      performReported(order, command, entry).pipe(
        Effect.catchTags({
          ...impossibleWithoutEntry,
          // The same report was recorded before, and its answer was lost.
          AlreadyExists: () => byTradeNo(order.tradeNo)
        })
      )
    )
  }, Effect.uninterruptible)
}

/** `record`: whether it is the answer of a request; where a request asked about something else, it is not. */
export const recordReport = Effect.fnUntraced(function* <E>(
  services: OrderServices,
  order: OrderName,
  report: ChannelReport,
  record: (command: OrderCommand) => Effect.Effect<Order, E>
) {
  const command = yield* commandOf(services, order, report)
  if (command._tag === "Annotate") yield* expectHolds(services, order)
  const after = yield* record(command)
  if (after.unappliedPayments.length > 0) services.wakeups.raise("unapplied_payments")
  return after
})

/** An owner of an older version would record the channel's rows and the answer, and nothing of the hold. */
const expectHolds = Effect.fnUntraced(function* ({ knownByAll, perform }: OrderServices, order: OrderName) {
  if (yield* knownByAll(holdsSince)) return
  const answer = yield* perform(order, Annotate.make({ hold: { _tag: "Withdraw", key: "" } }))
  if (!isManual(answer)) return yield* notYet
})

export const note = ({ links, transactor }: OrderServices) =>
  span("Orders.note")(
    function* (order: Order, changes: ChangeSet) {
      const view = () => orderView(order, links.unsigned)
      yield* withAnswer((answer) => transactor.commit(order.tradeNo, [...changes, ...answerOf(answer, view)]))
      return order
      // Stale: the request's claim was taken over, and the attempt with it.
    },
    (noted, order) =>
      Effect.catchTags(noted, {
        StaleVersion: withoutEntry.StaleVersion,
        // The same attempt was recorded before.
        AlreadyExists: () => Effect.succeed(order)
      })
  )

export const returnUnappliedPayments = ({ byTradeNo, channel, perform }: OrderServices) => {
  const giveBack = Effect.fnUntraced(function* (order: Order, payment: UnappliedPayment) {
    const { paymentId } = payment
    const answer = yield* channel.giveBack(order, payment)
    const command =
      answer._tag === "Taken"
        ? ConfirmReturn.make({ paymentId })
        : FailReturn.make({ paymentId, problem: answer.reason, wasTaken: false })
    yield* perform(order, command)
  })
  return span("Orders.returnUnappliedPayments")(function* (tradeNo: TradeNo) {
    const order = yield* byTradeNo(tradeNo)
    const due = order.unappliedPayments.filter(({ state }) => state === "due")
    // A payment that cannot be returned now does not keep the others from being returned.
    const tried = yield* Effect.forEach(due, (payment) => Effect.exit(giveBack(order, payment)))
    yield* Effect.forEach(tried, (each) => each, { discard: true })
  })
}

/** The buyer did not get the money: a person has to look. */
export const reportFailedReturn = ({ perform }: OrderServices) =>
  span("Orders.reportFailedReturn")(function* (order: OrderName, paymentId: PaymentId, problem: string) {
    return yield* perform(order, FailReturn.make({ paymentId, problem, wasTaken: true }))
  })

/** By hand, at the channel. */
export const reportReturned = ({ perform }: OrderServices) =>
  span("Orders.reportReturned")(function* (order: OrderName, returned: Returned) {
    return yield* perform(order, NoteGivenBack.make(returned))
  })

/** By an operator, who has dealt with it, or by the service in a sandbox. */
export const closeParked = ({ byTradeNo, perform }: OrderServices) =>
  span("Orders.closeParked")(function* (ref: string, payment: string, note: string) {
    if (!isTradeNo(ref)) return yield* new OrderNotFound({ ref })
    const order = yield* byTradeNo(ref)
    return yield* perform(order, CloseParked.make({ paymentId: PaymentId.make(payment), note }))
  })
const isTradeNo = Schema.is(TradeNo)

/** In a sandbox no buyer waits for the money. */
export const closeParkedOfSandbox = ({ byTradeNo, perform }: OrderServices) =>
  span("Orders.closeParkedOfSandbox")(function* (tradeNo: TradeNo) {
    const order = yield* byTradeNo(tradeNo)
    const parked = order.unappliedPayments.filter(({ state }) => state === "parked")
    const close = ({ paymentId }: UnappliedPayment) => perform(order, CloseParked.make({ paymentId, note: ownNote }))
    yield* Effect.forEach(parked, close, { discard: true })
  })
const ownNote = "a sandbox's own payment, closed by the service"

/** For an unapplied payment. None if it is unknown here. */
export const noteDispute = ({ byTradeNo, perform }: OrderServices) =>
  span("Orders.noteDispute")(function* (tradeNo: TradeNo, paymentId: PaymentId, dispute: ChannelDispute) {
    const order = yield* byTradeNo(tradeNo)
    if (!order.unappliedPayments.some((each) => each.paymentId === paymentId)) return Option.none<Order>()
    return Option.some(yield* perform(order, NoteDispute.make({ paymentId, dispute })))
  })

/**
 * Adds the fee of this merchant's schedule, which the channel does not know. A buyer who was erased had agreed before:
 * the card does not come back with the capture.
 */
export const paymentFacts = Effect.fnUntraced(function* (
  { merchantOf, store }: OrderServices,
  order: OrderName,
  { hold, ...payment }: ChannelPayment
) {
  const { fees } = yield* merchantOf(order)
  const isErased = hold === "captured" && Option.isSome(yield* store.erasedTerms(order.tradeNo))
  const facts: PaymentFacts = { ...payment, fee: feeFor(fees, { ...payment, mode: order.mode }) }
  return isErased ? { ...facts, card: null } : facts
})

const {
  Annotate,
  CloseParked,
  ConfirmPayment,
  ConfirmReturn,
  FailPayment,
  FailReturn,
  NoteAttempt,
  NoteDispute,
  NoteGivenBack
} = OrderCommand.cases

/** What the channel holds, or captured of a hold, never comes as a payment to a runner that knows no holds. */
const confirmationOf = (facts: PaymentFacts, hold: ChannelPayment["hold"]): OrderCommand => {
  if (hold === undefined) return ConfirmPayment.make({ facts })
  if (hold === "captured") return Annotate.make({ hold: { _tag: "Capture", facts } })
  const { amount, channel, currency, method, paidAt: authorizedAt, paymentId } = facts
  const payment = { channel, paymentId, method, authorizedAt, captureBy: hold.captureBy }
  return Annotate.make({ hold: { _tag: "Authorize", payment, amount, currency } })
}

const commandOf = (services: OrderServices, order: OrderName, report: ChannelReport): Effect.Effect<OrderCommand> => {
  switch (report._tag) {
    case "Succeeded":
      return Effect.map(paymentFacts(services, order, report.payment), (facts) =>
        confirmationOf(facts, report.payment.hold)
      )
    case "Released":
      return Effect.succeed(Annotate.make({ hold: { _tag: "Release", paymentId: report.paymentId } }))
    case "Attempted":
      return Effect.succeed(NoteAttempt.make({ attempt: report.attempt }))
    case "Failed":
      return Effect.succeed(FailPayment.make({ attempt: report.attempt }))
  }
}
