/** `GET /`: links to everything else, as a page for people and as JSON for programs. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../platform/runtime/Settings.ts"
import type { Arrived } from "./Arrivals.ts"
import { isAnsweredAt, type PortKind } from "./ports.ts"

const links = {
  docs: ["/docs", "Reference"],
  openapi: ["/openapi.json", "OpenAPI document"],
  operator_docs: ["/operator/docs", "Operators' reference"],
  operator_openapi: ["/operator/openapi.json", "Operators' OpenAPI document"],
  alerts: ["/operator/alerts", "What to do at each alert"],
  readiness: ["/readyz", "Readiness"],
  health: ["/healthz", "Health"],
  metrics: ["/metrics", "Metrics"]
} as const

const pageOf = (open: ReadonlyArray<readonly [path: string, title: string]>) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Coffer</title>
<style>body { font: 16px/1.6 system-ui, sans-serif; margin: 3rem auto; max-width: 34rem; padding: 0 1rem }</style>
<h1>Coffer</h1>
<p>A merchant payment service.</p>
<ul>
${open.map(([path, title]) => `<li><a href="${path}">${title}</a></li>`).join("\n")}
</ul>
</html>
`

/** The links that are answered at a port, as a page and as JSON. */
const answersAt = (portKind: PortKind) => {
  const open = Object.entries(links).filter(([, [pattern]]) => isAnsweredAt(portKind, { pattern }))
  const page = HttpServerResponse.text(pageOf(open.map(([, link]) => link)), {
    contentType: "text/html; charset=utf-8"
  })
  const document = HttpServerResponse.jsonUnsafe({
    name: "Coffer",
    api: portKind === "admin" ? "/operator/v1" : "/v1",
    links: Object.fromEntries(open.map(([name, [path]]) => [name, path]))
  })
  return { page, document }
}

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { admin } = yield* Settings
    const here = answersAt(admin === undefined ? "both" : "public")
    const atAdmin = answersAt("admin")
    yield* router.add(
      "GET",
      "/",
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, source }) => {
        const { document, page } = (source as Arrived).isAtAdmin === true ? atAdmin : here
        const isPerson = headers["accept"]?.includes("text/html") === true
        return HttpServerResponse.setHeader(isPerson ? page : document, "vary", "accept")
      })
    )
  })
)
