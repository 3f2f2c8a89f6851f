/**
 * Supervised fibers that do what is due. Each sleeps until its next row is due, until it is told of new work, or for a
 * poll interval, whichever comes first; one that fails starts again for ever, with a pause that grows
 * (docs/architecture.md, section 5). Tests ask here whether everything is at rest, and until when.
 */
import {
  Cause,
  Clock,
  Context,
  DateTime,
  Deferred,
  Duration,
  Effect,
  Layer,
  Metric,
  Option,
  Queue,
  type Scope
} from "effect"
import { type Wakeup, Wakeups } from "../commit/Wakeups.ts"
import { isDatabaseTrouble } from "../postgres/trouble.ts"
import { Settings } from "../runtime/Settings.ts"

export interface Work {
  readonly name: string
  /** Does or starts what is due now. How many rows that were: after none the worker sleeps. */
  readonly run: Effect.Effect<number>
  /** When the next row is due. */
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>>
  /** Told of new work, it looks without waiting. */
  readonly signal?: Wakeup
}

export interface Worker {
  /** Look again now. */
  readonly wake: () => void
  /** Keeps the worker from counting as at rest while something it started goes on. */
  readonly hold: () => void
  readonly release: () => void
}

export class Workers extends Context.Service<
  Workers,
  {
    readonly supervise: (make: (worker: Worker) => Work) => Effect.Effect<void, never, Scope.Scope>
    /** Waits until no worker has anything to do at this moment. */
    readonly atRest: Effect.Effect<void>
    /** When the first of them will wake by itself. */
    readonly nextWake: Effect.Effect<Option.Option<number>>
  }
>()("@coffer/work/Workers") {}

const failures = Metric.counter("coffer_worker_failures", {
  description: "Rounds of a worker that failed and were begun again",
  incremental: true
})

const pauseAfterFailure = (failed: number) => Duration.seconds(Math.min(60, 2 ** Math.min(failed, 6)))

const pauseWhileAway = Duration.seconds(1)

const pauseMillisMin = 50

interface State {
  held: number
  woken: boolean
  /** Sleeps until this instant; undefined while it works. */
  sleepsUntil: number | undefined
}

export const layer = Layer.effect(
  Workers,
  Effect.gen(function* () {
    const wakeups = yield* Wakeups
    const { workerPoll } = yield* Settings
    const states = new Set<State>()
    const waiting = new Set<Deferred.Deferred<void>>()
    const clock = yield* Clock.Clock

    const isAtRest = () => {
      const now = clock.currentTimeMillisUnsafe()
      return [...states].every(
        ({ held, sleepsUntil, woken }) => !woken && held === 0 && sleepsUntil !== undefined && sleepsUntil > now
      )
    }
    const settle = () => {
      if (waiting.size === 0 || !isAtRest()) return
      for (const deferred of waiting) Deferred.doneUnsafe(deferred, Effect.void)
      waiting.clear()
    }

    const supervise = Effect.fnUntraced(function* (make: (worker: Worker) => Work) {
      const bell = yield* Queue.sliding<void>(1)
      const state: State = { held: 0, woken: true, sleepsUntil: undefined }
      states.add(state)
      const worker: Worker = {
        wake: () => {
          state.woken = true
          Queue.offerUnsafe(bell, undefined)
        },
        hold: () => {
          state.held++
        },
        release: () => {
          state.held--
          settle()
        }
      }
      const work = make(worker)
      if (work.signal !== undefined) yield* wakeups.onRaise(work.signal, worker.wake)

      const round = Effect.gen(function* () {
        state.woken = false
        while ((yield* work.run) > 0);
        return Option.map(yield* work.next, DateTime.toEpochMillis)
      })

      let failed = 0
      const loop = Effect.gen(function* () {
        state.sleepsUntil = undefined
        const next = yield* round.pipe(
          Effect.tap(() => Effect.sync(() => (failed = 0))),
          Effect.catchCause((cause) =>
            Effect.gen(function* () {
              failed++
              yield* Metric.update(Metric.withAttributes(failures, { worker: work.name }), 1)
              // Not a fault of the worker, which goes on as soon as the database does.
              const away = isDatabaseTrouble(Cause.squash(cause))
              if (!away) yield* Effect.logError(`worker ${work.name} failed and will begin again`, cause)
              else if (failed === 1) yield* Effect.logDebug(`worker ${work.name} waits for the database`)
              const pause = away ? pauseWhileAway : pauseAfterFailure(failed)
              return Option.some((yield* Clock.currentTimeMillis) + Duration.toMillis(pause))
            })
          )
        )
        const now = yield* Clock.currentTimeMillis
        // Due, and yet nothing was done: another runner holds the row. It is not asked for without a breath.
        const soonest = now + pauseMillisMin
        const latest = now + Duration.toMillis(workerPoll)
        const until = Math.max(
          soonest,
          Math.min(
            latest,
            Option.getOrElse(next, () => latest)
          )
        )
        state.sleepsUntil = until
        settle()
        yield* Effect.timeoutOption(Queue.take(bell), Duration.millis(until - now))
      })
      yield* Effect.forkScoped(Effect.forever(loop))
      yield* Effect.addFinalizer(() => Effect.sync(() => states.delete(state)))
    })

    return Workers.of({
      supervise,
      atRest: Effect.suspend(() => {
        if (isAtRest()) return Effect.void
        const deferred = Deferred.makeUnsafe<void>()
        waiting.add(deferred)
        return Deferred.await(deferred)
      }),
      nextWake: Effect.sync(() => {
        const wakes = [...states].map(({ sleepsUntil }) => sleepsUntil ?? 0)
        return wakes.length === 0 ? Option.none() : Option.some(Math.min(...wakes))
      })
    })
  })
)
