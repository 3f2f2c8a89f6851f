/**
 * What a worker does, and one round of it. A round that fails is logged and counted, and the worker tries again after a
 * pause. While the database does not answer, the pause stays short and is part of the round: the worker itself is not
 * at fault.
 */
import { Cause, DateTime, Duration, Effect, Metric, Option } from "effect"
import type { Wakeup } from "../commit/Wakeups.ts"
import type { Backlog } from "../postgres/leasedRows.ts"
import { isDatabaseTrouble } from "../postgres/trouble.ts"
import { currentMillis } from "../runtime/clock.ts"
import { onRealTime } from "../runtime/realTime.ts"
import type { SandboxWork } from "./dueWork.ts"

export interface Work {
  readonly name: string
  /** Does or starts what is due now, and answers how many rows that was. After 0 the worker sleeps. */
  readonly run: Effect.Effect<number>
  /** When the next row is due. */
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>>
  /** True: it only removes what has no effect any more, so a test's time need not stop for it. */
  readonly tidies?: boolean
  /** Raised when there is new work; it ends the worker's sleep. */
  readonly wakeup?: Wakeup
  /** It calls somebody outside, or may. With NO_OUTBOUND it rests, and its due rows stay as they are. */
  readonly callsOutside?: boolean
  /** By default a wakeup that comes while the worker is busy goes to other runners. False: the worker decides that. */
  readonly passesOn?: boolean
  /** The rows that are due and not leased, for all runners together; left out for work without due rows. */
  readonly backlog?: (now: DateTime.Utc) => Effect.Effect<Backlog>
  /** The same for one sandbox whose clock was moved; left out where the rows are nobody's. */
  readonly ofSandbox?: SandboxWork
}

const roundsOfAll = Metric.counter("coffer_worker_rounds_total", {
  description: "Rounds that a worker has ended; one that does not grow for minutes belongs to a worker that hangs",
  incremental: true
})
const rowsOfAll = Metric.counter("coffer_worker_rows_total", {
  description: "Rows that a worker has taken up",
  incremental: true
})

const failuresOfAll = Metric.counter("coffer_worker_failures_total", {
  description: "Rounds of a worker that failed and were begun again",
  incremental: true
})

const pauseAfterFailure = (failed: number) => Duration.seconds(Math.min(60, 2 ** Math.min(failed, 6)))
const pauseWithoutDatabase = Duration.seconds(1)

/** A round runs until nothing is due, and answers when to look again, in milliseconds since 1970. It never fails. */
export const makeRound = Effect.fnUntraced(function* ({ name, next, run }: Work) {
  const failures = Metric.withAttributes(failuresOfAll, { worker: name })
  const rounds = Metric.withAttributes(roundsOfAll, { worker: name })
  const rows = Metric.withAttributes(rowsOfAll, { worker: name })
  for (const counter of [failures, rounds, rows]) yield* Metric.update(counter, 0)
  let failedInARow = 0

  const recover = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
    failedInARow++
    yield* Metric.update(failures, 1)
    const isDatabaseAway = isDatabaseTrouble(Cause.squash(cause))
    if (!isDatabaseAway) yield* Effect.logError(`worker ${name} failed and will begin again`, cause)
    else if (failedInARow === 1) yield* Effect.logDebug(`worker ${name} waits for the database`)
    if (!isDatabaseAway) {
      return Option.some((yield* currentMillis) + Duration.toMillis(pauseAfterFailure(failedInARow)))
    }
    // Postgres goes by real time, also where a test has the clock. The worker is not at rest meanwhile.
    yield* onRealTime(Effect.sleep(pauseWithoutDatabase))
    return yield* round
  })

  const round: Effect.Effect<Option.Option<number>> = Effect.gen(function* () {
    for (let done = yield* run; done > 0; done = yield* run) yield* Metric.update(rows, done)
    const nextDue = yield* next
    failedInARow = 0
    yield* Metric.update(rounds, 1)
    return Option.map(nextDue, DateTime.toEpochMillis)
  }).pipe(Effect.catchCause(recover))
  return round
})
