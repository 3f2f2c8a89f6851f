/** The HTTP server with all that it admits by. */
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Admission from "../http/Admission.ts"
import * as Clients from "../http/Clients.ts"
import * as Draining from "./Draining.ts"
import * as HttpServer from "./HttpServer.ts"
import * as quotaStores from "./quotaStores.ts"
import { routerConfig } from "./routing.ts"
import * as ShortPath from "./ShortPath.ts"
import * as traces from "./traces.ts"

/** Who is let in. It stands beneath the rooms: handlers ask it, and so does who calls others. */
export const layer = Layer.mergeAll(Draining.layer, Admission.layer, quotaStores.layer, Clients.layer, ShortPath.layer)

/** The port, open as soon as this is built. */
export const serving = <E, R>(routes: Layer.Layer<never, E, R>) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig }).pipe(
    Layer.provideMerge(traces.layer),
    Layer.provideMerge(HttpServer.layer)
  )
