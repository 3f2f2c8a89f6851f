/**
 * Pushes events to merchants' servers (spec: Events, Delivery): claims what is due, signs it anew, posts it, and
 * records how that went. Places for posts are shared out by mode, merchant and destination, so that whoever hangs
 * delays nobody else (docs/decisions/0016). Runs outside the actors, on every runner.
 */
import { withoutSignatures } from "@coffer/rules/checkoutAddress"
import { webhookAcknowledgement } from "@coffer/model/Limits"
import {
  allot,
  type DueLine,
  keysOf,
  limitAfter,
  lineKey,
  placesPerLine,
  placesPerMode
} from "@coffer/rules/delivery/places"
import { nextAttempt } from "@coffer/rules/delivery/schedule"
import { signatureHeader } from "@coffer/rules/delivery/signature"
import { Cause, DateTime, Duration, Effect, FiberSet, Layer } from "effect"
import { Events } from "../events/Events.ts"
import { hmacHex } from "../platform/runtime/Secrets.ts"
import { span } from "../platform/runtime/span.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { type Claimed, DeliveryStore } from "./DeliveryStore.ts"
import { Outbound, type Outcome } from "./Outbound.ts"
import * as DeliveryMetrics from "./DeliveryMetrics.ts"
import * as DueLines from "./DueLines.ts"
import { type Worker, Workers } from "../platform/jobs/Workers.ts"

/** Live first, so that the sandbox's backlog is looked through afterwards. */
const modes = ["live", "sandbox"] as const
/** A claimed row comes back after this when its runner died: two attempts' time and some. */
const lease = Duration.seconds(30)
/** An attempt begins only while its lease covers it to the end: another runner would post the same event meanwhile. */
const lateAfter = Duration.subtract(lease, Duration.fromInputUnsafe(webhookAcknowledgement))
/** Lines that hung lately of which this is kept; beyond it the one that was noted first is forgotten. */
const limitsMax = 4_096

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* DeliveryStore
    const dueLines = DueLines.make(store)
    const post = yield* makePost
    const metrics = yield* DeliveryMetrics.make

    const fibers = yield* FiberSet.make()
    const taken = new Map<string, number>()
    const limits = new Map<string, number>()

    const count = (delivery: Claimed, by: number) => {
      for (const key of keysOf(lineOf(delivery))) {
        const now = (taken.get(key) ?? 0) + by
        if (now === 0) taken.delete(key)
        else taken.set(key, now)
      }
    }
    const learn = (delivery: Claimed, millis: number) => {
      const key = lineKey(lineOf(delivery))
      const limit = limitAfter(limits.get(key) ?? placesPerLine, millis)
      limits.delete(key)
      if (limit === placesPerLine) return
      if (limits.size >= limitsMax) limits.delete(limits.keys().next().value!)
      limits.set(key, limit)
    }

    /** What is learnt of the destination does not depend on the database. */
    const conclude = Effect.fnUntraced(function* (delivery: Claimed, { at, ended, outcome }: Posted) {
      const durationMillis = DateTime.toEpochMillis(ended) - DateTime.toEpochMillis(at)
      learn(delivery, durationMillis)
      yield* metrics.count(outcome)
      yield* store.record(delivery, { at, durationMillis, ...conclusionOf(delivery, outcome, ended) })
    })

    const start = (delivery: Claimed, claimedAt: DateTime.Utc, worker: Worker) => {
      count(delivery, 1)
      worker.hold()
      return post(delivery, DateTime.addDuration(claimedAt, lateAfter)).pipe(
        Effect.flatMap((posted) => (posted === undefined ? Effect.void : conclude(delivery, posted))),
        Effect.catchCause((cause) => lost(delivery, cause)),
        Effect.ensuring(
          Effect.sync(() => {
            count(delivery, -1)
            worker.wake()
            worker.release()
          })
        ),
        FiberSet.run(fibers)
      )
    }

    yield* workers.supervise((worker) => {
      let looked = DateTime.makeUnsafe(0)
      const claim = (now: DateTime.Utc) => (due: ReadonlyArray<DueLine>) =>
        Effect.gen(function* () {
          const lines = allot(due, { taken, limits })
          if (lines.length === 0) return 0
          const claimed = yield* store.claim({ now, leaseUntil: DateTime.addDuration(now, lease), lines })
          for (const delivery of claimed) yield* start(delivery, now, worker)
          return claimed.length
        })
      return {
        name: "deliveries",
        wakeup: "deliveries",
        // What is due and was not claimed waits for a place: the post that ends wakes us.
        next: Effect.suspend(() => store.nextDue(looked)),
        run: Effect.gen(function* () {
          looked = yield* DateTime.now
          const open = modes.filter((mode) => (taken.get(mode) ?? 0) < placesPerMode)
          return open.length === 0 ? 0 : yield* dueLines.offer(open, looked, claim(looked))
        })
      }
    })
    yield* workers.supervise(() => metrics.work)
  })
)

/** Its row comes back when the lease ends. */
const lost = ({ attempts, destination, id }: Claimed, cause: Cause.Cause<unknown>) => {
  const why = String(Cause.squash(cause))
  return Effect.logWarning(
    `delivery ${id} to ${destination}: attempt ${attempts + 1} could not be made or recorded (${why}); it comes again`
  )
}

const lineOf = ({ destination, merchant_id, mode }: Claimed) => ({ mode, merchantId: merchant_id, destination })

interface Posted {
  readonly at: DateTime.Utc
  readonly ended: DateTime.Utc
  readonly outcome: Outcome
}

/** Signs and posts once. Undefined: it is too late to begin. */
const makePost = Effect.gen(function* () {
  const merchants = yield* Merchants
  const events = yield* Events
  const outbound = yield* Outbound
  const { allowPrivateWebhooks } = yield* Settings

  return span("Deliveries.post")(function* (delivery: Claimed, latest: DateTime.Utc) {
    const body = events.deliverable(delivery.body)
    const secret = yield* merchants.signingSecret(delivery.merchant_id, delivery.mode)
    const at = yield* DateTime.now
    if (DateTime.isGreaterThan(at, latest)) return undefined
    const outcome = yield* outbound.post({
      url: delivery.url,
      body,
      httpAllowed: delivery.mode === "sandbox",
      privateAllowed: delivery.mode === "sandbox" && allowPrivateWebhooks,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Coffer/1.0",
        "X-Service-Event-Id": delivery.event_id,
        "X-Service-Event-Type": delivery.type,
        "X-Service-Signature": signatureHeader({ at, body, secrets: [secret], hmacHex }),
        ...(delivery.endpoint_id === null ? {} : { "X-Service-Endpoint-Id": delivery.endpoint_id })
      }
    })
    const posted: Posted = { at, outcome, ended: yield* DateTime.now }
    return posted
  })
})

/** 2xx is delivered; anything else is tried again, until the schedule ends (spec: Events, Delivery). */
const conclusionOf = (delivery: Claimed, outcome: Outcome, endedAt: DateTime.Utc) => {
  const said =
    outcome._tag === "Answered"
      ? { statusCode: outcome.status, failure: null, snippet: withoutSignatures(outcome.snippet) }
      : { statusCode: null, failure: `${outcome.reason}: ${outcome.detail}`, snippet: null }
  if (DeliveryMetrics.isDelivered(outcome)) return { ...said, status: "succeeded" as const, nextAttemptAt: undefined }
  const next = nextAttempt(delivery.attempts + 1, endedAt)
  return next === undefined
    ? { ...said, status: "failed" as const, nextAttemptAt: undefined }
    : { ...said, status: "pending" as const, nextAttemptAt: next }
}
