/**
 * The rows that are due and not leased, by worker. It concerns the whole database, so every runner shows the same.
 */
import { DateTime, Effect, Metric, Option } from "effect"
import type { Backlog } from "../postgres/leasedRows.ts"
import { currentTime } from "../runtime/clock.ts"
import { onRealTime } from "../runtime/realTime.ts"

/** Work whose due rows are counted. */
export interface Counted {
  readonly name: string
  /** The rows that are due and not leased, for all runners together; left out for work without due rows. */
  readonly backlog?: (now: DateTime.Utc) => Effect.Effect<Backlog>
}

export interface BacklogOf extends Backlog {
  readonly worker: string
}

const due = Metric.gauge("coffer_rows_due", {
  description: "Rows that are due for a worker and not leased, counted up to 10000"
})
const oldestDue = Metric.gauge("coffer_rows_oldest_due_seconds", {
  description: "How long the oldest of them has been due, seconds"
})

const showEvery = "15 seconds"
const askedAtOnce = 4

/** Shows the backlogs of these workers, and answers the effect that counts them. */
export const showBacklogs = Effect.fnUntraced(function* (works: ReadonlySet<Counted>) {
  const ask = Effect.gen(function* () {
    const now = yield* currentTime
    const counted = [...works].flatMap(({ backlog, name }) =>
      backlog === undefined ? [] : [{ worker: name, backlog }]
    )
    return yield* Effect.forEach(
      counted,
      ({ backlog, worker }) => Effect.map(backlog(now), (found): BacklogOf => ({ worker, ...found })),
      { concurrency: askedAtOnce }
    )
  })

  const show = Effect.gen(function* () {
    const backlogs = yield* ask
    const now = DateTime.toEpochMillis(yield* currentTime)
    for (const { count, oldest, worker } of backlogs) {
      const since = Option.getOrElse(Option.map(Option.fromNullishOr(oldest), DateTime.toEpochMillis), () => now)
      yield* Metric.update(Metric.withAttributes(due, { worker }), count)
      yield* Metric.update(Metric.withAttributes(oldestDue, { worker }), Math.max(0, now - since) / 1_000)
    }
  }).pipe(
    // DatabaseHealth reports that Postgres is away, and the worker itself any other fault of its rows.
    Effect.ignoreCause
  )
  // Sleeps on real time: a test that moves the clock by a day need not wait for it.
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(onRealTime(Effect.sleep(showEvery)), show)))
  return ask
})

/** Both exist from the start. */
export const beginBacklog = ({ backlog, name }: Counted) =>
  backlog === undefined
    ? Effect.void
    : Effect.forEach([due, oldestDue], (gauge) => Metric.update(Metric.withAttributes(gauge, { worker: name }), 0), {
        discard: true
      })
