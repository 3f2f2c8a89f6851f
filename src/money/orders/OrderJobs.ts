/**
 * Orders whose time has come: those that were not paid by `expires_at`, and those with money that must go back to the
 * buyer (spec: States and transitions, Order).
 */
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { Orders } from "./Orders.ts"
import { OrderStore } from "./OrderStore.ts"
import { dueWork, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { currentTime } from "../../platform/runtime/clock.ts"

/** In a sandbox no person decides about a parked payment: it is closed this long after its order was made. */
const parkedFor = Duration.days(1)
const parkedLookEvery = Duration.minutes(10)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* OrderStore
    const orders = yield* Orders

    yield* workers.supervise(() => ({
      name: "expiry",
      callsOutside: true,
      ...dueWork(store.deadlines, (due) => forEachLeased("order", due, (tradeNo) => tradeNo, orders.reachDeadline))
    }))

    yield* workers.supervise(() => ({
      name: "unapplied payments",
      callsOutside: true,
      wakeup: "unapplied_payments",
      ...dueWork(store.returns, (due) =>
        forEachLeased(
          "unapplied payments of order",
          due,
          (tradeNo) => tradeNo,
          orders.returnUnappliedPayments,
          store.returns.noteOutcomes
        )
      )
    }))

    yield* workers.supervise(() => ({
      name: "holds",
      callsOutside: true,
      ...dueWork(store.holds, (due) =>
        forEachLeased("hold of order", due, (tradeNo) => tradeNo, orders.checkHold, store.holds.noteOutcomes)
      )
    }))

    yield* workers.supervise(() => ({
      name: "parked payments of sandboxes",
      tidies: true,
      run: Effect.gen(function* () {
        const before = DateTime.subtractDuration(yield* currentTime, parkedFor)
        const due = yield* store.parkedInSandboxes(before)
        return yield* forEachLeased("parked payments of order", due, (tradeNo) => tradeNo, orders.closeParkedOfSandbox)
      }),
      next: Effect.map(currentTime, (now) => Option.some(DateTime.addDuration(now, parkedLookEvery)))
    }))
  })
)
