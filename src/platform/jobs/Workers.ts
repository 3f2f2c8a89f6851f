/**
 * The workers of this process: supervised fibers that process due rows (docs/architecture.md, section 5). A worker
 * sleeps until its next row is due, until a wakeup, or for one poll interval, whichever comes first. Tests ask here
 * whether all workers are idle, and until when.
 *
 * A round that fails is logged and counted, and the worker tries again after a pause. While the database does not
 * answer, the pause stays short and is part of the round: the worker itself is not at fault.
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
import { ClockSkew } from "../postgres/ClockSkew.ts"
import { isDatabaseTrouble } from "../postgres/trouble.ts"
import { currentMillis, currentTime } from "../runtime/clock.ts"
import { onRealTime } from "../runtime/realTime.ts"
import { Settings } from "../runtime/Settings.ts"
import { type BacklogOf, beginBacklog, type Counted, showBacklogs } from "./backlogs.ts"
import type { DueRows, DueSandbox } from "../postgres/leasedRows.ts"
import { leasedMax } from "./forEachLeased.ts"

export interface Worker {
  /** Look again now. */
  readonly wake: () => void
  /**
   * Until the matching `release` the worker does not count as at rest. For work that continues after `run` has ended.
   */
  readonly hold: () => void
  readonly release: () => void
}

export class Workers extends Context.Service<
  Workers,
  {
    readonly supervise: (make: (worker: Worker) => Work) => Effect.Effect<void, never, Scope.Scope>
    /** Makes the workers without a wakeup look for due rows now, as after a poll interval. */
    readonly lookAgain: Effect.Effect<void>
    /** Waits until no worker has anything to do at this moment. */
    readonly atRest: Effect.Effect<void>
    /** When the first worker, apart from cleanups, polls next; none without workers. */
    readonly nextWake: Effect.Effect<Option.Option<number>>
    /** The work of all workers for one sandbox whose clock was moved. */
    readonly ofSandboxes: () => ReadonlyArray<SandboxWork>
    /** The due rows of all runners' workers together, counted now. */
    readonly backlogs: Effect.Effect<ReadonlyArray<BacklogOf>>
  }
>()("@coffer/platform/Workers") {}

/**
 * True: cleanups run on `lookAgain`, and not by time. Otherwise a test whose clock passes a quarter of a year would
 * wait for two thousand rounds of each.
 */
export const TidiesWhenTold = Context.Reference<boolean>("@coffer/platform/TidiesWhenTold", {
  defaultValue: () => false
})

const closed = Metric.gauge("coffer_outbound_closed", {
  description: "1 while NO_OUTBOUND is set: no outside calls are made, and due work that needs them is paused"
})

/** The shortest sleep. A row that stays due without being worked on is held by another runner. */
const sleepMillisMin = 50

interface State {
  tidies: boolean
  held: number
  woken: boolean
  /** Undefined while the worker works. */
  sleepsUntil: number | undefined
}

