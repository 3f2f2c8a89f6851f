/** Which route an address names, for whoever has to know before the framework's router has decided. */
import { Api } from "@coffer/contract/Api"
import { type BodyLimits, bodyLimitsOf } from "@coffer/contract/bodyLimits"
import { OperatorApi } from "@coffer/contract/Operator"
import { pageSizeDefault, pageSizeMax } from "@coffer/model/Limits"
import { FindMyWay } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { routerConfig } from "./routing.ts"

export interface Route {
  /** `/v1/orders/{ref}`: what metrics call it. */
  readonly pattern: string
  /** Of its body. */
  readonly limits: BodyLimits
  /** Objects that its answer may hold. `page`: as many as the query asks for; 0 for one alone. */
  readonly rows: number | "page"
}

const patternOf = (path: string) => path.replace(/:(\w+)/g, "{$1}")

/** Ours that hold many objects and have no pages. */
const rowsOf: Readonly<Record<string, number>> = { "/v1/orders/{ref}/timeline": 100 }

export const routeOf = (endpoint: HttpApiEndpoint.Top): Route => ({
  pattern: patternOf(endpoint.path),
  limits: bodyLimitsOf(endpoint),
  rows: isPaged(endpoint) ? "page" : (rowsOf[patternOf(endpoint.path)] ?? 0)
})

/** Whether it is a list, which takes a `limit`. */
const isPaged = ({ method, query }: HttpApiEndpoint.Top): boolean => {
  const ast = method === "GET" ? query?.ast : undefined
  return ast?._tag === "Objects" && ast.propertySignatures.some(({ name }) => name === "limit")
}

/** No body is read as JSON where no API is. */
const unread: BodyLimits = { bytes: 0, values: 0 }

const endpoints = [Api, OperatorApi].flatMap((api) =>
  (Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) => Object.values(group.endpoints))
)

/** Those that no API lists. */
const pages = [
  "/",
  "/docs",
  "/openapi.json",
  "/operator/docs",
  "/operator/openapi.json",
  "/operator/alerts",
  "/healthz",
  "/readyz",
  "/metrics",
  "/files/:name",
  "/checkout/:token",
  "/checkout/:token/events",
  "/pay/:link_id",
  "/receipts/:token"
]

/** Pages that people open, from an address that somebody may have written down with a slash more. */
const forPeople: ReadonlySet<string> = new Set(["/docs", "/checkout/{token}", "/pay/{link_id}", "/receipts/{token}"])

/** Where leaked keys are reported (`LeakedKeys.ts`), and how large a report may be. */
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
  pageOf("POST", "/channels/stripe/:token"),
  { method: "POST", path: leakedKeysPath, route: { pattern: leakedKeysPath, limits: leakReport, rows: 0 } }
]

export const nowhere: Route = { pattern: "none", limits: unread, rows: 0 }

const router = FindMyWay.make<Route>(routerConfig)
for (const { method, path, route } of routes) router.on(method as "GET", path as FindMyWay.PathInput, route)

/** Objects that the answer to this request may hold. What `limit` says is checked later, so it is not believed here. */
export const rowsAsked = ({ rows }: Route, url: string): number => {
  if (rows !== "page") return rows
  const query = url.indexOf("?")
  const [limit, ...more] = query < 0 ? [] : new URLSearchParams(url.slice(query)).getAll("limit")
  if (limit === undefined) return pageSizeDefault
  return more.length === 0 && /^\d{1,2}$/.test(limit) ? Number(limit) : pageSizeMax
}

/** What answers GET answers HEAD. */
export const routeAt = (method: string, url: string): Route =>
  router.find(method === "HEAD" ? "GET" : method, url)?.handler ?? nowhere

/** Where the page is that this address means, if it has nothing but slashes at its end that are too many. */
export const pageWithoutSlash = (method: string, url: string): string | undefined => {
  const [, path = "", query = ""] = /^(\/[^?#]*[^?#/])\/+(\?[^#]*)?$/.exec(url) ?? []
  const isAsked = method === "GET" || method === "HEAD"
  return isAsked && path !== "" && forPeople.has(routeAt(method, path).pattern) ? path + query : undefined
}

const methods = ["GET", "HEAD", "POST", "DELETE"]

/** For the `Allow` header. */
export const methodsAt = (url: string): ReadonlyArray<string> =>
  methods.filter((method) => routeAt(method, url) !== nowhere)
