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
  // Fonts of the reader's own system: Scalar's come from a host of Scalar.
  withDefaultFonts: false,
  telemetry: false,
  // These send the document to services of Scalar.
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: "apiKey" },
  // All operations stand in the sidebar.
  defaultOpenAllTags: true,
  // An empty picture; otherwise the browser asks for one.
  favicon: "data:,"
} as const

const document = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const made = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api))))
    yield* router.add("GET", "/openapi.json", made)
  })
)

export const layer = Layer.merge(HttpApiScalar.layer(Api, { path: "/docs", scalar }), document)
