/**
 * Which routes are answered at which port. With ADMIN_PORT the operator's API, `/metrics` and `/healthz` have a
 * listener of their own, and are nowhere else (docs/decisions/0030).
 */
import { nowhere, type Route, routeAt } from "./routes.ts"

/** `both`: there is one port for everything. */
export type PortKind = "both" | "public" | "admin"

/** `/` has the links of its port; `/readyz` is asked by balancers and by those who watch the service. */
const atEither: ReadonlySet<string> = new Set(["/", "/readyz"])
const atAdmin = /^\/(operator\/|metrics$|healthz$)/

export const isAnsweredAt = (portKind: PortKind, { pattern }: Pick<Route, "pattern">): boolean =>
  portKind === "both" || atEither.has(pattern) || atAdmin.test(pattern) === (portKind === "admin")

/** What the router finds, unless it is not answered at this port. */
export const routeAtPort = (portKind: PortKind, method: string, url: string): Route => {
  const found = routeAt(method, url)
  return isAnsweredAt(portKind, found) ? found : nowhere
}
