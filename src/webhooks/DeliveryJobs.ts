/**
 * Pushes events to merchants' servers (spec: Events, Delivery): leases what is due, posts it, and records the attempt.
 * Places for posts are shared by mode, merchant, host and address, so that a server that hangs delays no other address
 * (docs/decisions/0053). Leases and results go in batches (docs/decisions/0023). Runs without an owner, on every
 * runner.
 */
import type { Mode } from "@coffer/model/Ids"
import { allot, allotBoth, type Allotted, type DueLine, lineKey } from "@coffer/rules/delivery/places"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import { Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { lineOf, makeBegin, type Started } from "./beginDeliveries.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { DeliveryStore, type DueAt } from "./DeliveryStore.ts"
import { makeFailingDestinations } from "./failingDestinations.ts"
import * as DueLines from "./DueLines.ts"
import * as SandboxDeliveries from "./SandboxDeliveries.ts"
import { makePlacesInUse } from "./placesInUse.ts"
import { makePost } from "./postDelivery.ts"
import { makeWaiting } from "./waitingDeliveries.ts"

/** Live first, so that live deliveries do not wait for a walk through the sandbox's backlog. */
const modes = ["live", "sandbox"] as const
/** The row of a runner that died is due again after this: the time of two attempts and some more. */
const lease = Duration.seconds(30)
/** The pause before the next look after deliveries were begun, while more are known to be due. */
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
    const waiting = makeWaiting<Started>()
    const { begin, isBehind, nextLeaseEnd } = yield* makeBegin({
      post: yield* makePost,
      places,
      waiting,
      failing,
      metrics
    })

    /** Whether this runner has committed deliveries since the last round, which it may have no place for. */
    let isNew = false
    yield* wakeups.onRaise("deliveries", (isOwn) => void (isNew ||= isOwn))

    const giveBack = makeGiveBack(store)
    // If this fails, the waiting deliveries are due again when their leases end.
    yield* Effect.addFinalizer(() => Effect.ignoreCause(giveBack(waiting.takeOverdue())))

    yield* workers.supervise((worker) => {
      let lastLook = DateTime.makeUnsafe(0)
      let hasBegun = false

      const start = Effect.fnUntraced(function* (lines: ReadonlyArray<Allotted>, due: DueAt) {
        const leaseUntil = DateTime.addDuration(due.unmoved, lease)
        const leased = yield* store.lease({ ...due, leaseUntil, lines })
        for (const delivery of leased) {
          worker.hold()
          waiting.add({ delivery, leaseUntil, worker, line: lineOf(delivery) }, places)
        }
        modes.forEach(begin)
        yield* metrics.underWay(places.posts())
        return leased
      })

      /** Leases as many as there are places for, with a backlog as many as may wait besides, and begins them. */
      const startDue = (now: DateTime.Utc) =>
        Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>, isBacklog: boolean) {
          const lines = isBacklog ? allotBoth(due, places, waiting.room(places)) : allot(due, places)
          if (lines.length === 0) return []
          const leased = yield* start(lines, { now, unmoved: now })
          hasBegun ||= leased.length > 0
          const byLine = Map.groupBy(leased, (delivery) => lineKey(lineOf(delivery)))
          return lines.map((line) => ({ ...line, leased: byLine.get(lineKey(line))?.length ?? 0 }))
        })

      // Waiting deliveries were begun before this: a place that is still free is one that none of them may take.
      const mayLease = (mode: Mode) => places.hasFreePlace(mode) || (waiting.hasFew(mode) && dueLines.isBacklog())

      return {
        name: "deliveries",
        callsOutside: true,
        wakeup: "deliveries",
        passesOn: false,
        ofSandbox: SandboxDeliveries.make({ store, places, isBehind, start }),
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

const makeGiveBack = (store: DeliveryStore["Service"]) => (given: ReadonlyArray<Started>) =>
  Effect.when(
    Effect.ensuring(
      store.giveBack(given),
      Effect.sync(() => given.forEach(({ worker }) => worker.release()))
    ),
    Effect.sync(() => given.length > 0)
  )
