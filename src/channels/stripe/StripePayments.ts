/**
 * Front door to payments at Stripe: a buyer begins one, and Stripe's reports about it are recorded at the order.
 * Success is reported by a webhook, by polling events, or by reading the session when the buyer comes back; all of them
 * end here.
 */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { heldOf } from "@coffer/rules/order/Hold"
import type { Order, OrderConflict } from "@coffer/rules/order/Order"
import { type AmountBounds, amountProblem } from "@coffer/rules/order/termsProblem"
import { Context, Effect, Layer, Option } from "effect"
import type { WriteFailure } from "../../money/aggregate/WriteLoop.ts"
import type { Begun, HostedPage } from "../../shared/channel/Channel.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { OrderNotFound } from "../../money/orders/OrderCommands.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { span } from "../../platform/runtime/span.ts"
import { urgent } from "./Pace.ts"
import { OfferedMethods, isMade, type Met, Sessions } from "./Sessions.ts"
import { sessionMethodOf } from "./payment.ts"
import { type SessionRow, SessionStore, type SessionStatus } from "./SessionStore.ts"
import { StripeClient } from "./StripeClient.ts"

type ReportFailure = OrderConflict | OrderNotFound | WriteFailure

export class StripePayments extends Context.Service<
  StripePayments,
  {
    /** Whether the buyer of a pending order has paid at Stripe, which is processing it. */
    readonly isProcessing: (order: Order) => Effect.Effect<boolean>
    /** The methods, of these, that a page offers for the order. */
    readonly offered: (
      order: Order,
      methods: ReadonlyArray<PaymentMethod>
    ) => Effect.Effect<ReadonlyArray<PaymentMethod>>
    readonly begin: HostedPage["begin"]
    /** Asks Stripe about a pending order's session, and returns the order after the answer. */
    readonly refresh: (order: Order) => Effect.Effect<Order, ChannelUnreachable | ReportFailure>
    /** Records Stripe's report about one of our sessions at the order. */
    readonly adopt: (order: Order, row: SessionRow, status: SessionStatus) => Effect.Effect<Order, ReportFailure>
  }
>()("@coffer/stripe/StripePayments") {}

/** Eight digits in each currency of ours. */
const amountMax = 99_999_999

/**
 * The least and the most that Stripe takes in one payment, in minor units (silences: S23). The figures are those of its
 * published table, which has none for yuan: we assume about half a US dollar, like the minimum for Hong Kong.
 */
export const stripesBounds: AmountBounds = {
  USD: { min: 50, max: amountMax },
  HKD: { min: 400, max: amountMax },
  CNY: { min: 400, max: amountMax }
}

/** How often beginning is retried while others begin at the same moment. */
const attemptsMax = 3

export const layer = Layer.effect(
  StripePayments,
  Effect.gen(function* () {
    const client = yield* StripeClient
    const sessions = yield* Sessions
    const store = yield* SessionStore
    const orders = yield* Orders
    const offeredMethods = yield* OfferedMethods

    /** The row ends after the order's commit: a caller in between still learns that the order is paid. */
    const adopt = Effect.fnUntraced(function* (order: Order, row: SessionRow, status: SessionStatus) {
      if (status._tag !== "Paid") return order
      // An order of the sandbox refuses Stripe's test money, too, when it keeps enough of it (silences: O41).
      const after = yield* Effect.catchTags(orders.report(order, { _tag: "Succeeded", payment: status.payment }), {
        OrderConflict: () => Effect.succeed(order)
      })
      yield* store.ended(row.key)
      return after
    })

    const refresh = span("StripePayments.refresh")(function* (order: Order) {
      if (order.status !== "pending" || (yield* client.accountOf(order)) === null) return order
      const found = yield* store.active(order.tradeNo)
      if (Option.isNone(found) || !isMade(found.value)) return order
      return yield* adopt(order, found.value, yield* sessions.look(found.value))
    }, Effect.uninterruptible)

    const make = (order: Order, row: SessionRow) =>
      Effect.catchTags(Effect.map(sessions.make(order, row), begunOf), {
        StripeRefused: ({ code }) => Effect.succeed(notTaken(isOfAmount(code) ? "amount" : "method"))
      })

    /** Undefined: a new session may be planned. */
    const beginAt = Effect.fnUntraced(function* (order: Order, row: SessionRow, method: PaymentMethod) {
      const isSame = row.method === sessionMethodOf(method)
      if (!isMade(row)) {
        // Stripe's answer was lost, or another request is asking now. A retry with the same key gets the same session.
        if (isSame) return yield* make(order, row)
        // If it was made meanwhile, the next attempt finds it.
        yield* store.giveUp(row.key)
        return undefined
      }
      const looked: Effect.Effect<Met, ChannelUnreachable> = isSame
        ? sessions.resume(order, row)
        : sessions.end(row, { force: true })
      const status = yield* Effect.catchTags(looked, { ChannelUnreachable: () => Effect.succeed(unknown) })
      if (status._tag === "Unknown") return unknown
      if (status._tag === "NotOffered") return begunOf(status)
      yield* adopt(order, row, status)
      return status._tag === "Over" ? undefined : begunOf(status)
    })

    const begin = span("StripePayments.begin")(
      function* (order: Order, method: PaymentMethod, language: string) {
        for (let attempt = 1; attempt <= attemptsMax; attempt++) {
          const found = yield* store.active(order.tradeNo)
          const begun = Option.isSome(found) ? yield* beginAt(order, found.value, method) : undefined
          if (begun !== undefined) return begun
          // The order may have ended, which is committed before its session ends. A second session would be paid twice.
          const now = yield* orders.byTradeNo(order.tradeNo)
          if (now.status !== "pending" || heldOf(now) !== undefined) return orderEnded
          // The order may be older than the account.
          if (amountProblem(order, stripesBounds) !== undefined) return notTaken("amount")
          const planned = yield* sessions.plan(order, method, language)
          if (Option.isSome(planned)) {
            return yield* make(order, planned.value)
          }
        }
        return yield* new ChannelUnreachable()
      },
      Effect.uninterruptible,
      urgent("buyer")
    )

    return StripePayments.of({
      isProcessing: Effect.fnUntraced(function* (order) {
        if (order.status !== "pending" || (yield* client.accountOf(order)) === null) return false
        return Option.exists(yield* store.active(order.tradeNo), ({ state }) => state === "processing")
      }),
      offered: offeredMethods.among,
      begin,
      refresh,
      adopt
    })
  })
)

const orderEnded: Begun = { _tag: "Settled" }
const unknown = { _tag: "Unknown" } as const satisfies Begun

const notTaken = (because: Extract<Begun, { readonly _tag: "NotTaken" }>["because"]): Begun => ({
  _tag: "NotTaken",
  because
})

const isOfAmount = (code: string) => code === "amount_too_small" || code === "amount_too_large"

const begunOf = (met: Met | undefined): Begun => {
  if (met?._tag === "NotOffered") return notTaken("method")
  return met?._tag === "Open" ? { _tag: "Redirect", url: met.url } : orderEnded
}