export const layer = Layer.effect(
  Workers,
  Effect.gen(function* () {
    const wakeups = yield* Wakeups
    const { noOutbound, workerPoll } = yield* Settings
    const tidiesWhenTold = yield* TidiesWhenTold
    yield* Metric.update(closed, noOutbound ? 1 : 0)
    const isResting = ({ callsOutside = false }: Work) => noOutbound && callsOutside
    const clock = yield* ClockSkew
    const rest = makeRest(yield* Clock.Clock)
    const unwoken = new Set<Worker>()
    const works = new Set<Work>()
    const backlogs = yield* showBacklogs(works)

    const supervise = Effect.fnUntraced(function* (make: (worker: Worker) => Work) {
      const wakeQueue = yield* Queue.sliding<void>(1)
      const state: State = { tidies: false, held: 0, woken: true, sleepsUntil: undefined }
      const worker = makeWorker(state, wakeQueue, rest.notify)
      const work = make(worker)
      const { passesOn = true, tidies = false, wakeup } = work
      works.add(work)
      yield* beginBacklog(work)
      yield* Effect.addFinalizer(() => Effect.sync(() => works.delete(work)))
      // Its due rows are still counted.
      if (isResting(work)) return
      rest.states.add(state)
      state.tidies = tidies
      if (wakeup === undefined) unwoken.add(worker)
      if (wakeup !== undefined) {
        yield* wakeups.onRaise(wakeup, (isOwn) => {
          // This worker may not look again for long, while another runner's may be idle.
          if (isOwn && passesOn && state.sleepsUntil === undefined) wakeups.pass(wakeup)
          worker.wake()
        })
      }

      const round = yield* makeRound(work)
      const loop = Effect.gen(function* () {
        // A wrong clock would end objects that are not due, and write its time into rows.
        yield* clock.whenRight
        state.sleepsUntil = undefined
        state.woken = false
        // This round covers all wakeups so far. A signal that is left over would begin another round while all workers
        // seem to be at rest.
        Queue.takeUnsafe(wakeQueue)
        const next = yield* round
        const now = yield* currentMillis
        state.sleepsUntil = wakeTime(now, tidies && tidiesWhenTold ? Option.none() : next, workerPoll)
        rest.notify()
        yield* Effect.timeoutOption(Queue.take(wakeQueue), Duration.millis(state.sleepsUntil - now))
      })
      yield* Effect.forkScoped(Effect.forever(loop))
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          rest.states.delete(state)
          unwoken.delete(worker)
        })
      )
    })

    const lookAgain = Effect.sync(() => unwoken.forEach(({ wake }) => wake()))
    const ofSandboxes = () =>
      [...works].flatMap((work) => (work.ofSandbox === undefined || isResting(work) ? [] : [work.ofSandbox]))
    const { atRest, nextWake } = rest
    return Workers.of({ supervise, lookAgain, atRest, nextWake, ofSandboxes, backlogs })
  })
)

/** Keeps the states of all workers, and ends the waits of `atRest` when all of them are at rest. */
const makeRest = (clock: Clock.Clock) => {
  const states = new Set<State>()
  const waiting = new Set<Deferred.Deferred<void>>()

  const isAtRest = () => {
    const now = clock.currentTimeMillisUnsafe()
    return [...states].every(
      ({ held, sleepsUntil, woken }) => !woken && held === 0 && sleepsUntil !== undefined && sleepsUntil > now
    )
  }

  /** Called when a worker has gone to sleep or released a row. */
  const notify = () => {
    if (waiting.size === 0 || !isAtRest()) return
    for (const deferred of waiting) Deferred.doneUnsafe(deferred, Effect.void)
    waiting.clear()
  }

  const atRest = Effect.suspend(() => {
    if (isAtRest()) return Effect.void
    const deferred = Deferred.makeUnsafe<void>()
    waiting.add(deferred)
    return Deferred.await(deferred)
  })

  const nextWake = Effect.sync(() => {
    const wakes = [...states].filter(({ tidies }) => !tidies).map(({ sleepsUntil }) => sleepsUntil ?? 0)
    return wakes.length === 0 ? Option.none() : Option.some(Math.min(...wakes))
  })

  return { states, notify, atRest, nextWake }
}

const makeWorker = (state: State, wakeQueue: Queue.Queue<void>, notify: () => void): Worker => ({
  wake: () => {
    state.woken = true
    Queue.offerUnsafe(wakeQueue, undefined)
  },
  hold: () => {
    state.held++
  },
  release: () => {
    state.held--
    notify()
  }
})

/** The next due time, but no sooner than the shortest sleep and no later than the poll interval. */
const wakeTime = (now: number, next: Option.Option<number>, poll: Duration.Duration): number => {
  const latest = now + Duration.toMillis(poll)
  const wanted = Option.getOrElse(next, () => latest)
  return Math.max(now + sleepMillisMin, Math.min(latest, wanted))
}

