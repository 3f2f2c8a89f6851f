/** The HTTP server with all that it admits by. */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Admission from "../http/Admission.ts"
import * as Clients from "../http/Clients.ts"
import * as Health from "./Health.ts"
import * as HttpServer from "./HttpServer.ts"
import * as Quotas from "./Quotas.ts"
import { layerTraces, routerConfig } from "./routes.ts"
import * as ShortPath from "./ShortPath.ts"

/** Admission, quotas and the process' state. It stands beneath the rooms: handlers ask it, and callers of others do. */
export const layer = Layer.mergeAll(
  Health.layerDraining,
  Admission.layer,
  Quotas.layerStore,
  Clients.layer,
  ShortPath.layer
)

/** The port, open as soon as this is built. */
export const serving = <E, R>(routes: Layer.Layer<never, E, R>) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig }).pipe(
    Layer.provideMerge(layerTraces),
    Layer.provideMerge(HttpServer.layer)
  )
