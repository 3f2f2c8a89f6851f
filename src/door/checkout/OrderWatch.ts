/**
 * Pages wait for an order to change: all listeners of one order share one look at its row each second (silences: K).
 */
import type { TradeNo } from "@coffer/model/Ids"
import { statusOf } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { DateTime, Deferred, Effect, RcMap, type Scope } from "effect"
import { Draining } from "../../shared/http/Draining.ts"
import { Channel } from "../../shared/channel/Channel.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"

/** Listeners at once, of one order and of all in this process. Each holds a connection. */
export const listenersOfOneMax = 8
export const listenersMax = 64

const lookEvery = "1 second"

export interface OrderWatch {
  /** Whether it can still be paid, or a payment of it is being processed. */
  readonly isOpen: (order: Order) => Effect.Effect<boolean>
  readonly hasRoom: (tradeNo: TradeNo) => boolean
  /** Listens for the length of the scope. Done when the order can no longer be paid, or when this process ends. */
  readonly listen: (tradeNo: TradeNo) => Effect.Effect<Deferred.Deferred<"changed" | "leaving">, never, Scope.Scope>
}

export const make = Effect.gen(function* () {
  const orders = yield* Orders
  const { buyer } = yield* Channel
  const draining = yield* Draining
  const clocks = yield* MerchantClocks
  const listening = new Map<TradeNo, number>()
  let all = 0
  const count = (tradeNo: TradeNo, change: number) =>
    Effect.sync(() => {
      all += change
      const left = (listening.get(tradeNo) ?? 0) + change
      if (left === 0) listening.delete(tradeNo)
      else listening.set(tradeNo, left)
    })

  /** The bank may still have a payment of an order that has expired. */
  const isOpen = Effect.fnUntraced(function* (order: Order) {
    if (statusOf(order) !== "pending") return false
    const isInTime = Effect.map(currentTime, (now) => DateTime.isLessThan(now, order.expiresAt))
    return (yield* clocks.working(order, isInTime)) || (yield* buyer.hasPaid(order))
  })

  const look = Effect.fnUntraced(
    function* (tradeNo: TradeNo) {
      if (draining.now) return "leaving"
      return (yield* Effect.flatMap(orders.byTradeNo(tradeNo), isOpen)) ? undefined : "changed"
    },
    // A database that does not answer is asked again a second later.
    (effect) => Effect.catchCause(effect, () => Effect.succeed(undefined))
  )

  const watched = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (tradeNo: TradeNo) {
      const outcome = yield* Deferred.make<"changed" | "leaving">()
      const looking = Effect.gen(function* () {
        while (true) {
          const change = yield* look(tradeNo)
          if (change !== undefined) return yield* Deferred.succeed(outcome, change)
          yield* Effect.sleep(lookEvery)
        }
      })
      yield* Effect.forkScoped(looking)
      return outcome
    })
  })

  const watch: OrderWatch = {
    isOpen,
    hasRoom: (tradeNo) => all < listenersMax && (listening.get(tradeNo) ?? 0) < listenersOfOneMax,
    listen: (tradeNo) =>
      Effect.andThen(
        Effect.acquireRelease(count(tradeNo, 1), () => count(tradeNo, -1)),
        RcMap.get(watched, tradeNo)
      )
  }
  return watch
})
