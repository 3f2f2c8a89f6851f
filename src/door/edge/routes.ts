/**
 * Addresses: parsing, their route, the port of the route, and its name in traces. Most of the edge needs the route
 * before the framework's router has decided.
 */
import { Api } from "@coffer/contract/Api"
import { type BodyLimits, bodyLimitsOf } from "@coffer/contract/bodyLimits"
import { ConsoleApi } from "@coffer/contract/Console"
import { mcpBody, mcpPath } from "@coffer/contract/Mcp"
import { OperatorApi } from "@coffer/contract/Operator"
import type { Account } from "@coffer/model/Account"
import { MerchantId, type Mode } from "@coffer/model/Ids"
import { pageSizeDefault, pageSizeMax } from "@coffer/model/Limits"
import { Effect, Layer, Option } from "effect"
import { FindMyWay, HttpMiddleware, type HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"

// Addresses ----------------------------------------------------------------------

/**
 * The address as routes know it: `{web_url}/api/v1/...` becomes `{base_url}/v1/...` (silences: G8), and so does an
 * account's address in the console, and the operators' there. Characters that a parameter may escape or not, such as
 * `@` or `;`, are escaped in one way, so that logs, quotas and keys see one path for one resource.
 */
export const routed = (url: string): string =>
  normalizePath(
    url
      .replace(/^\/api(?=\/v1(\/|\?|$))/, "")
      .replace(ofConsole, "/v1")
      .replace(ofOperators, "/operator/v1")
  )

const normalizePath = (url: string): string => {
  const path = pathOf(url)
  if (!/[^\w./~-]/.test(path) || path.includes("#") || isSpelledOtherwise(path)) return url
  return path.split("/").map(normalizePart).join("/") + url.slice(path.length)
}
/** A part that cannot be decoded stays, and is refused. */
const normalizePart = (part: string): string => Option.getOrElse(recode(part), () => part)
const recode = Option.liftThrowable((part: string) => encodeURIComponent(decodeURIComponent(part)))

/**
 * Whether a path is another spelling of one that has a route: escaped letters, digits, `-`, `.` and `_`, which need no
 * escape, dot segments, and doubled or trailing slashes. Routers undo the escapes, and every user of a path would have
 * to undo them, too. So such a path has no route (silences: G15).
 */
export const isSpelledOtherwise = (path: string): boolean => otherSpelling.test(path)
const otherSpelling = /%(2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\da])|\/\/|\/\.{1,2}(\/|$)|.\/$/i

/** `/console/api/accounts/{merchant_id}/{mode}/...`: an operation of `/v1`, called by a person of the merchant. */
const ofConsole = /^\/console\/api\/accounts\/(mer_[0-9A-HJKMNP-TV-Z]{26})\/(sandbox|live)(?=\/)/

/** The account that a page of the console names; undefined for other addresses. */
export const consoleAccountOf = (url: string): Account | undefined => {
  const [, merchantId, mode] = ofConsole.exec(url) ?? []
  return merchantId === undefined ? undefined : { merchantId: MerchantId.make(merchantId), mode: mode as Mode }
}

/**
 * `/console/api/operator/...`: an operation of `/operator/v1`, called by a person who has a role of the installation.
 */
const ofOperators = /^\/console\/api\/operator(?=\/)/

/** Whether a page of the console calls the operators' API. */
export const isOfOperatorsPage = (url: string): boolean => ofOperators.test(url)

/** The address without its query. */
export const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query < 0 ? url : url.slice(0, query)
}

/**
 * Probes: asked by machines that decide by the answer, so they never wait and are never refused. Some name the host in
 * the address, as to a proxy (RFC 9112, 3.2.2).
 */
