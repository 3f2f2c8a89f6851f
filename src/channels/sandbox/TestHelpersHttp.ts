/**
 * Handlers of the `test_helpers` group, with which a merchant scripts the buyer and the bank (docs/architecture.md,
 * section 7).
 */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import { paymentDeclinesMax, paymentDeclinesWindow } from "@coffer/model/Limits"
import type { PayOutcome } from "@coffer/contract/TestHelpers"
import type { Minor } from "@coffer/model/Money"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { InvalidField } from "@coffer/rules/InvalidField"
import { isManual } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { DateTime, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../../platform/runtime/span.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { Disputes } from "../../money/disputes/Disputes.ts"
import { disputeView } from "../../money/disputes/DisputeView.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { channelRefusals } from "../../shared/channel/channelRefusals.ts"
import { disputeRefusals } from "../../money/disputes/disputeRefusals.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { offeredIn } from "../../access/merchants/shopOf.ts"
import { orderRefusals } from "../../money/orders/orderRefusals.ts"
import { refundRefusals } from "../../money/refunds/refundRefusals.ts"
import { NotManual, sandboxRefusals } from "./sandboxRefusals.ts"
import { refuseTemporarily, reply } from "../../shared/http/replies.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { orderView } from "../../money/orders/OrderView.ts"
import { Refunds } from "../../money/refunds/Refunds.ts"
import { refundView } from "../../money/refunds/RefundView.ts"
import { Channel, NotSettled as Unsettled } from "../../shared/channel/Channel.ts"
import { SandboxClocks } from "./SandboxClocks.ts"
import { SandboxIssuer } from "./SandboxIssuer.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "test_helpers",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      ...(yield* makeOrderHandlers),
      ...(yield* makeHoldHandlers),
      ...(yield* makeRefundHandlers),
      ...(yield* makeDisputeHandlers),
      ...(yield* makeChannelHandlers),
      ...(yield* makeClockHandlers)
    })
  })
)

const { ChannelUnreachable } = channelRefusals
const { OrderConflict, OrderNotFound } = orderRefusals
const { RefundNotFound } = refundRefusals
const { DisputeNotFound } = disputeRefusals
const { InvalidField: refuseInvalid } = commonRefusals
const { ClockAdvancing, ClockNotOurs, NoChargeback, NotManual: refuseNotManual, NotSettled } = sandboxRefusals

/** The buyer pays, unless the bank pauses after declined attempts. */
const makeAttempt = Effect.gen(function* () {
  const channel = yield* Channel
  const merchants = yield* Merchants

  /** `card` by default; if cards are not offered, the first offered method. */
  const methodOf = Effect.fnUntraced(function* (order: Order, wanted: PaymentMethod | undefined) {
    const { merchantId, mode } = order
    const sold = offeredIn((yield* merchants.find(merchantId)).modes[mode])
    const offered = isManual(order) ? yield* channel.holdable(order, sold) : sold
    const [first = "card"] = offered
    const method = wanted ?? (offered.includes("card") ? "card" : first)
    if (offered.includes(method)) return method
    return yield* new InvalidField({ param: "payment_method", problem: `must be one of: ${offered.join(", ")}` })
  })

  return Effect.fnUntraced(function* (
    order: Order,
    wanted: PaymentMethod | undefined,
    how: PayOutcome,
    amount?: Minor
  ) {
    const paused = yield* channel.buyer.pausedUntil(order)
    if (Option.isSome(paused)) {
      const declines = `${paymentDeclinesMax} attempts were declined within ${paymentDeclinesWindow}`
      const message = `${declines}; the order stays pending.`
      return yield* refuseTemporarily(
        DateTime.distance(yield* currentTime, paused.value),
        (request_id) => new Wire.RateLimited({ message, request_id }),
        "declined_attempts"
      )
    }
    return yield* channel.buyer.pay(order, yield* methodOf(order, wanted), how, { amount })
  })
})

/** Why a buyer's attempt is refused. */
const payRefusals = {
  ChannelUnreachable,
  InvalidField: refuseInvalid,
  MerchantNotFound: Effect.die,
  OrderConflict,
  OrderNotFound,
  ...unavailable
} as const

