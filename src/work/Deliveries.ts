/**
 * Pushes events to merchants' servers (spec: Events, Delivery): claims what is due, signs it anew, posts it, and
 * records how that went. Bounded in all and per destination, so that a dead endpoint delays nobody else. Runs outside
 * the actors, on every runner.
 */
import { nextAttempt } from "@coffer/rules/delivery/schedule"
import { signatureHeader } from "@coffer/rules/delivery/signature"
import { DateTime, Effect, FiberSet, Layer, Semaphore } from "effect"
import { Events } from "../events/Events.ts"
import { hmacHex } from "../ground/Vault.ts"
import { traced } from "../ground/traced.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Settings } from "../Settings.ts"
import { type Claimed, DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { Outbound, type Outcome } from "../webhooks/Outbound.ts"
import { type Worker, Workers } from "./Workers.ts"

/** Posts under way at once, in this process. */
const inFlightMax = 64
/** Posts under way to one host and port. */
const perDestinationMax = 8
/** A claimed row comes back after this when its runner died: two attempts' time and some. */
const lease = "30 seconds"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* DeliveryStore
    const merchants = yield* Merchants
    const events = yield* Events
    const outbound = yield* Outbound
    const { allowPrivateWebhooks } = yield* Settings

    const fibers = yield* FiberSet.make()
    const total = yield* Semaphore.make(inFlightMax)
    const busy = new Map<string, number>()

    const post = traced("Deliveries.post")(function* (delivery: Claimed) {
      const body = events.deliverable(delivery.body)
      const secret = yield* merchants.signingSecret(delivery.merchant_id, delivery.mode)
      const at = yield* DateTime.now
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
      const ended = yield* DateTime.now
      yield* store.record(delivery, {
        at,
        durationMillis: DateTime.toEpochMillis(ended) - DateTime.toEpochMillis(at),
        ...conclusionOf(delivery, outcome, ended)
      })
    })

    const start = (delivery: Claimed, worker: Worker) => {
      const change = (by: number) => {
        const count = (busy.get(delivery.destination) ?? 0) + by
        if (count === 0) busy.delete(delivery.destination)
        else busy.set(delivery.destination, count)
      }
      change(1)
      worker.hold()
      return total.withPermit(post(delivery)).pipe(
        Effect.catchCause((cause) => Effect.logWarning("a delivery will be tried again", cause)),
        Effect.annotateLogs({ delivery_id: delivery.id }),
        Effect.ensuring(
          Effect.sync(() => {
            change(-1)
            worker.wake()
            worker.release()
          })
        ),
        FiberSet.run(fibers)
      )
    }

    yield* workers.supervise((worker) => ({
      name: "deliveries",
      signal: "deliveries",
      next: store.nextDue,
      run: Effect.gen(function* () {
        const free = inFlightMax - (yield* FiberSet.size(fibers))
        // Whoever ends wakes us.
        if (free <= 0) return 0
        const now = yield* DateTime.now
        const full = [...busy].filter(([, count]) => count >= perDestinationMax).map(([destination]) => destination)
        const claimed = yield* store.claim({
          now,
          leaseUntil: DateTime.addDuration(now, lease),
          limit: free,
          perDestination: perDestinationMax,
          except: full
        })
        for (const delivery of claimed) yield* start(delivery, worker)
        return claimed.length
      })
    }))
  })
)

/** 2xx is delivered; anything else is tried again, until the schedule ends (spec: Events, Delivery). */
const conclusionOf = (delivery: Claimed, outcome: Outcome, endedAt: DateTime.Utc) => {
  const said =
    outcome._tag === "Answered"
      ? { statusCode: outcome.status, failure: null, snippet: outcome.snippet }
      : { statusCode: null, failure: `${outcome.reason}: ${outcome.detail}`, snippet: null }
  if (outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300) {
    return { ...said, status: "succeeded" as const, nextAttemptAt: undefined }
  }
  const next = nextAttempt(delivery.attempts + 1, endedAt)
  return next === undefined
    ? { ...said, status: "failed" as const, nextAttemptAt: undefined }
    : { ...said, status: "pending" as const, nextAttemptAt: next }
}
