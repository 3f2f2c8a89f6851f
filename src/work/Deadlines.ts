/**
 * Orders whose time has come: those that nobody paid by `expires_at`, and those with money that must go back to the
 * buyer (spec: States and transitions, Order). Also the sandbox bank's reports that were not taken.
 */
import { DateTime, Effect, Layer } from "effect"
import { SandboxBank } from "../channel/SandboxBank.ts"
import { Orders } from "../orders/Orders.ts"
import { OrderStore } from "../orders/OrderStore.ts"
import { claimedMax, each } from "./each.ts"
import { Workers } from "./Workers.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* OrderStore
    const orders = yield* Orders
    const bank = yield* SandboxBank

    yield* workers.supervise(() => ({
      name: "expiry",
      run: Effect.gen(function* () {
        const due = yield* store.claimDue(yield* DateTime.now, claimedMax)
        return yield* each("order", due, (tradeNo) => tradeNo, orders.reachDeadline)
      }),
      next: store.nextDue("due_at")
    }))

    yield* workers.supervise(() => ({
      name: "stray payments",
      signal: "stray_payments",
      run: Effect.gen(function* () {
        const due = yield* store.claimStray(yield* DateTime.now, claimedMax)
        return yield* each("stray payments of order", due, (tradeNo) => tradeNo, orders.returnStrayPayments)
      }),
      next: store.nextDue("stray_due_at")
    }))

    yield* workers.supervise(() => ({
      name: "sandbox reports",
      signal: "sandbox_reports",
      run: Effect.gen(function* () {
        const due = yield* bank.claimReports(yield* DateTime.now, claimedMax)
        return yield* each(
          "the bank's report about order",
          due,
          ({ tradeNo }) => tradeNo,
          ({ payment, tradeNo }) =>
            Effect.andThen(orders.report(tradeNo, { _tag: "Succeeded", payment }), bank.acknowledge(payment.paymentId))
        )
      }),
      next: bank.nextReport
    }))
  })
)
