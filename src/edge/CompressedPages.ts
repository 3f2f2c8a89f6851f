/**
 * Pages for buyers, compressed for a browser that takes gzip: a third of the bytes, in about a millisecond of another
 * thread. Calls of the API are not compressed: they are small, and their path is short (docs/performance-notes.md).
 */
import { gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { encodingFor } from "./staticContent.ts"

/** Below this a page fits in one packet anyway. */
const bytesMin = 1_400
/** The fastest: the next levels save a tenth more, in half as much time again. */
const level = 1

const compress = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const { body } = response
  if (body._tag !== "Uint8Array" || !body.contentType.startsWith("text/html") || body.contentLength < bytesMin) {
    return response
  }
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const vary = [response.headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", ")
  if (encodingFor(headers["accept-encoding"], ["gzip"]) === "identity") {
    return HttpServerResponse.setHeader(response, "vary", vary)
  }
  const bytes = yield* Effect.callback<Buffer>((resume) =>
    gzip(body.body, { level }, (error, result) => resume(error === null ? Effect.succeed(result) : Effect.die(error)))
  )
  return HttpServerResponse.uint8Array(bytes, {
    status: response.status,
    contentType: body.contentType,
    headers: { ...response.headers, vary, "content-encoding": "gzip" },
    cookies: response.cookies
  })
})

/** In front of all routes of the layers that it is provided to. */
export const { layer } = HttpRouter.middleware((route) => Effect.flatMap(route, compress))
