/** `GET /`: links to everything else, as a page for people and as JSON for programs. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

const links = {
  docs: "/docs",
  openapi: "/openapi.json",
  health: "/healthz",
  readiness: "/readyz",
  metrics: "/metrics"
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Coffer</title>
<style>body { font: 16px/1.6 system-ui, sans-serif; margin: 3rem auto; max-width: 34rem; padding: 0 1rem }</style>
<h1>Coffer</h1>
<p>A merchant payment service. The API is under <code>/v1</code>.</p>
<ul>
<li><a href="${links.docs}">Reference</a></li>
<li><a href="${links.openapi}">OpenAPI document</a></li>
<li><a href="${links.readiness}">Readiness</a></li>
<li><a href="${links.health}">Health</a></li>
<li><a href="${links.metrics}">Metrics</a></li>
</ul>
</html>
`

export const layer = HttpRouter.use((router) =>
  router.add(
    "GET",
    "/",
    Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      HttpServerResponse.setHeader(
        headers["accept"]?.includes("text/html") === true
          ? HttpServerResponse.text(page, { contentType: "text/html; charset=utf-8" })
          : HttpServerResponse.jsonUnsafe({ name: "Coffer", api: "/v1", links }),
        "vary",
        "accept"
      )
    )
  )
)
