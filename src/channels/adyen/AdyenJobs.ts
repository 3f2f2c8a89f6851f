/** Workers of Adyen's accounts: one handles stored notices, one reads the reports. */
import { Mode } from "@coffer/model/Ids"
import { Cause, DateTime, Effect, Layer, Metric } from "effect"
import { forEachLeased, leasedMax } from "../../platform/jobs/forEachLeased.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { AdyenNotices } from "./AdyenNotices.ts"
import { AdyenReports } from "./AdyenReports.ts"
import { type NoticeRow, NoticeStore } from "./NoticeStore.ts"

/** Held: it tells of an amount that is captured later. */
const outcomes = ["adopted", "held", "ignored", "given_up"] as const
const handled = Metric.counter("coffer_adyen_notices_total", {
  description: "Notices of Adyen that were handled, by outcome; given_up: a person has to look",
  incremental: true
})
const count = (mode: Mode, outcome: (typeof outcomes)[number], by = 1) =>
  Metric.update(Metric.withAttributes(handled, { mode, outcome }), by)

/** After this long the notice's subject will not come. */
const abandonedAfter = { days: 3 }

const handleNotices = Effect.gen(function* () {
  const workers = yield* Workers
  const store = yield* NoticeStore
  const notices = yield* AdyenNotices
  for (const mode of Mode.literals) yield* Effect.forEach(outcomes, (outcome) => count(mode, outcome, 0))

  const handle = (row: NoticeRow) =>
    notices.handle(row).pipe(
      Effect.tap((outcome) => Effect.andThen(count(row.mode, outcome), store.done(row.id, outcome === "held"))),
      Effect.catchCause((cause) =>
        Effect.flatMap(currentTime, (now) =>
          DateTime.isLessThan(DateTime.add(row.received_at, abandonedAfter), now)
            ? Effect.andThen(
                Effect.andThen(store.done(row.id, false), count(row.mode, "given_up")),
                Effect.logError(`the notice ${row.id} of Adyen is given up`, Cause.squash(cause))
              )
            : Effect.failCause(cause)
        )
      )
    )

  yield* workers.supervise(() => ({
    name: "adyen notices",
    callsOutside: true,
    wakeup: "adyen_notices",
    run: Effect.gen(function* () {
      const due = yield* store.leaseDue(yield* currentTime, leasedMax)
      return yield* forEachLeased("the notice of Adyen", due, ({ id }) => id, handle, store.noteOutcomes)
    }),
    next: store.nextDue
  }))
})

/** Less than the lease of an account's reports. */
const within = "1 hour"

const readReports = Effect.gen(function* () {
  const workers = yield* Workers
  const reports = yield* AdyenReports
  yield* workers.supervise(() => ({
    name: "adyen reports",
    callsOutside: true,
    wakeup: "adyen_accounts",
    run: Effect.gen(function* () {
      const due = yield* reports.leaseDue(yield* currentTime, leasedMax)
      return yield* forEachLeased("the reports of the account", due, ({ id }) => id, reports.read, undefined, within)
    }),
    next: reports.nextDue
  }))
})

export const layer = Layer.effectDiscard(Effect.all([handleNotices, readReports], { discard: true }))
