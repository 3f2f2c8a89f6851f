/**
 * Orders whose time has come: those that nobody paid by `expires_at`, and those with money that must go back to the
 * buyer (spec: States and transitions, Order).
 */
import { Effect, Layer } from "effect"
import { Orders } from "./Orders.ts"
import { OrderStore } from "./OrderStore.ts"
import { claimedMax, forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* OrderStore
    const orders = yield* Orders

    yield* workers.supervise(() => ({
      name: "expiry",
      run: Effect.gen(function* () {
        const due = yield* store.claimDue(yield* currentTime, claimedMax)
        return yield* forEachLeased("order", due, (tradeNo) => tradeNo, orders.reachDeadline)
      }),
      next: store.nextDue("due_at"),
      backlog: (now) => store.backlog("due_at", now)
    }))

    yield* workers.supervise(() => ({
      name: "unapplied payments",
      wakeup: "stray_payments",
      run: Effect.gen(function* () {
        const due = yield* store.claimUnapplied(yield* currentTime, claimedMax)
        return yield* forEachLeased(
          "unapplied payments of order",
          due,
          (tradeNo) => tradeNo,
          orders.returnUnappliedPayments,
          store.noteUnapplied
        )
      }),
      next: store.nextDue("stray_due_at"),
      backlog: (now) => store.backlog("stray_due_at", now)
    }))
  })
)
