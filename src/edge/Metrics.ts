/**
 * `/metrics` for Prometheus: the requests answered here, and what the cluster, the workers and Node count themselves.
 * Labels are few on purpose: method, status and the pattern of a route, never a path or a merchant.
 */
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect, Layer, Metric } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { memoize } from "../platform/runtime/memoize.ts"
import { nowhere, type Route, routes } from "./routes.ts"

const requests = Metric.counter("coffer_http_requests_total", {
  description: "Requests answered, by method, route and status",
  incremental: true
})

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const duration = Metric.histogram("coffer_http_request_duration_seconds", {
  description: "Time from a request's arrival to its answer, by method and route, seconds",
  boundaries: bounds
})

interface Answered {
  readonly method: string
  readonly route: string
  readonly status: number
}
const seriesMax = 10_000
const seriesOf = memoize(
  seriesMax,
  ({ method, route, status }: Answered) => `${method} ${route} ${status}`,
  ({ method, route, status }) => ({
    counter: Metric.withAttributes(requests, { method, route, status: String(status) }),
    timer: Metric.withAttributes(duration, { method, route })
  })
)
const methods = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"])

/** Counts one answer. */
export const count = (method: string, { pattern }: Route, status: number, millis: number) => {
  // A client may invent methods, and must not fill the memory with counters.
  const label = methods.has(method) ? method : "other"
  const { counter, timer } = seriesOf({ method: label, route: pattern, status })
  return Effect.withFiberSucceed(({ context }) => {
    counter.updateUnsafe(1, context)
    timer.updateUnsafe(millis / 1_000, context)
  })
}

/** Statuses that any route may answer, and those that pages answer besides. */
const everywhere = [500, 503]
const ofPages = [200, 404]

/** By method and path: the statuses that the contract declares. */
const declared = () => {
  const statuses = new Map<string, Iterable<number>>()
  const note = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
    HttpApi.reflect(api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path }, errors, successes }) =>
        void statuses.set(`${method} ${path}`, [...successes.keys(), ...errors.keys()])
    })
  note(Api)
  note(OperatorApi)
  return statuses
}

/**
 * Creates the series of every answer that a route declares. A rate is wrong over a series that appears with its first
 * request, and alerts are there for errors that have never happened before.
 */
const zeros = Effect.suspend(() => {
  const statuses = declared()
  const expected = routes.map(({ method, path, route }) => ({
    method,
    route: route.pattern,
    statuses: new Set([...(statuses.get(`${method} ${path}`) ?? ofPages), ...everywhere])
  }))
  return Effect.forEach(
    [...expected, { method: "GET", route: nowhere.pattern, statuses: [404] }],
    ({ method, route, statuses }) =>
      Effect.forEach(statuses, (status) => {
        const { counter, timer } = seriesOf({ method, route, status })
        return Effect.andThen(Metric.update(counter, 0), Metric.value(timer))
      }),
    { discard: true }
  )
})

export const layer = Layer.merge(PrometheusMetrics.layerHttp({ path: "/metrics" }), Layer.effectDiscard(zeros))
