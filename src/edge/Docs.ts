/**
 * The merchant API's published document at `/openapi.json`, and its reference at `/docs`, drawn by Scalar from it.
 * Everything the page needs is in itself: it works where no other host can be reached, and tells no other host that it
 * was read.
 */
import { Api } from "@coffer/contract/Api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"

const scalar = {
  // Scalar would load its fonts from its own host.
  withDefaultFonts: false,
  telemetry: false,
  // These would send the document to services of Scalar.
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: "apiKey" },
  // Shows all operations in the sidebar.
  defaultOpenAllTags: true,
  // An empty icon; without one the browser would request it.
  favicon: "data:,"
} as const

const document = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const made = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    yield* router.add("GET", "/openapi.json", made)
  })
)

export const layer = Layer.merge(HttpApiScalar.layer(Api, { path: "/docs", scalar }), document)