const makeOrderHandlers = Effect.gen(function* () {
  const orders = yield* Orders
  const links = yield* OrderLinks
  const attempt = yield* makeAttempt

  const pay = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "pay",
    span("test_helpers.pay")(function* ({ params, payload: { amount, outcome = "succeed", payment_method } }) {
      const order = yield* orders.find(yield* Caller, params.ref)
      return yield* reply(orderView(yield* attempt(order, payment_method, outcome, amount), links.signed))
    }, Effect.catchTags(payRefusals))
  )

  const authorize = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "authorize",
    span("test_helpers.authorize")(
      function* ({ params, payload: { payment_method } }) {
        const order = yield* orders.find(yield* Caller, params.ref)
        if (!isManual(order)) return yield* new NotManual({ reason: "not_authorized" })
        return yield* reply(orderView(yield* attempt(order, payment_method, "succeed"), links.signed))
      },
      Effect.catchTags({ ...payRefusals, NotManual: refuseNotManual })
    )
  )
  return { pay, authorize }
})

const makeHoldHandlers = Effect.gen(function* () {
  const orders = yield* Orders
  const channel = yield* Channel
  const links = yield* OrderLinks

  const capture = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "capture",
    span("test_helpers.capture")(
      function* ({ params, payload: { amount, outcome = "succeed" } }) {
        const order = yield* orders.find(yield* Caller, params.ref)
        const bank = Option.getOrUndefined(yield* channel.pretendedOf(order))
        const after = bank?.capture === undefined ? order : yield* bank.capture(order, outcome, amount)
        return yield* reply(orderView(after, links.signed))
      },
      Effect.catchTags({ ChannelUnreachable, OrderConflict, OrderNotFound, ...unavailable })
    )
  )
  return { capture }
})

const makeRefundHandlers = Effect.gen(function* () {
  const refunds = yield* Refunds
  const channel = yield* Channel

  const settleRefund = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "settleRefund",
    span("test_helpers.settleRefund")(
      function* ({ params, payload: { outcome } }) {
        const refund = yield* refunds.find(yield* Caller, params.ref)
        const { refundNo } = refund
        const bank = yield* channel.pretendedOf(refund, refund.channel)
        if (Option.isNone(bank)) return yield* new Unsettled({ state: "unknown" })
        yield* bank.value.settle(refundNo, outcome)
        const { rejection: reason } = bank.value
        return yield* reply(refundView(yield* refunds.report(refundNo, { outcome, reason })))
      },
      Effect.catchTags({ NotSettled, RefundNotFound, ...unavailable })
    )
  )
  return { settleRefund }
})

const makeDisputeHandlers = Effect.gen(function* () {
  const orders = yield* Orders
  const disputes = yield* Disputes
  const issuer = yield* SandboxIssuer

  const dispute = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "dispute",
    span("test_helpers.dispute")(
      function* ({ params, payload: { amount, evidence_due_by: evidenceDueBy, reason } }) {
        const order = yield* orders.find(yield* Caller, params.ref)
        return yield* reply(disputeView(yield* issuer.dispute(order, { amount, evidenceDueBy, reason })), 201)
      },
      Effect.catchTags({
        ChannelUnreachable,
        DisputeNotFound: Effect.die,
        InvalidField: refuseInvalid,
        NoChargeback,
        OrderNotFound,
        RefundRefused: Effect.die,
        ...unavailable
      })
    )
  )

  const resolveDispute = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "resolveDispute",
    span("test_helpers.resolveDispute")(
      function* ({ params, payload: { outcome } }) {
        const dispute = yield* disputes.find(yield* Caller, params.ref)
        return yield* reply(disputeView(yield* issuer.resolve(dispute, outcome)))
      },
      Effect.catchTags({
        ChannelUnreachable,
        DisputeNotFound,
        OrderNotFound: Effect.die,
        RefundRefused: Effect.die,
        ...unavailable
      })
    )
  )
  return { dispute, resolveDispute }
})

const makeChannelHandlers = Effect.gen(function* () {
  const registry = yield* Channel

  const channel = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "channel",
    span("test_helpers.channel")(function* ({ payload }) {
      const account = yield* Caller
      const bank = yield* registry.pretendedOf(account)
      if (Option.isSome(bank)) yield* bank.value.setReachable(account.merchantId, payload.reachable)
      return yield* reply({ reachable: payload.reachable })
    })
  )
  return { channel }
})

const makeClockHandlers = Effect.gen(function* () {
  const clocks = yield* SandboxClocks

  const clock = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "clock",
    span("test_helpers.clock")(function* () {
      return yield* reply(yield* clocks.find((yield* Caller).merchantId))
    })
  )

  const advanceClock = HttpApiBuilder.handler(
    Api,
    "test_helpers",
    "advanceClock",
    span("test_helpers.advanceClock")(
      function* ({ payload }) {
        const after = yield* clocks.advance((yield* Caller).merchantId, payload)
        return yield* reply(after, after.status === "advancing" ? 202 : 200)
      },
      Effect.catchTags({ ClockAdvancing, ClockNotOurs, InvalidField: refuseInvalid })
    )
  )
  return { clock, advanceClock }
})
