/**
 * Pushes events to merchants' servers (spec: Events, Delivery): leases what is due, posts it, and records the attempt.
 * Places for posts are shared by mode, merchant and destination, so that a server that hangs delays no other merchant
 * (docs/decisions/0016). Runs outside the actors, on every runner.
 */
import { webhookAcknowledgement } from "@coffer/model/Limits"
import { allot, type DueLine, type Line } from "@coffer/rules/delivery/places"
import { Cause, DateTime, Duration, Effect, FiberSet, Layer } from "effect"
import { type Worker, Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { type Attempt, DeliveryStore, type LeasedDelivery } from "./DeliveryStore.ts"
import { makeFailingDestinations } from "./failingDestinations.ts"
import * as DueLines from "./DueLines.ts"
import { makePlacesInUse } from "./placesInUse.ts"
import { attemptOf, isDelivered, makePost, type Posted } from "./postDelivery.ts"

/** Live first, so that live deliveries do not wait for a walk through the sandbox's backlog. */
const modes = ["live", "sandbox"] as const
/** The row of a runner that died is due again after this: the time of two attempts and some more. */
const lease = Duration.seconds(30)
/** An attempt that begins later may outlive its lease, and another runner would post the same event meanwhile. */
const beginsWithin = Duration.subtract(lease, Duration.fromInputUnsafe(webhookAcknowledgement))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* DeliveryStore
    const dueLines = DueLines.make(store)
    const places = makePlacesInUse()
    const failing = makeFailingDestinations()
    const metrics = yield* DeliveryMetrics.make(failing.count)
    const start = yield* makeStart({ places, failing, metrics })

    yield* workers.supervise((worker) => {
      let lastLook = DateTime.makeUnsafe(0)

      /** Starts as many posts as there are places for. How many that was. */
      const startDue = (now: DateTime.Utc) =>
        Effect.fnUntraced(function* (due: ReadonlyArray<DueLine>) {
          const lines = allot(due, places)
          if (lines.length === 0) return 0
          const leased = yield* store.lease({ now, leaseUntil: DateTime.addDuration(now, lease), lines })
          for (const delivery of leased) yield* start(delivery, now, worker)
          return leased.length
        })

      return {
        name: "deliveries",
        wakeup: "deliveries",
        // A delivery that was due at the last look waits for a place: the post that frees it wakes this worker.
        next: Effect.suspend(() => store.nextDue(lastLook)),
        run: Effect.gen(function* () {
          lastLook = yield* currentTime
          const open = modes.filter(places.hasFreePlace)
          return open.length === 0 ? 0 : yield* dueLines.offer(open, lastLook, startDue(lastLook))
        })
      }
    })
    yield* workers.supervise(() => metrics.work)
  })
)

/** Starts the attempt in a fiber of its own, which holds a place and keeps the worker from being at rest. */
const makeStart = Effect.fnUntraced(function* ({ failing, metrics, places }: Surroundings) {
  const store = yield* DeliveryStore
  const post = yield* makePost
  const fibers = yield* FiberSet.make()

  const attempt = Effect.fnUntraced(function* (delivery: LeasedDelivery, latest: DateTime.Utc) {
    const posted = yield* post(delivery, latest)
    if (posted === "late") return
    if (posted === "proxy") return yield* DeliveryMetrics.countProxyFailure
    if (posted === "skipped") return yield* store.skip(delivery)
    const attempt = attemptOf(delivery, posted)
    // First, since it does not depend on the database.
    places.learn(lineOf(delivery), attempt.durationMillis)
    yield* metrics.count(posted.outcome)
    yield* judge(failing, delivery, posted, attempt)
    yield* store.record(delivery, attempt)
  })

  return (delivery: LeasedDelivery, leasedAt: DateTime.Utc, worker: Worker) => {
    places.take(lineOf(delivery))
    worker.hold()
    return metrics.underWay(places.posts()).pipe(
      Effect.andThen(attempt(delivery, DateTime.addDuration(leasedAt, beginsWithin))),
      Effect.catchCause((cause) => logLost(delivery, cause)),
      Effect.ensuring(
        Effect.suspend(() => {
          places.free(lineOf(delivery))
          return Effect.andThen(
            metrics.underWay(places.posts()),
            Effect.sync(() => {
              worker.wake()
              worker.release()
            })
          )
        })
      ),
      FiberSet.run(fibers)
    )
  }
})

interface Surroundings {
  readonly places: ReturnType<typeof makePlacesInUse>
  readonly failing: ReturnType<typeof makeFailingDestinations>
  readonly metrics: Effect.Success<ReturnType<typeof DeliveryMetrics.make>>
}

/** What cannot be signed is our failure, not the destination's. */
const judge = (
  failing: Surroundings["failing"],
  delivery: LeasedDelivery,
  { ended, outcome }: Posted,
  { failure, statusCode }: Attempt
) => {
  const line = lineOf(delivery)
  if (outcome._tag === "Unsigned") return Effect.void
  if (isDelivered(outcome)) return Effect.sync(() => failing.succeeded(line))
  const since = failing.failed(line, DateTime.toEpochMillis(ended))
  if (since === undefined) return Effect.void
  const why = failure ?? `it answers ${statusCode}`
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

/** The row is due again when its lease ends. */
const logLost = ({ attempts, destination, id }: LeasedDelivery, cause: Cause.Cause<unknown>) => {
  const why = String(Cause.squash(cause))
  return Effect.logWarning(
    `delivery ${id} to ${destination}: attempt ${attempts + 1} could not be made or recorded (${why}); it comes again`
  )
}
