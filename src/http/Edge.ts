/**
 * The long way of a request: the framework's router and whatever stands behind it. What every request meets here before
 * its route: one address for `/v1` and `/api/v1`, and a size limit (spec: General rules, 3; silences: G6, G8).
 */
import { requestBodyBytesMax } from "@coffer/model/Limits"
import { ByteSize, Context, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest } from "effect/http"
import { requestBodyOf } from "./ApiLogging.ts"
import * as Exchange from "./Exchange.ts"
import { endsInSlash, pathOf, routed } from "./routing.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const answer = yield* Exchange.make

    return HttpRouter.middleware(
      (route) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const url = routed(request.url)
          const at = url === request.url ? request : request.modify({ url })
          const asked: Exchange.Asked = {
            method: request.method,
            url,
            sent: request.headers,
            peer: Option.getOrUndefined(request.remoteAddress),
            text: at.text,
            logged: requestBodyOf(at)
          }
          const reached = endsInSlash(pathOf(url)) ? Exchange.noSuchRoute : route
          return yield* answer(asked, reached, (context) =>
            context.pipe(
              Context.add(HttpServerRequest.HttpServerRequest, at),
              Context.add(HttpIncomingMessage.MaxBodySize, bodyMax)
            )
          )
        }),
      { global: true }
    )
  })
)

const bodyMax = ByteSize.bytes(requestBodyBytesMax)
