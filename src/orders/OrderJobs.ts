/**
 * Orders whose time has come: those that nobody paid by `expires_at`, and those with money that must go back to the
 * buyer (spec: States and transitions, Order).
 */
import { Effect, Layer } from "effect"
import { Orders } from "./Orders.ts"
import { OrderStore } from "./OrderStore.ts"
import { dueWork } from "../platform/jobs/dueWork.ts"
import { forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* OrderStore
    const orders = yield* Orders

    const expiry = dueWork(
      { claimDue: store.claimDue, nextDueOf: (merchantIds) => store.nextDueOf("due_at", merchantIds) },
      (due) => forEachLeased("order", due, (tradeNo) => tradeNo, orders.reachDeadline)
    )
    yield* workers.supervise(() => ({
      name: "expiry",
      ...expiry,
      next: store.nextDue("due_at"),
      backlog: (now) => store.backlog("due_at", now)
    }))

    const returns = dueWork(
      { claimDue: store.claimUnapplied, nextDueOf: (merchantIds) => store.nextDueOf("stray_due_at", merchantIds) },
      (due) =>
        forEachLeased(
          "unapplied payments of order",
          due,
          (tradeNo) => tradeNo,
          orders.returnUnappliedPayments,
          store.noteUnapplied
        )
    )
    yield* workers.supervise(() => ({
      name: "unapplied payments",
      wakeup: "stray_payments",
      ...returns,
      next: store.nextDue("stray_due_at"),
      backlog: (now) => store.backlog("stray_due_at", now)
    }))
  })
)
