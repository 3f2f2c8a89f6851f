/**
 * Orders whose time has come: those that nobody paid by `expires_at`, and those with money that must go back to the
 * buyer (spec: States and transitions, Order). Also the sandbox bank's reports that were not taken.
 */
import type { TradeNo } from "@coffer/model/Ids"
import { DateTime, Effect, Layer } from "effect"
import { SandboxBank } from "../channel/SandboxBank.ts"
import { Orders } from "../orders/Orders.ts"
import { OrderStore } from "../orders/OrderStore.ts"
import { Workers } from "./Workers.ts"

/** Rows claimed at once, and how many of them are worked on at a time. */
const batchMax = 100
const concurrency = 16

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* OrderStore
    const orders = yield* Orders
    const bank = yield* SandboxBank

    /** One that fails keeps its lease and is tried again when that ends; the others are not held up. */
    const each = <Item extends { readonly tradeNo: TradeNo }, E>(
      items: ReadonlyArray<Item>,
      work: (item: Item) => Effect.Effect<unknown, E>
    ) =>
      Effect.forEach(
        items,
        (item) =>
          work(item).pipe(
            Effect.catchCause((cause) => Effect.logWarning("will be tried again", cause)),
            Effect.annotateLogs({ trade_no: item.tradeNo })
          ),
        { concurrency, discard: true }
      ).pipe(Effect.as(items.length))

    const named = (tradeNos: ReadonlyArray<TradeNo>) => tradeNos.map((tradeNo) => ({ tradeNo }))

    yield* workers.supervise(() => ({
      name: "expiry",
      run: Effect.gen(function* () {
        const due = yield* store.claimDue(yield* DateTime.now, batchMax)
        return yield* each(named(due), ({ tradeNo }) => orders.reachDeadline(tradeNo))
      }),
      next: store.nextDue("due_at")
    }))

    yield* workers.supervise(() => ({
      name: "stray payments",
      signal: "stray_payments",
      run: Effect.gen(function* () {
        const due = yield* store.claimStray(yield* DateTime.now, batchMax)
        return yield* each(named(due), ({ tradeNo }) => orders.returnStrayPayments(tradeNo))
      }),
      next: store.nextDue("stray_due_at")
    }))

    yield* workers.supervise(() => ({
      name: "sandbox reports",
      signal: "sandbox_reports",
      run: Effect.gen(function* () {
        const due = yield* bank.claimReports(yield* DateTime.now, batchMax)
        return yield* each(due, ({ payment, tradeNo }) =>
          Effect.andThen(orders.report(tradeNo, { _tag: "Succeeded", payment }), bank.acknowledge(payment.paymentId))
        )
      }),
      next: bank.nextReport
    }))
  })
)
