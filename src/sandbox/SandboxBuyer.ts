/**
 * The sandbox's buyer: pays at the sandbox bank and carries the bank's report to the order, as a channel's webhook
 * would, and its books with it. Used by the checkout page and by the test helpers.
 */
import type { PaymentMethod } from "@coffer/model/Money"
import type { Order, OrderConflict } from "@coffer/rules/order/Order"
import { Context, Effect, Layer } from "effect"
import type { ActorUnavailable } from "../platform/cluster/ask.ts"
import type { NotCommitted } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import type { OrderNotFound, StoredOrder } from "../orders/OrderEntity.ts"
import { Orders } from "../orders/Orders.ts"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import { type Attempt, SandboxBank } from "./SandboxBank.ts"

export class SandboxBuyer extends Context.Service<
  SandboxBuyer,
  {
    /** One attempt to pay. The order comes back as it is after the bank's report, if there was one. */
    readonly pay: (
      order: Order,
      method: PaymentMethod,
      attempt: Attempt,
      seen?: StoredOrder
    ) => Effect.Effect<Order, ChannelUnreachable | OrderNotFound | OrderConflict | NotCommitted | ActorUnavailable>
  }
>()("@coffer/sandbox/SandboxBuyer") {}

export const layer = Layer.effect(
  SandboxBuyer,
  Effect.gen(function* () {
    const bank = yield* SandboxBank
    const orders = yield* Orders

    const pay = span("SandboxBuyer.pay")(function* (
      order: Order,
      method: PaymentMethod,
      attempt: Attempt,
      seen?: StoredOrder
    ) {
      const { amount, currency, merchantId, mode, tradeNo } = order
      const { books, report } = yield* bank.charge({ merchantId, mode, tradeNo, amount, currency, method, attempt })
      return report === undefined
        ? yield* orders.note(tradeNo, books)
        : yield* orders.report(tradeNo, report, seen === undefined ? { books } : { books, seen })
    })

    return SandboxBuyer.of({ pay })
  })
)