const roundsOfAll = Metric.counter("coffer_worker_rounds_total", {
  description: "Rounds that a worker has ended; without growth for minutes the worker hangs",
  incremental: true
})
const rowsOfAll = Metric.counter("coffer_worker_rows_total", {
  description: "Rows that a worker has taken up",
  incremental: true
})

const failuresOfAll = Metric.counter("coffer_worker_failures_total", {
  description: "Rounds of a worker that failed and were retried",
  incremental: true
})

const pauseAfterFailure = (failed: number) => Duration.seconds(Math.min(60, 2 ** Math.min(failed, 6)))
const pauseWithoutDatabase = Duration.seconds(1)

/** A round runs until nothing is due, and answers when to look again, in milliseconds since 1970. It never fails. */
const makeRound = Effect.fnUntraced(function* ({ name, next, run }: Work) {
  const failures = Metric.withAttributes(failuresOfAll, { worker: name })
  const rounds = Metric.withAttributes(roundsOfAll, { worker: name })
  const rows = Metric.withAttributes(rowsOfAll, { worker: name })
  for (const counter of [failures, rounds, rows]) yield* Metric.update(counter, 0)
  let failedInARow = 0

  const recover = Effect.fnUntraced(function* (cause: Cause.Cause<never>) {
    failedInARow++
    yield* Metric.update(failures, 1)
    const isDatabaseAway = isDatabaseTrouble(Cause.squash(cause))
    if (!isDatabaseAway) yield* Effect.logError(`worker ${name} failed and will be retried`, cause)
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

// The work of a worker ------------------------------------------------------------
// A worker's round, and the common case, work on due rows. A round covers the rows of all accounts, or those of one
// sandbox whose clock was moved (docs/decisions/0005).

export interface Work extends Counted {
  /** Does or starts the due work, and answers the number of rows. After 0 the worker sleeps. */
  readonly run: Effect.Effect<number>
  /** When the next row is due. */
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>>
  /** True for a cleanup, which has no visible effect, so a test's time need not stop for it. */
  readonly tidies?: boolean
  /** Raised when there is new work; it ends the worker's sleep. */
  readonly wakeup?: Wakeup
  /** It may make outside calls. With NO_OUTBOUND it is paused, and its due rows stay as they are. */
  readonly callsOutside?: boolean
  /** By default a wakeup of a busy worker is passed on to other runners. False: the worker decides that. */
  readonly passesOn?: boolean
  /** The same for one sandbox whose clock was moved; left out if the rows belong to the installation. */
  readonly ofSandbox?: SandboxWork
}

/** A cleanup, once an hour. */
export const hourly = (name: string, tidy: (now: DateTime.Utc) => Effect.Effect<number>): Work => ({
  name,
  tidies: true,
  run: Effect.flatMap(currentTime, tidy),
  next: Effect.map(currentTime, (now) => Option.some(DateTime.add(now, { hours: 1 })))
})

/** The due rows of one sandbox. Their times are those of its clock, which other workers do not look at. */
export interface SandboxWork {
  /** Does what is due by the current clock, and answers the number of rows. */
  readonly run: (merchantId: string) => Effect.Effect<number>
  /** When the first row of each of these sandboxes is due. Those without any are left out. */
  readonly nextOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
  /** Each row is a post of a webhook. */
  readonly isPosting?: boolean
}

/** Leases rows and works on them, until none is due. */
export const dueWork = <Row>(
  { backlog, leaseDue, nextDue, nextDueOf }: Omit<DueRows<Row>, "noteOutcomes">,
  work: (rows: ReadonlyArray<Row>) => Effect.Effect<number>
) => {
  const round = (merchantId?: string) =>
    Effect.flatMap(currentTime, (now) => Effect.flatMap(leaseDue(now, leasedMax, merchantId), work))
  return { run: round(), next: nextDue, backlog, ofSandbox: { run: round, nextOf: nextDueOf } } satisfies Partial<Work>
}
