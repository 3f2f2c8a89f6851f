/**
 * Metrics of deliveries: how many are due and since when, and how attempts fail. Every metric exists from the start.
 * The first two describe the whole database, so every runner shows the same values.
 */
import { DateTime, Effect, Metric, Option } from "effect"
import { currentTime } from "../platform/runtime/clock.ts"
import { DeliveryStore } from "./DeliveryStore.ts"
import type { NotDeliveredReason, Outcome } from "./Outbound.ts"
import type { Work } from "../platform/jobs/Work.ts"

const due = Metric.gauge("coffer_deliveries_due", {
  description: "Deliveries that are due and not under way; those beyond 10000 are not counted"
})
const oldestDue = Metric.gauge("coffer_deliveries_oldest_due_seconds", {
  description: "How long the oldest of them has been due, seconds"
})
const failures = Metric.counter("coffer_delivery_failures", {
  description: "Attempts to deliver that failed, by why; status: the receiver's answer was not 2xx",
  incremental: true
})

const failure = (outcome: NotDeliveredReason | "status") => Metric.withAttributes(failures, { outcome })
const byOutcome = {
  timeout: failure("timeout"),
  refused_address: failure("refused_address"),
  dns: failure("dns"),
  connect: failure("connect"),
  tls: failure("tls"),
  protocol: failure("protocol"),
  proxy: failure("proxy"),
  status: failure("status")
}

export const isDelivered = (outcome: Outcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300

/** Of an attempt that the operator's proxy kept from the destination. It is not recorded. */
export const countProxyFailure = Metric.update(byOutcome.proxy, 1)

export const make = Effect.gen(function* () {
  const store = yield* DeliveryStore
  yield* Metric.update(due, 0)
  yield* Metric.update(oldestDue, 0)
  yield* Effect.forEach(Object.values(byOutcome), (counter) => Metric.update(counter, 0), { discard: true })

  const show = Effect.gen(function* () {
    const now = yield* currentTime
    const { count, oldest } = yield* store.backlog(now)
    yield* Metric.update(due, count)
    const millis = oldest === null ? 0 : DateTime.toEpochMillis(now) - DateTime.toEpochMillis(oldest)
    yield* Metric.update(oldestDue, millis / 1_000)
  })

  const work: Work = { name: "delivery metrics", run: Effect.as(show, 0), next: Effect.succeed(Option.none()) }
  return {
    /** Counts an attempt that failed. */
    count: (outcome: Outcome) =>
      isDelivered(outcome)
        ? Effect.void
        : Metric.update(byOutcome[outcome._tag === "Answered" ? "status" : outcome.reason], 1),
    work
  }
})