export const isProbe = (url = ""): boolean =>
  /^(?:[A-Za-z]+:\/\/[^/?#]*)?\/(healthz|readyz|metrics|shop_domains\/ask)(\?|$)/.test(url)

/**
 * The form of `Host`: `uri-host [":" port]`, or nothing (RFC 9110, 7.2). Several lines of it come joined by a comma
 * and a space, which no host has.
 */
const host = /^(\[[\w.:%~-]+\]|([\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(:\d*)?$/i
export const isHost = (value: string): boolean => host.test(value)

/** The refusal of an address that is not UTF-8 in percent-encoding (silences: G22). */
export const undecodable = "The URL must be percent-encoded UTF-8."

export const routerConfig = {
  /** An order number of 128 characters has up to 1,536 when percent-encoded. */
  maxParamLength: 2_048,
  /** Paths are case-sensitive. Lower-casing would also shift parameters, since `İ` becomes two characters. */
  caseSensitive: true,
  /** Each resource has one address, because idempotency keys and logs use the path. */
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}

// Routes -------------------------------------------------------------------------

export interface Route {
  /** `/v1/orders/{ref}`: what metrics call it. */
  readonly pattern: string
  /** The limits of its body. */
  readonly limits: BodyLimits
  /** Objects that its answer may hold. `page`: as many as the query asks for; 0 for one alone. */
  readonly rows: number | "page"
}

/** Without the patterns of parameters. */
const patternOf = (path: string) => path.replace(/\(\^.*?\$\)/g, "").replace(/:(\w+)/g, "{$1}")

/** Operations with many objects and without pages. */
const rowsOfPattern: Readonly<Record<string, number>> = {
  "/v1/orders/{ref}/timeline": 100,
  // A report reads up to 5,000 rows of the ledger: a merchant has one at a time.
  "/v1/reports/statement": 200,
  "/v1/reports/fees": 200,
  "/v1/reports/payout": 200,
  "/v1/reports/frozen": 200
}

export const routeOf = (endpoint: HttpApiEndpoint.Top): Route => ({
  pattern: patternOf(endpoint.path),
  // Computed with the first body: it needs the JSON schema of the body.
  get limits() {
    return bodyLimitsOf(endpoint)
  },
  rows: isPaged(endpoint) ? "page" : (rowsOfPattern[patternOf(endpoint.path)] ?? 0)
})

/** Whether it is a list, which takes a `limit`. */
const isPaged = ({ method, query }: HttpApiEndpoint.Top): boolean => {
  const ast = method === "GET" ? query?.ast : undefined
  return ast?._tag === "Objects" && ast.propertySignatures.some(({ name }) => name === "limit")
}

/** Outside the API no body is read as JSON. */
const unread: BodyLimits = { bytes: 0, values: 0 }

const endpoints = [Api, OperatorApi, ConsoleApi].flatMap((api) =>
  (Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) => Object.values(group.endpoints))
)

const behind = ["", "/:page", "/:page/:id", "/:page/:id/:part"]
/** The console, the pages of an account, and those of operators: one page for all of them (`ConsoleHttp.ts`). */
export const consolePages = [
  "/console",
  ...behind.map((path) => `/console/:merchant(^mer_[0-9A-HJKMNP-TV-Z]{26}$)/:mode(^(sandbox|live)$)${path}` as const),
  ...[...behind, "/:page/:id/:mode/:part", "/:page/:id/:mode/:part/:ref"].map(
    (path) => `/console/operator${path}` as const
  )
] as const
export const consoleAssets = "/console/assets/:name"

/** The checkout of no shop, for the frame in a merchant's settings (`CheckoutPreview.ts`). */
export const consolePreviews = { en: "/console/preview/en", zh: "/console/preview/zh" } as const

/** The documents (`Documents.ts`). */
export const documentPages = ["/docs", "/docs.md", "/docs/*", "/llms.txt", "/llms-full.txt"] as const

/** What can be installed from this address (`Downloads.ts`). */
export const downloadPages = ["/downloads", "/downloads.md", "/downloads/:name"] as const

/** The contact for vulnerabilities (`SecurityText.ts`). */
export const securityTextPath = "/.well-known/security.txt"

/** Routes outside the APIs. */
const pages = [
  ...consolePages,
  consoleAssets,
  ...Object.values(consolePreviews),
  ...documentPages,
  ...downloadPages,
  securityTextPath,
  "/",
  "/docs/try",
  "/openapi.json",
  "/operator/docs",
  "/operator/openapi.json",
  "/operator/alerts",
  "/healthz",
  "/readyz",
  "/metrics",
  "/shop_domains/ask",
  "/files/:name",
  "/checkout/:token",
  "/checkout/:token/events",
  "/pay/:link_id",
  "/receipts/:token",
  "/console/sign-in"
]

/** Pages that people open, perhaps by an address with a trailing slash. */
const forPeople: ReadonlySet<string> = new Set([
  "/docs",
  "/docs/*",
  "/docs/try",
  "/downloads",
  "/checkout/{token}",
  "/pay/{link_id}",
  "/receipts/{token}",
  "/console",
  "/console/sign-in"
])

/** The route for reporting leaked keys (`PublicAdmission.ts`), and the size limit of a report. */
export const leakedKeysPath = "/leaked_keys"
const leakReport: BodyLimits = { bytes: 4 * 1024, values: 20 }

const pageOf = (method: string, path: string) => ({
  method,
  path,
  route: { pattern: patternOf(path), limits: unread, rows: 0 } as const
})

export const routes: ReadonlyArray<{ readonly method: string; readonly path: string; readonly route: Route }> = [
  ...endpoints.map((endpoint) => ({ method: endpoint.method, path: endpoint.path, route: routeOf(endpoint) })),
  ...pages.map((path) => pageOf("GET", path)),
  pageOf("POST", "/checkout/:token"),
  pageOf("POST", "/pay/:link_id"),
  pageOf("POST", "/channels/:channel/:token"),
  pageOf("GET", mcpPath),
  pageOf("DELETE", mcpPath),
  { method: "POST", path: mcpPath, route: { pattern: mcpPath, limits: mcpBody, rows: 0 } },
  { method: "POST", path: leakedKeysPath, route: { pattern: leakedKeysPath, limits: leakReport, rows: 0 } }
]

export const nowhere: Route = { pattern: "none", limits: unread, rows: 0 }

const router = FindMyWay.make<Route>(routerConfig)
for (const { method, path, route } of routes) router.on(method as "GET", path as FindMyWay.PathInput, route)

/** Objects that the answer to this request may hold. `limit` is checked later, so it is not trusted here. */
export const rowsOf = ({ rows }: Route, url: string): number => {
  if (rows !== "page") return rows
  const query = url.indexOf("?")
  const [limit, ...more] = query < 0 ? [] : new URLSearchParams(url.slice(query)).getAll("limit")
  if (limit === undefined) return pageSizeDefault
  return more.length === 0 && /^\d{1,2}$/.test(limit) ? Number(limit) : pageSizeMax
}

/** Whether no slash is escaped but in a merchant's own number (`ref`). `*` is the rest of a path. */
export const areSpelled = (params: Found["params"]): boolean => {
  for (const name in params) if (name !== "ref" && name !== "*" && params[name]!.includes("/")) return false
  return true
}

/** A route, and its decoded parameters. */
export interface Found {
  readonly at: Route
  readonly params: Readonly<Record<string, string | undefined>>
}

export const foundNowhere: Found = { at: nowhere, params: {} }

/** A route that answers GET answers HEAD, too. */
const find = (method: string, url: string): Found => {
  if (isSpelledOtherwise(pathOf(url))) return foundNowhere
  const found = router.find(method === "HEAD" ? "GET" : method, url)
  return found === undefined || !areSpelled(found.params) ? foundNowhere : { at: found.handler, params: found.params }
}
export const routeAt = (method: string, url: string): Route => find(method, url).at

/** The right address of a page, if this one differs only by trailing slashes. */
export const pageWithoutSlash = (method: string, url: string, kind: PortKind = "both"): string | undefined => {
  const [, path = "", query = ""] = /^(\/[^?#]*[^?#/])\/+(\?[^#]*)?$/.exec(url) ?? []
  const isRead = method === "GET" || method === "HEAD"
  return isRead && path !== "" && forPeople.has(foundAtPort(kind, method, path).at.pattern) ? path + query : undefined
}

const methods = ["GET", "HEAD", "POST", "DELETE"]

/** For the `Allow` header. */
export const methodsAt = (url: string): ReadonlyArray<string> =>
  methods.filter((method) => routeAt(method, url) !== nowhere)

// Ports --------------------------------------------------------------------------
// With ADMIN_PORT the operator's API, `/metrics` and `/healthz` have a listener of their own, and only that
// (docs/decisions/0130).

/**
 * The console's pages, and the calls by which people sign in, are at both ports: operators have them where their API
 * is. Calls about a merchant are not at the operators' port.
 */
const isOfBoth = (pattern: string): boolean =>
  atEither.has(pattern) || /^\/console(?!\/api\/merchants\/)(\/|$)/.test(pattern)

/** `both`: there is one port for everything. `shop`: at the public port, of a shop's own host. */
export type PortKind = "both" | "public" | "admin" | "shop"

/** The pages of a shop, with their logo. Their handlers check to which merchant they belong. */
const atShop: ReadonlySet<string> = new Set([
  "/checkout/{token}",
  "/checkout/{token}/events",
  "/pay/{link_id}",
  "/receipts/{token}",
  "/files/{name}"
])

/** `/` has the links of its port; `/readyz` is for load balancers and monitoring. */
const atEither: ReadonlySet<string> = new Set(["/", "/readyz"])
const atAdmin = /^\/(operator\/|metrics$|healthz$|shop_domains\/)/

export const isAnsweredAt = (portKind: PortKind, { pattern }: Pick<Route, "pattern">): boolean =>
  portKind === "shop"
    ? atShop.has(pattern)
    : portKind === "both" || isOfBoth(pattern) || atAdmin.test(pattern) === (portKind === "admin")

/** The route that the router finds, unless it is not answered at this port. */
export const foundAtPort = (portKind: PortKind, method: string, url: string): Found => {
  const found = find(method, url)
  return isAnsweredAt(portKind, found.at) ? found : foundNowhere
}

// Traces -------------------------------------------------------------------------
// A request is named by its method and route, never by its address. Probes make no trace.

const spanNameOf = ({ method, url }: HttpServerRequest.HttpServerRequest): string => {
  const route = routeAt(method, routed(url))
  return route === nowhere ? method : `${method} ${route.pattern}`
}

export const layerTraces = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.SpanNameGenerator, spanNameOf),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }) => isProbe(url))
)

/** Adds the request's account to the current trace. The names are those of the log. */
export const describeTrace = ({ account, requestId }: RequestRecord, route: Route) =>
  Effect.annotateCurrentSpan({
    ...(route === nowhere ? {} : { "http.route": route.pattern }),
    request_id: requestId,
    ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode })
  })
