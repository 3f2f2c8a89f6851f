/**
 * `/metrics` for Prometheus: the requests answered here, and what the cluster, the workers and Node count themselves.
 * Labels are few on purpose: method, status and the pattern of a route, never a path or a merchant.
 */
import { Effect, Layer, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { memoize } from "../platform/runtime/memoize.ts"
import { nowhere, type Route, routes } from "./routes.ts"

const requests = Metric.counter("coffer_http_requests", {
  description: "Requests answered, by method, route and status",
  incremental: true
})

/** Upper bounds of the buckets, in milliseconds. */
const bounds = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
const duration = Metric.histogram("coffer_http_request_duration_ms", {
  description: "Time from a request's arrival to its answer, milliseconds",
  boundaries: bounds
})

interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
}
const countersMax = 10_000
const counterOf = memoize(
  countersMax,
  ({ method, route, status }: Answered) => `${method} ${route} ${status}`,
  ({ method, route, status }) => Metric.withAttributes(requests, { method, route, status: String(status) })
)
const methods = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"])

/** Counts one answer. */
export const count = (method: string, { pattern }: Route, status: number, millis: number) => {
  // Anybody may invent a method; nobody may fill the memory with counters.
  const label = methods.has(method) ? method : "other"
  const counter = counterOf({ method: label, route: pattern, status })
  return Effect.withFiberSucceed(({ context }) => {
    counter.updateUnsafe(1, context)
    duration.updateUnsafe(millis, context)
  })
}

/** Creates every series at the start. A rate is wrong over a series that appears with its first request. */
const zeros = Effect.forEach(
  [...routes, { method: "GET", route: nowhere }],
  ({ method, route }) =>
    Metric.update(counterOf({ method, route: route.pattern, status: route === nowhere ? 404 : 200 }), 0),
  { discard: true }
)

export const layer = Layer.merge(PrometheusMetrics.layerHttp({ path: "/metrics" }), Layer.effectDiscard(zeros))
