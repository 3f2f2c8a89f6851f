/**
 * Capture and release of what a channel holds for an order (silences: O75). Each has three steps: the order writes down
 * what is asked for, the channel is asked with our key, and its answer comes to the order as a command. A process that
 * dies in between leaves a due row, and a worker asks again with the same key (docs/decisions/0006).
 */
import type { Account } from "@coffer/model/Account"
import type { TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { InvalidField } from "@coffer/rules/InvalidField"
import { heldOf, type HeldPayment, type HoldRequest, HoldStep, isManual, type Release } from "@coffer/rules/order/Hold"
import { type Order, OrderCommand, OrderConflict } from "@coffer/rules/order/Order"
import { DateTime, Effect, Schema } from "effect"
import type { ChannelUnreachable, CaptureAnswer } from "../../shared/channel/payments.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { millisForChannel } from "../../platform/runtime/Deadline.ts"
import { span } from "../../platform/runtime/span.ts"
import { notYet, type OrderName, type OrderServices } from "./OrderCommands.ts"
import { paymentFacts } from "./reportPayment.ts"

/** The channel refuses to capture: the order stays authorized. */
export class CaptureRefused extends Schema.TaggedError<CaptureRefused>()("CaptureRefused", { words: Schema.String }) {}

/** After this the outcome at the channel is unknown, and it is asked again later. Shorter than a claim's lease. */
const channelMillis = 15_000

const { AskCapture, AskRelease, Capture, Release: Released, Withdraw } = HoldStep.cases

export const capture = (services: OrderServices) =>
  span("Orders.capture")(function* (account: Account, ref: string, amount: Minor | undefined) {
    const order = yield* services.find(account, ref)
    const wanted = amount ?? order.amount
    if (wanted > order.amount) {
      return yield* new InvalidField({ param: "amount", problem: `must be at most the ${order.amount} of the order` })
    }
    const key = yield* services.ids.next("cap_")
    const ask = AskCapture.make({ key, amount: wanted, now: yield* currentTime })
    const begun = yield* step(services, order, ask)
    const after = yield* drive(services, begun, key)
    if (heldOf(after) !== undefined) {
      const { refusal } = after.hold ?? {}
      return refusal === undefined ? after : yield* new CaptureRefused({ words: refusal })
    }
    if (after.hold?.captured === wanted) return after
    const hold = "paymentId" in after ? "captured" : "authorization_expired"
    return yield* new OrderConflict({ tradeNo: order.tradeNo, reason: "not_pending", hold })
    // The channel's act must be recorded even when the caller hangs up.
  }, Effect.uninterruptible)

/** The merchant gives the hold up. */
export const cancelHold = Effect.fnUntraced(function* (services: OrderServices, order: Order) {
  const key = yield* services.ids.next("rel_")
  const after = yield* drive(services, yield* askRelease(services, order, key, "canceled"), key)
  // A channel that takes longer is asked again by a worker, and the order is canceled then.
  if (after.status === "expired" || heldOf(after) !== undefined) return after
  // It was captured before it could be released.
  return yield* new OrderConflict({ tradeNo: order.tradeNo, reason: "just_paid" })
})

/** The hold is due: it has run out, or the channel still owes the answer about it. */
export const checkHold = (services: OrderServices) =>
  span("Orders.checkHold")(function* (tradeNo: TradeNo) {
    const order = yield* services.byTradeNo(tradeNo)
    const held = heldOf(order)
    if (held === undefined) return order
    if (order.hold?.request !== undefined) return yield* drive(services, order, undefined)
    if (DateTime.isLessThan(yield* currentTime, held.captureBy)) return order
    const key = yield* services.ids.next("rel_")
    return yield* drive(services, yield* askRelease(services, order, key, "expired"), undefined)
  }, Effect.uninterruptible)

const askRelease = Effect.fnUntraced(function* (services: OrderServices, order: Order, key: string, release: Release) {
  return yield* step(services, order, AskRelease.make({ key, release, now: yield* currentTime }))
})

/**
 * Asks the channel for what the order has written down, and records the answer. `own`: the key of this request. If the
 * channel certainly did nothing, it withdraws its own, unless others have joined it and were told that it is under way.
 * What others have asked for is kept, and a worker asks again.
 */
const drive = Effect.fnUntraced(function* (services: OrderServices, order: Order, own: string | undefined) {
  const held = heldOf(order)
  const request = order.hold?.request
  if (held === undefined || request === undefined) return order
  const outcome = yield* Effect.result(askChannel(services, order, held, request))
  if (outcome._tag === "Failure") {
    if (own === undefined) return yield* Effect.fail(outcome.failure)
    if (request.key !== own) return order
    const after = yield* step(services, order, Withdraw.make({ key: own }))
    return after.hold?.request?.key === own ? after : yield* Effect.fail(outcome.failure)
  }
  const answer = outcome.success
  switch (answer._tag) {
    case "Captured": {
      const facts = yield* paymentFacts(services, order, answer.payment)
      const record = request.capture === facts.amount ? answering : step
      return yield* record(services, order, Capture.make({ facts }))
    }
    case "Gone": {
      const record = request.release === undefined ? step : answering
      return yield* record(services, order, Released.make({ paymentId: held.paymentId }))
    }
    case "Refused":
      return yield* step(services, order, Withdraw.make({ key: request.key, refusal: answer.reason }))
    case "Pending":
      return order
  }
})

const askChannel = (
  { channel, faults }: OrderServices,
  { merchantId, mode, tradeNo }: Order,
  { channel: name, paymentId }: HeldPayment,
  { capture, key }: HoldRequest
): Effect.Effect<CaptureAnswer, ChannelUnreachable> => {
  const hold = { merchantId, mode, tradeNo, channel: name, paymentId, key }
  const asking: Effect.Effect<CaptureAnswer, ChannelUnreachable> =
    capture === undefined ? channel.release(hold) : channel.capture(hold, capture)
  return Effect.flatMap(millisForChannel(channelMillis), (duration) =>
    faults
      .around("HoldChannel.ask", asking)
      .pipe(Effect.timeoutOrElse({ duration, orElse: () => Effect.succeed<CaptureAnswer>({ _tag: "Pending" }) }))
  )
}

const { Annotate } = OrderCommand.cases
/** A step of a hold as the command that all runners can read (docs/decisions/0274). */
export const holdCommand = (hold: HoldStep): OrderCommand => Annotate.make({ hold })

/** A runner of the version before answers with an order that has no hold, and has done nothing. */
const taken = (order: Order) => (isManual(order) ? Effect.succeed(order) : notYet)

const step = ({ perform }: OrderServices, order: OrderName, hold: HoldStep) =>
  Effect.flatMap(perform(order, holdCommand(hold)), taken)
/** The step that the request asked for: its answer is committed with it. A refusal is not kept as an answer. */
const answering = ({ performRequest }: OrderServices, order: OrderName, hold: HoldStep) =>
  Effect.flatMap(performRequest(order, holdCommand(hold)), taken)
