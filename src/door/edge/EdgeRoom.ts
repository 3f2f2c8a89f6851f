/** The HTTP server with its admission, for the wiring. */
import { Effect, Layer, Metric } from "effect"
import { HttpRouter } from "effect/http"
import * as Admission from "../../shared/http/Admission.ts"
import * as Clients from "../../shared/http/Clients.ts"
import * as Draining from "../../shared/http/Draining.ts"
import * as ListWaits from "../../shared/http/ListWaits.ts"
import * as HttpServer from "./HttpServer.ts"
import * as Inward from "./Inward.ts"
import { layerTraces, routerConfig } from "./routes.ts"
import * as ShortPath from "./ShortPath.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import * as PostgresQuotas from "./PostgresQuotas.ts"
import { failures, layerMemory, layerRedis } from "./QuotaStore.ts"

/** Where requests are counted: in Redis where there is one, else in Postgres for several runners, else in memory. */
export const layerStore = Layer.unwrap(
  Effect.gen(function* () {
    const { redisUrl, runner } = yield* Settings
    yield* Metric.update(failures, 0)
    if (redisUrl !== undefined) return layerRedis(redisUrl)
    if (runner === undefined) return layerMemory
    yield* Effect.logInfo(
      "REDIS_URL is not set: Postgres counts requests for all runners, one statement or less for each"
    )
    return PostgresQuotas.layer
  })
)

/** Admission, quotas and the process' state. It is wired below the rooms, whose handlers and outside calls use it. */
export const layer = Layer.provideMerge(
  ListWaits.layer,
  Layer.mergeAll(Draining.layer, Admission.layer, layerStore, Clients.layer, ShortPath.layer, Inward.layer)
)

/** Serves the routes; the port is open as soon as this is built. */
export const serveRoutes = <E, R>(routes: Layer.Layer<never, E, R>) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig }).pipe(
    Layer.provideMerge(layerTraces),
    Layer.provideMerge(HttpServer.layer)
  )
