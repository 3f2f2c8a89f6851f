/**
 * Serves files by their address. The address is the only key, as with a checkout link. A file is an upload, so a
 * browser may show it, but nothing in it may run (silences: D6).
 */
import { Effect, type Layer, Option, Stream } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Files } from "./Files.ts"

const path = "/files/:name"

/** A file never changes, so a browser may cache it. Shared caches must not. */
const maxAgeSeconds = 24 * 60 * 60

type Routes = Layer.Layer<never, never, HttpRouter.HttpRouter | Files | Merchants>

export const layer: Routes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const files = yield* Files
    const merchants = yield* Merchants
    /** All that the pages at a shop's own host load. */
    const isLogoOf = (merchantId: string, name: string) =>
      Effect.match(merchants.find(merchantId), { onFailure: () => false, onSuccess: ({ logo }) => logo === name })

    const send = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { name = "" } = yield* HttpRouter.params
      const { shop } = yield* CurrentRecord
      if (shop !== undefined && !(yield* isLogoOf(shop, name))) return yield* noSuchRoute(request)
      const file = yield* files.find(name)
      if (Option.isNone(file)) return yield* noSuchRoute(request)
      const { contentType, size: contentLength } = file.value
      const headers = { ...headersOfAll, "content-disposition": `inline; filename="${name}"` }
      if (request.method === "HEAD")
        return HttpServerResponse.stream(Stream.empty, { headers, contentType, contentLength })
      const content = yield* files.open(name)
      return Option.isSome(content)
        ? HttpServerResponse.stream(content.value, { headers, contentType, contentLength })
        : yield* noSuchRoute(request)
    }).pipe(Effect.withSpan("files.send"))

    // This route also gets HEAD requests.
    yield* router.add("GET", path, send)
  })
)

/** The edge answers it like any unknown address. */
const noSuchRoute = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.die(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))

const headersOfAll = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": `private, max-age=${maxAgeSeconds}, immutable`,
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}
