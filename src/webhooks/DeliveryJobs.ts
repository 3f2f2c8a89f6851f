/**
 * Pushes events to merchants' servers (spec: Events, Delivery): leases what is due, posts it, and records the attempt.
 * Places for posts are shared by mode, merchant and destination, so that a server that hangs delays no other merchant
 * (docs/decisions/0016). Leases and results go in batches (docs/decisions/0023). Runs outside the actors, on every
 * runner.
 */
import { webhookAcknowledgement } from "@coffer/model/Limits"
import type { Mode } from "@coffer/model/Ids"
import { allot, allotBoth, type DueLine, type Keys, keysOf, type Line, lineKey } from "@coffer/rules/delivery/places"
import { DateTime, Duration, Effect, Exit, FiberSet, Layer, Option } from "effect"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import { type Worker, Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import type { Ended, LeasedDelivery } from "./deliveryAttempts.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { logLost, makeResults } from "./deliveryResults.ts"
import { DeliveryStore, type Lease } from "./DeliveryStore.ts"
import { makeFailingDestinations } from "./failingDestinations.ts"
import * as DueLines from "./DueLines.ts"
import * as SandboxDeliveries from "./SandboxDeliveries.ts"
import { makePlacesInUse } from "./placesInUse.ts"
import { attemptOf, isDelivered, makePost, type Posted } from "./postDelivery.ts"
import { makeWaiting } from "./waitingDeliveries.ts"

/** Live first, so that live deliveries do not wait for a walk through the sandbox's backlog. */
const modes = ["live", "sandbox"] as const
/** The row of a runner that died is due again after this: the time of two attempts and some more. */
const lease = Duration.seconds(30)
/** Between two places that become free, while more is due. */
const soon = Duration.millis(50)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const wakeups = yield* Wakeups
    const store = yield* DeliveryStore
    const dueLines = DueLines.make(store)
    const places = makePlacesInUse()
    const failing = makeFailingDestinations()
    const metrics = yield* DeliveryMetrics.make(failing.count)
    const ofSandbox = yield* SandboxDeliveries.make
    const waiting = makeWaiting<Started>()
    const { begin, isBehind, nextLeaseEnd } = yield* makeBegin({ places, waiting, failing, metrics })

    /** Whether this runner has committed deliveries since the last round, which it may have no place for. */
    let isNew = false
    yield* wakeups.onRaise("deliveries", (isOwn) => void (isNew ||= isOwn))

    const giveBack = (given: ReadonlyArray<Started>) =>
      Effect.when(
        Effect.ensuring(
          store.giveBack(given),
          Effect.sync(() => given.forEach(({ worker }) => worker.release()))
        ),
        Effect.sync(() => given.length > 0)
      )
    // What waits here need not wait for its lease. If this fails, it does.
    yield* Effect.addFinalizer(() => Effect.ignoreCause(giveBack(waiting.takeOverdue())))

    yield* workers.supervise((worker) => {
      let lastLook = DateTime.makeUnsafe(0)
      let hasBegun = false

      /** Leases as many as there are places for, with a backlog as many as may wait besides, and begins them. */
      const startDue = (now: DateTime.Utc) =>
        Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>, isBacklog: boolean) {
          const lines = isBacklog ? allotBoth(due, places, waiting.room(places)) : allot(due, places)
          if (lines.length === 0) return []
          const leaseUntil = DateTime.addDuration(now, lease)
          const leased = yield* store.lease({ now, leaseUntil, lines })
          for (const delivery of leased) {
            worker.hold()
            waiting.add({ delivery, leaseUntil, worker, keys: keysOf(lineOf(delivery)) })
          }
          modes.forEach(begin)
          yield* metrics.underWay(places.posts())
          hasBegun ||= leased.length > 0
          const byLine = Map.groupBy(leased, (delivery) => lineKey(lineOf(delivery)))
          return lines.map((line) => ({ ...line, leased: byLine.get(lineKey(line))?.length ?? 0 }))
        })

      // A place that is free now is one that nothing that waits may take.
      const mayLease = (mode: Mode) => places.hasFreePlace(mode) || (waiting.hasFew(mode) && dueLines.isBacklog())

      return {
        name: "deliveries",
        wakeup: "deliveries",
        passesOn: false,
        ofSandbox,
        backlog: store.backlog,
        // A delivery that was due at the last look waits for a place: the post that frees it wakes this worker.
        next: Effect.gen(function* () {
          if (isNew && (dueLines.hasLeft() || !modes.every(places.hasFreePlace))) wakeups.pass("deliveries")
          isNew = false
          const overdue = waiting.nextOverdue()
          if (hasBegun && dueLines.isKnown()) {
            hasBegun = false
            return Option.some(DateTime.addDuration(yield* currentTime, soon))
          }
          const next = yield* store.nextDue(lastLook)
          return earlier(earlier(next, nextLeaseEnd(lastLook)), overdue)
        }),
        run: Effect.gen(function* () {
          lastLook = yield* currentTime
          yield* giveBack(waiting.takeOverdue(lastLook))
          modes.forEach(begin)
          const open = modes.filter(mayLease)
          return open.length === 0 || isBehind() ? 0 : yield* dueLines.offer(open, lastLook, startDue(lastLook))
        })
      }
    })
    yield* workers.supervise(() => metrics.work)
  })
)

