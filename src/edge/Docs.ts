/**
 * The merchant API's published document at `/openapi.json`, and its reference at `/docs`, drawn by Swagger UI from it.
 * The operators' are at `/operator/openapi.json` and `/operator/docs`, at the operator's port where that is another.
 * Everything the page needs is in itself: it works where no other host can be reached, and its policy lets it ask no
 * other host.
 */
import { createHash } from "node:crypto"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect, Formatter } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger, OpenApi } from "effect/http-api"
import { serveStatic } from "./staticContent.ts"

const documentOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.sync(() => ({ text: Formatter.formatJson(OpenApi.fromApi(api)), contentType: "application/json" }))

/** The page as the library serves it, which has no other way to give it out. */
const pageOf = Effect.fnUntraced(
  function* <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) {
    const app = yield* HttpRouter.toHttpEffect(HttpApiSwagger.layer(api, { path: "/docs" }))
    const response = yield* Effect.provideService(
      app,
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    )
    return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
  },
  Effect.scoped,
  Effect.catchTags({ HttpServerError: Effect.die })
)

const referenceOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Effect.map(pageOf(api), (text) => ({
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
    yield* router.add("GET", "/openapi.json", yield* serveStatic(documentOf(Api)))
    yield* router.add("GET", "/docs", yield* serveStatic(referenceOf(Api)))
    yield* router.add("GET", "/operator/openapi.json", yield* serveStatic(documentOf(OperatorApi)))
    yield* router.add("GET", "/operator/docs", yield* serveStatic(referenceOf(OperatorApi)))
  })
)
