/**
 * Deliveries as operators see them: metrics of posts under way and of how attempts end, and the destinations that have
 * failed for an hour or longer, as this runner sees them. Every metric exists from the start. How many are due is shown
 * with what is due for other workers (`platform/jobs/backlogs.ts`).
 */
import { type Line, lineKey } from "@coffer/rules/delivery/places"
import { DateTime, Duration, Effect, Metric, Option } from "effect"
import type { Work } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import type { NotDeliveredReason } from "./egressProxy.ts"
import { isDelivered, type Posted } from "./postDelivery.ts"

const inFlight = Metric.gauge("coffer_deliveries_in_flight", {
  description: "Posts that are under way on this runner"
})
const failing = Metric.gauge("coffer_delivery_destinations_failing", {
  description: "Destinations to which every attempt of this runner has failed for an hour or longer"
})
const successes = Metric.counter("coffer_delivery_successes_total", {
  description: "Attempts to deliver that were answered with 2xx",
  incremental: true
})
const failures = Metric.counter("coffer_delivery_failures_total", {
  description:
    "Attempts to deliver that failed, by reason; status: the answer was not 2xx; secret: ours cannot be decrypted",
  incremental: true
})

const failure = (outcome: NotDeliveredReason | "status" | "secret") => Metric.withAttributes(failures, { outcome })
const byOutcome = {
  timeout: failure("timeout"),
  refused_address: failure("refused_address"),
  dns: failure("dns"),
  connect: failure("connect"),
  tls: failure("tls"),
  protocol: failure("protocol"),
  proxy: failure("proxy"),
  status: failure("status"),
  secret: failure("secret")
}

type Counter = typeof successes

const nameOf = (outcome: Posted["outcome"]): keyof typeof byOutcome => {
  switch (outcome._tag) {
    case "Answered":
      return "status"
    case "Unsigned":
      return "secret"
    case "NotDelivered":
      return outcome.reason
  }
}

/** Counts an attempt that the operator's proxy kept from the destination. The attempt is not recorded. */
export const countProxyFailure = Metric.update(byOutcome.proxy, 1)

/** `failingNow`: how many destinations fail at this time, Unix milliseconds. */
export const make = Effect.fnUntraced(function* (failingNow: (now: number) => number) {
  for (const gauge of [inFlight, failing]) yield* Metric.update(gauge, 0)
  yield* Metric.update(successes, 0)
  yield* Effect.forEach(Object.values(byOutcome), (counter) => Metric.update(counter, 0), { discard: true })

  const show = Effect.flatMap(currentTime, (now) => Metric.update(failing, failingNow(DateTime.toEpochMillis(now))))

  const work: Work = { name: "delivery metrics", run: Effect.as(show, 0), next: Effect.succeed(Option.none()) }
  return {
    count: (outcomes: ReadonlyArray<Posted["outcome"]>) => {
      const counts = new Map<Counter, number>()
      for (const outcome of outcomes) {
        const counter = isDelivered(outcome) ? successes : byOutcome[nameOf(outcome)]
        counts.set(counter, (counts.get(counter) ?? 0) + 1)
      }
      return Effect.forEach(counts, ([counter, count]) => Metric.update(counter, count), { discard: true })
    },
    /** As many posts are under way now. */
    underWay: (posts: number) => Metric.update(inFlight, posts),
    work
  }
})

/** Destinations that are remembered. Beyond it the one that began to fail first is forgotten. */
const rememberedMax = 4_096

const hour = Duration.toMillis("1 hour")
/** The longest backoff is six hours: a destination that is silent for longer is not tried any more. */
const forgottenAfter = Duration.toMillis("7 hours")

interface Failing {
  /** Unix milliseconds: of the first failure in a row, of the latest, and of the last line in the log. */
  readonly since: number
  latest: number
  loggedAt: number | undefined
}

export const makeFailingDestinations = () => {
  const failing = new Map<string, Failing>()

  return {
    succeeded: (line: Line): undefined => void (failing.size > 0 && failing.delete(lineKey(line))),

    /** Since when it fails, if that has to be logged now. */
    failed: (line: Line, at: number): number | undefined => {
      const key = lineKey(line)
      const known = failing.get(key) ?? { since: at, latest: at, loggedAt: undefined }
      if (!failing.has(key)) {
        if (failing.size >= rememberedMax) failing.delete(failing.keys().next().value!)
        failing.set(key, known)
      }
      known.latest = at
      if (at - known.since < hour || (known.loggedAt !== undefined && at - known.loggedAt < hour)) return undefined
      known.loggedAt = at
      return known.since
    },

    /** How many destinations have failed for an hour at this time. */
    count: (now: number): number => {
      for (const [key, { latest }] of failing) if (now - latest > forgottenAfter) failing.delete(key)
      return [...failing.values()].filter(({ since }) => now - since >= hour).length
    }
  }
}
