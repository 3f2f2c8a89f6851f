/**
 * `/healthz`: the process answers. `/readyz`: a load balancer may send requests here, because Postgres answers, does
 * not refuse most of what it is asked, and takes writes, this runner holds its shards and has seen that all others have
 * an owner, its clock agrees with that of Postgres, and it is not shutting down. Otherwise `reason` says why not.
 * `/metrics` is for Prometheus. `/shop_domains/ask` tells a proxy whether a host is a shop's, before it gets a
 * certificate for it.
 */
import { Effect, identity, Layer, Metric } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Draining } from "../../shared/http/Draining.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { ClockSkew } from "../../platform/postgres/ClockSkew.ts"
import { Joining } from "@coffer/cluster/Joining"
import { DatabaseHealth } from "../../platform/postgres/DatabaseHealth.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { closedText, Settings } from "../../platform/runtime/Settings.ts"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { memoize } from "@coffer/model/memoize"
import { nowhere, type Route, routes } from "./routes.ts"

/** Longer than any write may wait. Without a successful write for this long, this runner cannot take payments. */
const stalledMillisMax = 5_000

const { shardsPerGroup } = ShardingConfig.defaults
const shards = Array.from({ length: shardsPerGroup }, (_, index) => ShardId.make("default", index + 1))

/** A single process holds all shards, a member of a cluster some. With none, its locks are missing or lost. */
export const holdsShards = ({ hasShardId }: Sharding.Sharding["Service"]): boolean => shards.some(hasShardId)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const database = yield* DatabaseHealth
    const sharding = yield* Sharding.Sharding
    const { balanced } = yield* Joining
    const draining = yield* Draining
    const clock = yield* ClockSkew
    const transactor = yield* Transactor
    const { noOutbound } = yield* Settings
    const { merchantAt } = yield* ShopHosts
    const outbound = noOutbound ? { outbound: closedText } : {}

    yield* router.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))
    // From memory, so that it costs as little as a probe.
    yield* router.add("GET", "/shop_domains/ask", (request) => {
      const [host, ...more] = new URL(request.url, "http://ask").searchParams.getAll("domain")
      const isServed = host !== undefined && more.length === 0 && merchantAt(host.toLowerCase()) !== undefined
      return Effect.succeed(HttpServerResponse.jsonUnsafe({ served: isServed }, { status: isServed ? 200 : 404 }))
    })
    yield* router.add(
      "GET",
      "/readyz",
      Effect.gen(function* () {
        const refusing = database.refusing()
        const checks = {
          postgres: yield* database.isUsable,
          results: refusing === undefined,
          writes: transactor.stalledMillis() <= stalledMillisMax,
          cluster: balanced.isOpen() && holdsShards(sharding),
          clock: !clock.isTooLarge(),
          accepting: !draining.now
        }
        const reasons = {
          postgres: "Postgres is not responding.",
          // The error's text is logged only: it names tables.
          results: `Postgres rejects most statements of this runner (SQLSTATE ${refusing}).`,
          writes: "No write has succeeded for more than 5 seconds.",
          cluster: balanced.isOpen()
            ? "This runner holds no shards: other runners hold them all, or it has not acquired its locks yet."
            : "This runner has just started, and some shards have no owner yet.",
          clock: `The clocks of this machine and of Postgres are ${Math.round(clock.seconds())} s apart.`,
          accepting: "This process is shutting down."
        }
        const failed = (["postgres", "results", "writes", "cluster", "clock", "accepting"] as const).filter(
          (check) => !checks[check]
        )
        return failed.length === 0
          ? HttpServerResponse.jsonUnsafe({ status: "ready", checks, ...outbound })
          : HttpServerResponse.jsonUnsafe(
              { status: "not ready", checks, ...outbound, reason: failed.map((check) => reasons[check]).join(" ") },
              { status: 503 }
            )
      })
    )
  })
)

// Metrics ------------------------------------------------------------------------
// The requests answered here, and what the cluster, the workers and Node count themselves. Labels are few on purpose:
// method, status and the pattern of a route, never a path or a merchant. Each series has a metric of its own: one that
// several share rebuilds its key whenever another one was counted before.

const requests = (attributes: { readonly method: string; readonly route: string; readonly status: string }) =>
  Metric.counter("coffer_http_requests_total", {
    description: "Requests answered, by method, route and status",
    incremental: true,
    attributes
  })

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const duration = (attributes: { readonly method: string; readonly route: string }) =>
  Metric.histogram("coffer_http_request_duration_seconds", {
    description: "Time from a request's arrival to its answer, by method and route, seconds",
    boundaries: bounds,
    attributes
  })

/** For some 200 routes with seven methods and the statuses that they answer. */
const seriesMax = 1_000
const memoizeSeries = <Key, Answer extends {}>(answerOf: (key: Key) => Answer) =>
  memoize(seriesMax, identity<Key>, answerOf)
/** Three nested look-ups: a combined key would be built for each answer. */
const seriesOf = memoizeSeries((route: string) =>
  memoizeSeries((method: string) =>
    memoizeSeries((status: number) => ({
      counter: requests({ method, route, status: String(status) }),
      timer: duration({ method, route })
    }))
  )
)
const methods = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"])

/** Makes the function that counts an answer. */
export const makeCount = Effect.map(
  Effect.context<never>(),
  (context) =>
    (method: string, { pattern }: Route, status: number, millis: number) => {
      // A client may invent methods, and must not fill the memory with counters.
      const label = methods.has(method) ? method : "other"
      const { counter, timer } = seriesOf(pattern)(label)(status)
      counter.updateUnsafe(1, context)
      timer.updateUnsafe(millis / 1_000, context)
    }
)

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
 * Creates the series of every answer that a route declares. A rate over a series that only appears with its first
 * request is wrong, and alerts are there for errors that have never happened before.
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
        const { counter, timer } = seriesOf(route)(method)(status)
        return Effect.andThen(Metric.update(counter, 0), Metric.value(timer))
      }),
    { discard: true }
  )
})

export const layerMetrics = Layer.merge(PrometheusMetrics.layerHttp({ path: "/metrics" }), Layer.effectDiscard(zeros))
