/**
 * The sandbox's buyer: pays at the channel that pretends it, which brings the bank's report to the order as a webhook
 * would. Used by the checkout page and by the test helpers.
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { Context, type DateTime, Effect, Layer, Option } from "effect"
import { type Attempt, Channel, type ChargeOptions, type ReportFailure } from "../channel/Channel.ts"
import { ChannelUnreachable } from "../channel/payments.ts"
import { span } from "../platform/runtime/span.ts"

export class SandboxBuyer extends Context.Service<
  SandboxBuyer,
  {
    /**
     * One attempt to pay the whole amount, unless another is given. An attempt that has a number is made once, however
     * often it is asked for. Returns the order as it is after the bank's report, if there was one.
     */
    readonly pay: (
      order: Order,
      method: PaymentMethod,
      attempt: Attempt,
      options?: ChargeOptions
    ) => Effect.Effect<Order, ChannelUnreachable | ReportFailure>
    /** Until when no attempt begins, since too many were declined; one that has begun may end (silences: O13). */
    readonly pausedUntil: (order: Order) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** Whether the bank has the order's whole amount. It may not have reported the payment yet. */
    readonly hasPaid: (order: Order) => Effect.Effect<boolean>
  }
>()("@coffer/sandbox/SandboxBuyer") {}

export const layer = Layer.effect(
  SandboxBuyer,
  Effect.map(Channel, (channel) =>
    SandboxBuyer.of({
      pay: span("SandboxBuyer.pay")(function* (
        order: Order,
        method: PaymentMethod,
        attempt: Attempt,
        options?: ChargeOptions
      ) {
        const pretended = yield* channel.pretendedOf(order)
        // A live order has no pretended buyer.
        if (Option.isNone(pretended)) return yield* new ChannelUnreachable()
        return yield* pretended.value.charge(order, method, attempt, options)
      }),
      pausedUntil: Effect.fnUntraced(function* (order) {
        const pretended = yield* channel.pretendedOf(order)
        return Option.isNone(pretended) ? Option.none() : yield* pretended.value.pausedUntil(order)
      }),
      hasPaid: Effect.fnUntraced(function* (order) {
        const pretended = yield* channel.pretendedOf(order)
        return Option.isSome(pretended) && (yield* pretended.value.hasPaid(order))
      })
    })
  )
)
