/**
 * The sandbox's buyer: pays at the sandbox bank, then brings the bank's report and rows to the order, as a channel's
 * webhook would. Used by the checkout page and by the test helpers.
 */
import { paymentDeclinesMax } from "@coffer/model/Limits"
import type { Minor } from "@coffer/model/Money"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order, OrderConflict } from "@coffer/rules/order/Order"
import { Context, type DateTime, Effect, Layer, type Option } from "effect"
import type { OwnerUnavailable } from "../platform/cluster/ask.ts"
import type { NotCommitted } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import { type Attempt, SandboxBank } from "../channels/sandbox/SandboxBank.ts"

export interface PayOptions {
  readonly amount?: Minor | undefined
  readonly attemptNo?: string | undefined
}

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
      options?: PayOptions
    ) => Effect.Effect<Order, ChannelUnreachable | OrderNotFound | OrderConflict | NotCommitted | OwnerUnavailable>
    /** Until when no attempt begins, since too many were declined; one that has begun may end (silences: O13). */
    readonly pausedUntil: (order: Order) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** Whether the bank has the order's whole amount. It may not have reported the payment yet. */
    readonly hasPaid: (order: Order) => Effect.Effect<boolean>
  }
>()("@coffer/sandbox/SandboxBuyer") {}

export const layer = Layer.effect(
  SandboxBuyer,
  Effect.gen(function* () {
    const bank = yield* SandboxBank
    const orders = yield* Orders
    const wakeups = yield* Wakeups

    const pay = span("SandboxBuyer.pay")(function* (
      order: Order,
      method: PaymentMethod,
      attempt: Attempt,
      { amount = order.amount, attemptNo }: PayOptions = {}
    ) {
      const { currency, merchantId, mode, tradeNo } = order
      const charge = { merchantId, mode, tradeNo, amount, currency, method, attempt, attemptNo }
      const { entry, report } = yield* bank.charge(charge)
      if (report !== undefined) return yield* orders.report(order, report, entry)
      const noted = yield* orders.note(order, entry.changes)
      if (attempt === "succeed_later") wakeups.raise("sandbox_reports")
      return noted
    })

    const pausedUntil = ({ declines, status, tradeNo }: Order) =>
      status === "pending" && declines >= paymentDeclinesMax ? bank.pausedUntil(tradeNo) : Effect.succeedNone

    return SandboxBuyer.of({ pay, pausedUntil, hasPaid: bank.hasPaid })
  })
)
