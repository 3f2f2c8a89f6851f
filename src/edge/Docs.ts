/**
 * The merchant API's published document at `/openapi.json`, and its reference at `/docs`, drawn by Swagger UI from it.
 * Everything the page needs is in itself: it works where no other host can be reached, and its policy lets it ask no
 * other host.
 */
import { createHash } from "node:crypto"
import { Api } from "@coffer/contract/Api"
import { Effect, Formatter } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import { serveStatic } from "./staticContent.ts"

const document = Effect.sync(() => ({
  text: Formatter.formatJson(OpenApi.fromApi(Api)),
  contentType: "application/json"
}))

/** The page as the library serves it, which has no other way to give it out. */
const page = Effect.gen(function* () {
  const app = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(Api, { path: "/docs" }))
  const response = yield* Effect.provideService(
    app,
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
  )
  return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
}).pipe(Effect.scoped, Effect.catchTags({ HttpServerError: Effect.die }))

const reference = Effect.map(page, (text) => ({
  text,
  contentType: "text/html; charset=utf-8",
  headers: { "content-security-policy": policyOf(text), "referrer-policy": "no-referrer" }
}))

/** The scripts of the page run by their hashes, and no other. It sets styles of its own while it draws. */
const policyOf = (text: string) => {
  const hashes = Array.from(text.matchAll(/<script>([^]*?)<\/script>/g), ([, script = ""]) => {
    return `'sha256-${createHash("sha256").update(script).digest("base64")}'`
  })
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    // Calls that the reader tries out on the page.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/openapi.json", yield* serveStatic(document))
    yield* router.add("GET", "/docs", yield* serveStatic(reference))
  })
)
