/** Pages about the service itself: the reference, the links of `/`, and the runbook of each alert. */
import { readFile } from "node:fs/promises"
import path from "node:path"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiSwagger } from "effect/http-api"
import { html, Html } from "../../shared/pages/html.ts"
import { sha256Source } from "../../shared/pages/pageScript.ts"
import { programFolder } from "../../platform/runtime/Vitals.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import type { Arrived } from "../edge/Arrivals.ts"
import { isAnsweredAt, type PortKind } from "../edge/routes.ts"
import { serveStatic } from "../edge/staticContent.ts"
import { withOwnLooks } from "./tryPage.ts"
import { documentRoute } from "./openApiDocument.ts"

// The reference ------------------------------------------------------------------
// The merchant API's published document is at `/openapi.json`. `/docs/try` shows it with Swagger UI, with a form for
// each call, among the documents (`Documents.ts`). The operators' are at `/operator/openapi.json` and `/operator/docs`,
// at the operator's port if there is one. The page is self-contained: it works without other hosts, and its policy
// allows none.

/** The page as the library serves it; the library does not export it. */
const referencePageOf = Effect.fnUntraced(
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
  Effect.map(Effect.map(referencePageOf(api), withOwnLooks), (text) => ({
    text,
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policyOf(text), "referrer-policy": "no-referrer" }
  }))

/** Only the page's own scripts may run, by their hashes. It sets styles while it renders. */
const policyOf = (text: string) => {
  const hashes = Array.from(text.matchAll(/<script>([^]*?)<\/script>/g), ([, script = ""]) => {
    return `'${sha256Source(script)}'`
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

const layerReference = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/openapi.json", yield* documentRoute(Api))
    yield* router.add("GET", "/docs/try", yield* serveStatic(referenceOf(Api)))
    yield* router.add("GET", "/operator/openapi.json", yield* documentRoute(OperatorApi))
    yield* router.add("GET", "/operator/docs", yield* serveStatic(referenceOf(OperatorApi)))
  })
)

// Links --------------------------------------------------------------------------
// `GET /`: links to everything else, as a page for people and as JSON for programs.

const links = {
  docs: ["/docs", "Documents"],
  try: ["/docs/try", "Try the API"],
  downloads: ["/downloads", "Downloads"],
  openapi: ["/openapi.json", "OpenAPI document"],
  operator_docs: ["/operator/docs", "Operators' reference"],
  operator_openapi: ["/operator/openapi.json", "Operators' OpenAPI document"],
  alerts: ["/operator/alerts", "Alert runbooks"],
  readiness: ["/readyz", "Readiness"],
  health: ["/healthz", "Health"],
  metrics: ["/metrics", "Metrics"]
} as const

const welcomePageOf = (open: ReadonlyArray<readonly [path: string, title: string]>) => `<!doctype html>
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
  const page = HttpServerResponse.text(welcomePageOf(open.map(([, link]) => link)), {
    contentType: "text/html; charset=utf-8"
  })
  const document = HttpServerResponse.jsonUnsafe({
    name: "Coffer",
    api: portKind === "admin" ? "/operator/v1" : "/v1",
    links: Object.fromEntries(open.map(([name, [path]]) => [name, path]))
  })
  return { page, document }
}

const layerWelcome = HttpRouter.use(
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

// Alerts -------------------------------------------------------------------------
// `/operator/alerts`: docs/alerts.md as a page, so that an alert's `runbook_url` leads to what the running version
// says. Its form is what that document uses of Markdown: headings, paragraphs, lists and tables, with code, bold and
// links.

const alertsFile = path.join(programFolder, "docs/alerts.md")

const alertsStyle = `body { font: 16px/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2rem .6rem; text-align: left }
code { background: #8882; padding: 0 .2em } h3:target { background: #fd08 }`

const alertsPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const alertsPage = Effect.map(
  // A copy of the program without its documents, for example embedded in another program.
  Effect.orElseSucceed(
    Effect.tryPromise(() => readFile(alertsFile, "utf8")),
    () => "# Not available\n\nThis build has no docs/alerts.md."
  ),
  (text) => ({
    text: alertsPageOf(text).markup,
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": alertsPolicy, "referrer-policy": "no-referrer" }
  })
)

const alertsPageOf = (text: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Alerts of Coffer</title>
      <style>
        ${new Html(alertsStyle)}
      </style>
      ${text
        .trim()
        .split(/\n{2,}/)
        .map(blockOf)}
    </html> `

const blockOf = (block: string): Html => {
  const [, marks, heading = ""] = /^(#{1,3}) (.*)$/.exec(block) ?? []
  if (marks !== undefined) {
    const id = heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replace(/ /g, "-")
    const of = { "#": "h1", "##": "h2", "###": "h3" }[marks]!
    return html`<${new Html(of)} id="${id}">${heading}</${new Html(of)}>\n`
  }
  const lines = block.split("\n")
  if (block.startsWith("|")) {
    const rows = lines.filter((line) => !/^[|-]+$/.test(line)).map((line) => line.slice(1, -1).split("|"))
    return html`<table>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${inlines(cell.trim())}</td>`)}
          </tr>`
      )}
    </table> `
  }
  if (block.startsWith("- ")) {
    return html`<ul>
      ${block
        .slice(2)
        .split("\n- ")
        .map((item) => html`<li>${inlines(item)}</li>`)}
    </ul> `
  }
  return html`<p>${inlines(block)}</p> `
}

/** Inline markup; the first match counts. Links to other documents become text, since they are not served. */
const marked = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)]+)\)|\b(Coffer[A-Z]\w+)/g

const inlines = (text: string): ReadonlyArray<Html> => {
  const parts: Array<Html> = []
  let from = 0
  for (const match of text.matchAll(marked)) {
    const [all, code, bold, label, address = "", alert] = match
    parts.push(html`${text.slice(from, match.index)}`)
    from = match.index + all.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (bold !== undefined) parts.push(html`<strong>${inlines(bold)}</strong>`)
    else if (alert !== undefined) parts.push(html`<a href="#${alert.toLowerCase()}">${alert}</a>`)
    else if (/^(#|https:)/.test(address)) parts.push(html`<a href="${address}">${label}</a>`)
    else parts.push(html`${inlines(label!)}`)
  }
  return [...parts, html`${text.slice(from)}`]
}

const layerAlerts = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/operator/alerts", yield* serveStatic(alertsPage))
  })
)

export const layer = Layer.mergeAll(layerReference, layerWelcome, layerAlerts)
