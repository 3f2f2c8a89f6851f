/** How requests are called in traces: by method and route, never by address. Probes make no trace. */
import { Effect, Layer } from "effect"
import { HttpMiddleware, type HttpServerRequest } from "effect/http"
import type { RequestRecord } from "../http/CurrentRequest.ts"
import { nowhere, type Route, routeAt } from "./routes.ts"
import { isProbe, routed } from "./routing.ts"

const nameOf = ({ method, url }: HttpServerRequest.HttpServerRequest): string => {
  const route = routeAt(method, routed(url))
  return route === nowhere ? method : `${method} ${route.pattern}`
}

export const layer = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.SpanNameGenerator, nameOf),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => isProbe(url))
)

/** Says of the current trace whose request it is. The names are those of the log. */
export const describe = ({ account, requestId }: RequestRecord, route: Route) =>
  Effect.annotateCurrentSpan({
    ...(route === nowhere ? {} : { "http.route": route.pattern }),
    request_id: requestId,
    ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode })
  })
