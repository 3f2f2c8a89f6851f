/**
 * Begins what was leased, as far as there are places, and follows each attempt to its end: its place is free again, its
 * result is written, and the next one begins. Whatever goes wrong with one costs the others nothing.
 */
import { webhookAcknowledgement } from "@coffer/model/Limits"
import type { MerchantId, Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { Keys, Line } from "@coffer/rules/delivery/places"
import { hostOf } from "@coffer/rules/delivery/route"
import { DateTime, Duration, Effect, Exit, FiberSet, identity, Option, Result } from "effect"
import type { MerchantNotFound } from "../merchants/Merchants.ts"
import type { Worker } from "../platform/jobs/Workers.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { unmovedMillis } from "../platform/runtime/MovedClock.ts"
import type { Ended, LeasedDelivery } from "./deliveryAttempts.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import { logLost, makeResults } from "./deliveryResults.ts"
import { DeliveryStore, type Lease } from "./DeliveryStore.ts"
import type { makeFailingDestinations } from "./failingDestinations.ts"
import type { makePlacesInUse } from "./placesInUse.ts"
import { attemptOf, isDelivered, type Posted, type PostResult } from "./postDelivery.ts"
import type { makeWaiting } from "./waitingDeliveries.ts"

/** What an attempt takes at most. */
const attemptMillis = Duration.toMillis(webhookAcknowledgement)

interface Surroundings {
  readonly post: (delivery: LeasedDelivery, latest: number) => Effect.Effect<PostResult, MerchantNotFound>
  readonly places: ReturnType<typeof makePlacesInUse>
  readonly waiting: ReturnType<typeof makeWaiting<Started>>
  readonly failing: ReturnType<typeof makeFailingDestinations>
  readonly metrics: Effect.Success<ReturnType<typeof DeliveryMetrics.make>>
}

/** A delivery that was leased. It keeps the worker from being at rest until its result is written. */
export interface Started extends Lease {
  readonly line: Line
  readonly worker: Worker
}

interface Made extends Ended {
  readonly outcome: Posted["outcome"]
  readonly worker: Worker
}

/** Begins what waits, each attempt in a fiber of its own, which holds a place until the post has ended. */
export const makeBegin = Effect.fnUntraced(function* ({ failing, metrics, places, post, waiting }: Surroundings) {
  const store = yield* DeliveryStore
  const clocks = yield* MerchantClocks
  const unrecorded = makeUnrecorded()

  const results = yield* makeResults(makeWritten({ metrics, places, clocks }))
  const run = yield* FiberSet.makeRuntime<never>()

  /** What is to be written of an attempt, if there is anything. */
  const conclude = Effect.fnUntraced(function* (started: Started, posted: PostResult) {
    const { delivery, leaseUntil, line, worker } = started
    if (posted === "skipped") return yield* store.skip(delivery)
    if (posted === "late" || posted === "proxy") {
      unrecorded.add(leaseUntil)
      if (posted === "proxy") yield* DeliveryMetrics.countProxyFailure
      return
    }
    const made: Made = { delivery, attempt: attemptOf(delivery, posted), outcome: posted.outcome, worker }
    places.learn(line, { isAnswered: made.attempt.statusCode !== null, millis: made.attempt.durationMillis })
    // An operator's hour is one of real time.
    const warning = judge(failing, made, yield* unmovedMillis)
    if (warning !== undefined) yield* Effect.logWarning(warning)
    return made
  })

  const start = (started: Started, keys: Keys) => {
    const { delivery, leaseUntil, worker } = started
    const { mode } = delivery
    places.take(keys)
    run(
      // One that begins later may outlive its lease, and another runner would post the same event meanwhile.
      clocks.working(ownerOf(delivery), post(delivery, DateTime.toEpochMillis(leaseUntil) - attemptMillis)).pipe(
        Effect.flatMap((posted) => conclude(started, posted)),
        Effect.catchCause((cause) => {
          unrecorded.add(leaseUntil)
          return Effect.as(logLost(delivery, cause), undefined)
        }),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            places.free(keys)
            // The worker begins what could not be begun here, or says why it cannot.
            const isBegun = Result.isSuccess(tryBegin(mode))
            if (!isBegun || waiting.hasFew(mode) || places.hasFreePlace(mode)) worker.wake()
            if (Exit.isSuccess(exit) && exit.value !== undefined) results.add(exit.value)
            else worker.release()
          })
        )
      )
    )
  }

  const beginAll = (mode: Mode) => {
    while (places.hasFreePlace(mode) && !results.isBehind()) {
      const next = waiting.next(mode, places)
      if (next === undefined) return
      start(next.one, next.keys)
    }
  }

  // An attempt may end while it is begun.
  const tryBegin = oneAtATime(beginAll)
  return {
    begin: (mode: Mode) => Result.getOrThrowWith(tryBegin(mode), identity),
    isBehind: results.isBehind,
    nextLeaseEnd: unrecorded.next
  }
})

/** Ignored while it runs. An error is a value, so that nothing keeps the next one from running. */
const oneAtATime = <Argument>(run: (argument: Argument) => void) => {
  let isRunning = false
  return (argument: Argument): Result.Result<void, unknown> => {
    if (isRunning) return Result.void
    isRunning = true
    const outcome = Result.try(() => run(argument))
    isRunning = false
    return outcome
  }
}

interface Told extends Pick<Surroundings, "metrics" | "places"> {
  readonly clocks: MerchantClocks["Service"]
}

/** What follows when results were written, or could not be. */
const makeWritten =
  ({ clocks, metrics, places }: Told) =>
  (batch: ReadonlyArray<Made>, wasBehind: boolean) =>
    Effect.ensuring(
      Effect.andThen(metrics.count(batch.map(({ outcome }) => outcome)), metrics.underWay(places.posts())),
      Effect.suspend(() => {
        for (const { attempt, worker } of batch) {
          // The worker may have looked for the next row that is due before this one's time was written.
          if (wasBehind || attempt.status === "pending") worker.wake()
          worker.release()
        }
        // A sandbox whose clock was moved has a place for the next one, or a new time at which one is due.
        return Effect.forEach(batch, ({ delivery }) => clocks.within(ownerOf(delivery), Effect.void), { discard: true })
      })
    )

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

/** What an operator is told, if anything. What cannot be signed is our failure, not the destination's. */
const judge = (failing: Surroundings["failing"], { attempt, delivery, outcome }: Made, endedAt: number) => {
  const line = lineOf(delivery)
  if (outcome._tag === "Unsigned") return undefined
  if (isDelivered(outcome)) return failing.succeeded(line)
  const since = failing.failed(line, endedAt)
  if (since === undefined) return undefined
  const why = attempt.failure ?? `it answers ${attempt.statusCode}`
  const from = DateTime.formatIso(DateTime.makeUnsafe(since))
  const whose = `${line.merchantId} (${line.mode}${delivery.endpoint_id === null ? "" : `, ${delivery.endpoint_id}`})`
  return `webhooks of ${whose} to ${hostOf(line.destination)} have failed since ${from}: ${why}`
}

const ownerOf = ({ merchant_id, mode }: LeasedDelivery): Account => ({ merchantId: merchant_id as MerchantId, mode })

export const lineOf = ({ destination, merchant_id, mode }: LeasedDelivery): Line => ({
  mode,
  merchantId: merchant_id,
  destination
})
