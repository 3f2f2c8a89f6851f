/**
 * Deliveries of one sandbox whose clock was moved: posted when they are due by that clock, and recorded before it goes
 * on (docs/decisions/0043). Few at a time, beside the places that others share: only one runner works for a sandbox.
 */
import { webhookAcknowledgement } from "@coffer/model/Limits"
import { DateTime, Duration, Effect } from "effect"
import type { SandboxWork } from "../platform/jobs/dueWork.ts"
import { currentMillis, currentTime } from "../platform/runtime/clock.ts"
import { unmovedTime } from "../platform/runtime/MovedClock.ts"
import type { LeasedDelivery } from "./deliveryAttempts.ts"
import { logLost } from "./deliveryResults.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import { attemptOf, makePost } from "./postDelivery.ts"

/** Posts at once for one sandbox. */
const postsMax = 8
/** The row of a runner that died is due again after this, in real time. */
const lease = Duration.seconds(30)

export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const post = yield* makePost

  const deliver = Effect.fnUntraced(
    function* (delivery: LeasedDelivery) {
      const latest = (yield* currentMillis) + Duration.toMillis(webhookAcknowledgement)
      const posted = yield* post(delivery, latest)
      if (posted === "skipped") return yield* store.skip(delivery)
      // Nothing was sent: it is due again when its lease ends.
      if (posted === "late" || posted === "proxy") return
      yield* store.record([{ delivery, attempt: attemptOf(delivery, posted) }])
    },
    (attempt, delivery) => Effect.catchCause(attempt, (cause) => logLost(delivery, cause))
  )

  const work: SandboxWork = {
    run: Effect.fnUntraced(function* (merchantId) {
      const unmoved = yield* unmovedTime
      const leaseUntil = DateTime.addDuration(unmoved, lease)
      const leased = yield* store.leaseOf(merchantId, { now: yield* currentTime, unmoved, leaseUntil, limit: postsMax })
      yield* Effect.forEach(leased, deliver, { concurrency: postsMax, discard: true })
      return leased.length
    }),
    nextOf: store.nextDueOf,
    isPosting: true
  }
  return work
})