const earlier = (a: Option.Option<DateTime.Utc>, b: Option.Option<DateTime.Utc>): Option.Option<DateTime.Utc> =>
  Option.isSome(a) && Option.isSome(b) ? Option.some(DateTime.min(a.value, b.value)) : Option.orElse(a, () => b)

interface Surroundings {
  readonly places: ReturnType<typeof makePlacesInUse>
  readonly waiting: ReturnType<typeof makeWaiting<Started>>
  readonly failing: ReturnType<typeof makeFailingDestinations>
  readonly metrics: Effect.Success<ReturnType<typeof DeliveryMetrics.make>>
}

/** A delivery that was leased. It keeps the worker from being at rest until its result is written. */
interface Started extends Lease {
  readonly keys: Keys
  readonly worker: Worker
}

interface Made extends Ended {
  readonly outcome: Posted["outcome"]
  readonly worker: Worker
}

/** Begins what waits, each attempt in a fiber of its own, which holds a place until the post has ended. */
const makeBegin = Effect.fnUntraced(function* ({ failing, metrics, places, waiting }: Surroundings) {
  const store = yield* DeliveryStore
  const post = yield* makePost
  const unrecorded = makeUnrecorded()

  const results = yield* makeResults<Made>((batch, wasBehind) =>
    Effect.gen(function* () {
      yield* metrics.count(batch.map(({ outcome }) => outcome))
      yield* metrics.underWay(places.posts())
      for (const { attempt, worker } of batch) {
        // The worker may have looked for the next row that is due before this one's time was written.
        if (wasBehind || attempt.status === "pending") worker.wake()
        worker.release()
      }
    })
  )
  const run = yield* FiberSet.makeRuntime<never>()

  /** The result, if there is one to be written. */
  const attempt = Effect.fnUntraced(function* ({ delivery, keys, leaseUntil, worker }: Started) {
    // One that begins later may outlive its lease, and another runner would post the same event meanwhile.
    const posted = yield* post(delivery, DateTime.subtractDuration(leaseUntil, webhookAcknowledgement))
    if (posted === "skipped") return yield* Effect.as(store.skip(delivery), undefined)
    if (posted === "late" || posted === "proxy") {
      unrecorded.add(leaseUntil)
      if (posted === "proxy") yield* DeliveryMetrics.countProxyFailure
      return undefined
    }
    const made: Made = { delivery, attempt: attemptOf(delivery, posted), outcome: posted.outcome, worker }
    places.learn(keys, made.attempt.durationMillis)
    yield* judge(failing, made, DateTime.toEpochMillis(posted.ended))
    return made
  })

  const start = (started: Started) => {
    const { delivery, keys, leaseUntil, worker } = started
    const { mode } = delivery
    places.take(keys)
    run(
      attempt(started).pipe(
        Effect.catchCause((cause) => {
          unrecorded.add(leaseUntil)
          return Effect.as(logLost(delivery, cause), undefined)
        }),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            places.free(keys)
            begin(mode)
            if (waiting.hasFew(mode) || places.hasFreePlace(mode)) worker.wake()
            if (Exit.isSuccess(exit) && exit.value !== undefined) results.add(exit.value)
            else worker.release()
          })
        )
      )
    )
  }

  let isBeginning = false
  const begin = (mode: Mode) => {
    // An attempt may end while it is begun.
    if (isBeginning) return
    isBeginning = true
    while (places.hasFreePlace(mode) && !results.isBehind()) {
      const next = waiting.next(mode, places)
      if (next === undefined) break
      start(next)
    }
    isBeginning = false
  }
  return { begin, isBehind: results.isBehind, nextLeaseEnd: unrecorded.next }
})

/** Ends of leases that leave no trace in the database: their deliveries are due again then. */
const makeUnrecorded = () => {
  let ends: ReadonlyArray<DateTime.Utc> = []
  return {
    add: (end: DateTime.Utc) => void (ends = [...ends, end]),
    next: (now: DateTime.Utc): Option.Option<DateTime.Utc> => {
      ends = ends.filter((end) => DateTime.isGreaterThan(end, now))
      return Option.fromNullishOr(ends.toSorted(DateTime.Order)[0])
    }
  }
}

/** What cannot be signed is our failure, not the destination's. */
const judge = (failing: Surroundings["failing"], { attempt, delivery, outcome }: Made, endedAt: number) => {
  const line = lineOf(delivery)
  if (outcome._tag === "Unsigned") return Effect.void
  if (isDelivered(outcome)) return Effect.sync(() => failing.succeeded(line))
  const since = failing.failed(line, endedAt)
  if (since === undefined) return Effect.void
  const why = attempt.failure ?? `it answers ${attempt.statusCode}`
  const from = DateTime.formatIso(DateTime.makeUnsafe(since))
  return Effect.logWarning(
    `webhooks of ${line.merchantId} (${line.mode}) to ${line.destination} have failed since ${from}: ${why}`
  )
}

const lineOf = ({ destination, merchant_id, mode }: LeasedDelivery): Line => ({
  mode,
  merchantId: merchant_id,
  destination
})
