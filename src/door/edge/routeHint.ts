/**
 * What somebody probably meant who called an address that is no endpoint: another method, the version that is missing,
 * another spelling, or the endpoint with the nearest name. It names only endpoints of `/v1`, which are public. Pure.
 */
import { nearestName } from "@coffer/model/nearest"
import { methodsAt, nowhere, routeAt, routes } from "./routes.ts"

/** Longer addresses, and those with more parts, are not compared. */
const lengthMax = 200
const partsMax = 6

export const routeHint = (method: string, path: string, isAtAdmin: boolean): string => {
  const allowed = methodsAt(path).filter((each) => each !== "HEAD")
  if (allowed.length > 0) return methodHint(method, allowed)
  const reference = isAtAdmin ? "/operator/docs" : "/docs/try"
  const all = `All endpoints are at ${reference}.`
  if (isAtAdmin || path.length > lengthMax || path.split("/").length - 1 > partsMax) return all
  const found = respelled(method, path) ?? renamed(path) ?? nearest(method, path)
  return found === undefined ? all : `Did you mean ${found}? ${all}`
}

const changes: ReadonlySet<string> = new Set(["PUT", "PATCH"])

const methodHint = (method: string, allowed: ReadonlyArray<string>): string => {
  const list = allowed.join(" or ")
  const why = changes.has(method) && allowed.includes("POST") ? "Changes are sent by POST. " : ""
  return `${why}This address takes ${list}.`
}

/** The same address under `/v1`, in lower case, without doubled slashes, if that is an endpoint. */
const respelled = (method: string, path: string): string | undefined => {
  const parts = path.split("/").filter((part) => part !== "")
  while (parts[0] !== undefined && /^(?:api|v\d+)$/i.test(parts[0])) parts.shift()
  const written = [parts, parts.map((part, index) => (index % 2 === 0 ? part.toLowerCase() : part))]
  for (const each of written) {
    const found = `/v1/${each.join("/")}`
    const methods = methodsOf(found)
    if (methods.length > 0) return `${methods.includes(method) ? method : methods[0]!} ${found}`
  }
  return undefined
}

const methodsOf = (path: string) => ["GET", "POST", "DELETE"].filter((method) => routeAt(method, path) !== nowhere)

interface Known {
  readonly method: string
  readonly pattern: string
  readonly parts: ReadonlyArray<string>
}

const known: ReadonlyArray<Known> = routes
  .map(({ method, route: { pattern } }) => ({ method, pattern, parts: pattern.split("/").slice(2) }))
  .filter(({ pattern }) => pattern.startsWith("/v1/"))

/** An endpoint of as many parts, of which each is the same or nearly. */
const nearest = (method: string, path: string): string | undefined => {
  const parts = path
    .replace(/^\/(?:api\/)?(?:v\d+\/)?/i, "")
    .split("/")
    .filter((part) => part !== "")
  const fits = known.filter(
    (each) => each.parts.length === parts.length && each.parts.every((part, index) => isNear(parts[index]!, part))
  )
  const best = fits.find((each) => each.method === method) ?? fits[0]
  return best === undefined ? undefined : `${best.method} ${best.pattern}`
}

const isNear = (part: string, wanted: string): boolean =>
  wanted.startsWith("{") || part === wanted || nearestName(part.replaceAll("-", "_"), [wanted]) !== undefined

/** What other services call it. */
const otherNames: ReadonlyArray<readonly [name: RegExp, endpoint: string]> = [
  [
    /\/(?:charges|payment_?intents|payments?|transactions?|checkout|sessions|invoices|purchases)(?:\/|$)/i,
    "POST /v1/orders"
  ],
  [/\/[^/]+\/[^/]+\/refunds?$/i, "POST /v1/refunds, with the order's trade_no"],
  [/\/(?:cancel|void|close|delete)$/i, "POST /v1/orders/{ref}/expire"],
  [/\/(?:webhooks?|hooks?|endpoints)(?:\/|$)/i, "POST /v1/webhook_endpoints"],
  [/\/(?:links?|paylinks?)(?:\/|$)/i, "POST /v1/payment_links"],
  [/\/(?:balances?|wallets?|accounts?)(?:\/|$)/i, "GET /v1/balance"],
  [/\/(?:chargebacks?)(?:\/|$)/i, "GET /v1/disputes"]
]

const renamed = (path: string): string | undefined => otherNames.find(([name]) => name.test(path))?.[1]
