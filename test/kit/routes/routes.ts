/** Every route of the services that a test has started: those of both APIs, and the pages that no contract lists. */
import { FindMyWay } from "effect/http"

interface Told {
  on: (method: string, path: FindMyWay.PathInput, handler: unknown) => void
}

/** Leads from a request to the name of its route, such as `GET /v1/orders/:ref`. */
const told = FindMyWay.make<string>({ maxParamLength: 2_048 })
const names = new Set<string>()

// A router does not list its routes. So `on` of all routers is wrapped, and records each route.
const router = Object.getPrototypeOf(told) as Told
const { on } = router
router.on = function (method, path, handler) {
  const name = `${method} ${path}`
  if (!names.has(name)) {
    names.add(name)
    on.call(told, method, path, name)
  }
  on.call(this, method, path, handler)
}

export const routes = (): ReadonlyArray<string> => [...names].toSorted()

/** The route of a request; undefined where there is none. */
export const routeOf = (method: string, url: string): string | undefined => told.find(method, url)?.handler
