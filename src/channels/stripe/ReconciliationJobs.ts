/** Compares each account's books at Stripe with ours, each night after two o'clock UTC. */
import { DateTime, Effect, Layer } from "effect"
import { leasedMax, forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Reconciliation } from "./Reconciliation.ts"
import { type DueRow, ReconciliationStore } from "./ReconciliationStore.ts"

/** Less than the lease of an account's books. */
const within = "55 minutes"

/** Two o'clock UTC: webhooks of the day before have had two hours to arrive. */
const hour = 2

const nextNight = (now: DateTime.Utc) => {
  const tonight = DateTime.setPartsUtc(DateTime.startOf(now, "day"), { hour })
  return DateTime.isGreaterThan(tonight, now) ? tonight : DateTime.add(tonight, { days: 1 })
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* ReconciliationStore
    const reconciliation = yield* Reconciliation

    const reconcile = Effect.fnUntraced(function* (row: DueRow) {
      const { id, merchant_id: merchantId, mode, movements_place: place, movements_since: since } = row
      const until = yield* reconciliation.reconcile({ merchantId, mode }, since, place)
      yield* store.readUntil(id, until, nextNight(until))
    })

    yield* workers.supervise(() => ({
      name: "stripe reconciliation",
      callsOutside: true,
      run: Effect.gen(function* () {
        const due = yield* store.leaseDue(yield* currentTime, leasedMax)
        const done = yield* forEachLeased("the books of the account", due, ({ id }) => id, reconcile, undefined, within)
        yield* reconciliation.measure
        return done
      }),
      next: store.nextDue
    }))
  })
)
