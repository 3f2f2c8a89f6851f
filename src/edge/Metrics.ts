/**
 * `/metrics` for Prometheus: the requests answered here, beside what the cluster, the workers and Node count
 * themselves. Labels are few on purpose: a method, a status and the pattern of a route, never a path or a merchant.
 */
import { Effect, Layer, Metric } from "effect"
import { FindMyWay } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { endpoints } from "./endpoints.ts"
import { routerConfig } from "./routing.ts"

const requests = Metric.counter("coffer_http_requests", {
  description: "Requests answered, by method, route and status",
  incremental: true
})

/** Upper bounds of the buckets, milliseconds. */
const bounds = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
const duration = Metric.histogram("coffer_http_request_duration_ms", {
  description: "Time from a request's arrival to its answer, milliseconds",
  boundaries: bounds
})

type Counter = ReturnType<typeof requestsWith>
const requestsWith = (method: string, route: string, status: number) =>
  Metric.withAttributes(requests, { method, route, status: String(status) })
const known = new Map<string, Counter>()
const methods = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"])

/** Those that no API lists. */
const pages = ["/", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics", "/files/:name", "/checkout/:token"]

type Route = readonly [method: string, path: string]
const routes: ReadonlyArray<Route> = [
  ...endpoints.map(({ method, path }): Route => [method, path]),
  ...pages.map((path): Route => ["GET", path]),
  ["POST", "/checkout/:token"]
]

const patterns = FindMyWay.make<string>(routerConfig)
const labelOf = (path: string) => path.replace(/:(\w+)/g, "{$1}")
for (const [method, path] of routes) {
  patterns.on(method as "GET", path as FindMyWay.PathInput, labelOf(path))
}

/** `/v1/orders/{ref}`; `none` for what is no route. */
const routeOf = (method: string, path: string): string =>
  patterns.find((method === "HEAD" ? "GET" : method) as "GET", path)?.handler ?? "none"

/** Counts one answer. */
export const count = (method: string, path: string, status: number, millis: number) => {
  // Anybody may invent a method or a path; nobody may fill the memory with counters.
  const label = methods.has(method) ? method : "other"
  const route = routeOf(method, path)
  const name = `${label} ${route} ${status}`
  const counter = known.get(name) ?? requestsWith(label, route, status)
  known.set(name, counter)
  return Effect.withFiberSucceed(({ context }) => {
    counter.updateUnsafe(1, context)
    duration.updateUnsafe(millis, context)
  })
}

/** Each route is there from the start: a rate over what appears with its first request is wrong. */
const zeros = Effect.forEach(
  [...routes, ["GET", "none"] as const],
  ([method, path]) => Metric.update(requestsWith(method, labelOf(path), path === "none" ? 404 : 200), 0),
  { discard: true }
)

export const layer = Layer.merge(PrometheusMetrics.layerHttp({ path: "/metrics" }), Layer.effectDiscard(zeros))
