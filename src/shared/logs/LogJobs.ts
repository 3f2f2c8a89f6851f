/**
 * Daily partitions of API logs (spec: API log; Limits). A partition is created before its day begins, and dropped when
 * the whole day is older than KEEP_API_LOGS. Every runner does this once a day; the database lets in one at a time.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { LogStore } from "./LogStore.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { Settings } from "../../platform/runtime/Settings.ts"

/** Partitions created in advance. With two, an outage of the database for a day loses no logs of the next. */
const daysAhead = 2

/** Days that have a partition at this moment. */
export const daysOpenAt = (now: DateTime.Utc): ReadonlyArray<DateTime.Utc> =>
  Array.from({ length: 1 + daysAhead }, (_, ahead) => DateTime.add(DateTime.removeTime(now), { days: ahead }))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* LogStore
    const { apiLogDays } = (yield* Settings).keep
    let doneFor: string | undefined

    yield* workers.supervise(() => ({
      name: "retention of API logs",
      // An insert creates the partition of its day if there is none.
      tidies: true,
      run: Effect.gen(function* () {
        const now = yield* currentTime
        const day = DateTime.formatIsoDateUtc(now)
        if (day === doneFor) return 0
        yield* store.openDays(daysOpenAt(now))
        yield* store.dropBefore(DateTime.removeTime(DateTime.subtract(now, { days: apiLogDays })))
        doneFor = day
        return 0
      }),
      next: Effect.map(currentTime, (now) => Option.some(DateTime.add(DateTime.removeTime(now), { days: 1 })))
    }))
  })
)
