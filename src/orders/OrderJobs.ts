/**
 * Orders whose time has come: those that nobody paid by `expires_at`, and those with money that must go back to the
 * buyer (spec: States and transitions, Order). Also the sandbox bank's reports that were not taken.
 */
import { DateTime, Effect, Layer } from "effect"
import { SandboxBank } from "../sandbox/SandboxBank.ts"
import { Orders } from "./Orders.ts"
import { OrderStore } from "./OrderStore.ts"
import { claimedMax, forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"

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
        return yield* forEachLeased("order", due, (tradeNo) => tradeNo, orders.reachDeadline)
      }),
      next: store.nextDue("due_at")
    }))

    yield* workers.supervise(() => ({
      name: "stray payments",
      signal: "stray_payments",
      run: Effect.gen(function* () {
        const due = yield* store.claimStray(yield* DateTime.now, claimedMax)
        return yield* forEachLeased("stray payments of order", due, (tradeNo) => tradeNo, orders.returnStrayPayments)
      }),
      next: store.nextDue("stray_due_at")
    }))

    yield* workers.supervise(() => ({
      name: "sandbox reports",
      signal: "sandbox_reports",
      run: Effect.gen(function* () {
        const due = yield* bank.claimReports(yield* DateTime.now, claimedMax)
        return yield* forEachLeased(
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
