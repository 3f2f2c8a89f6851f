/** Compares what a merchant's receivers got with the events that the oracle would post. */
import { createHmac } from "node:crypto"
import type { Account, Happening, Receiver, Secrets } from "../state.ts"
import { eventView } from "../views.ts"
import { formerOf } from "./books.ts"
import { type Difference, differenceOf } from "./compare.ts"
import type { Post } from "./place.ts"

/** Who got which event, so far. */
export type Delivered = Map<string, number>

const attemptsMax = 7

const mostOf = (url: string) => (url.endsWith("/down") ? attemptsMax : 1)

const placeIn = ({ headers, url }: Pick<Post, "headers" | "url">) =>
  `${headers["x-service-event-id"]} ${headers["x-service-endpoint-id"] ?? ""} ${url}`

export interface Repeated {
  readonly post: Post
  /** How often a receiver has got it. */
  readonly count: number
}

/** What receivers have got more often than they should, by its place. */
export const repeatedIn = (posts: ReadonlyArray<Post>, delivered: Delivered): ReadonlyMap<string, Repeated> => {
  const all = new Map<string, Repeated>()
  for (const post of posts) {
    const place = placeIn(post)
    all.set(place, { post, count: (all.get(place)?.count ?? delivered.get(place) ?? 0) + 1 })
  }
  return new Map([...all].filter(([, { count, post }]) => count > mostOf(post.url)))
}

/**
 * `events`: those whose posts have to be there by now. `unwritten`: attempts that the service could not note, and made
 * again.
 */
export const deliveriesDiffer = (
  account: Account,
  {
    delivered,
    events,
    posts,
    unwritten = new Map()
  }: {
    readonly delivered: Delivered
    readonly events: ReadonlyArray<Happening>
    readonly posts: ReadonlyArray<Post>
    readonly unwritten?: ReadonlyMap<string, number>
  }
): Difference | undefined => {
  for (const post of posts) {
    const difference = postDiffers(account, post, { delivered, unwritten })
    if (difference !== undefined) return difference
  }
  for (const event of events) {
    const lost = event.receivers.find((each) => each.isSure && !delivered.has(placeOf(event, each)))
    if (lost !== undefined) {
      return { at: "deliveries", expected: `${event.type} ${event.no.value} at ${lost.url}`, actual: "no post" }
    }
  }
  return undefined
}

const placeOf = ({ no }: Happening, { endpoint, url }: Receiver) => `${no.value} ${endpoint?.no.value ?? ""} ${url}`

const postDiffers = (
  account: Account,
  { body, headers, url }: Post,
  { delivered, unwritten }: { readonly delivered: Delivered; readonly unwritten: ReadonlyMap<string, number> }
) => {
  const differs = (expected: unknown, actual: unknown): Difference => ({ at: `post to ${url}`, expected, actual })
  const event = account.events.find(({ no }) => no.value === headers["x-service-event-id"])
  if (event === undefined) return differs("an event of the list", headers["x-service-event-id"])
  const endpointNo = headers["x-service-endpoint-id"]
  const receiver = event.receivers.find((each) => each.endpoint?.no.value === endpointNo && each.url === url)
  if (receiver === undefined) return differs(`no ${event.type}`, endpointNo ?? "by notify_url")
  if (headers["x-service-event-type"] !== event.type) return differs(event.type, headers["x-service-event-type"])
  const place = placeOf(event, receiver)
  const attempts = (delivered.get(place) ?? 0) + 1
  delivered.set(place, attempts)
  if (attempts > mostOf(url) + (unwritten.get(place) ?? 0)) return differs("no further attempt", attempts)
  const signed = signatureProblem(secretsOf(account, event, receiver), headers["x-service-signature"] ?? "", body)
  if (signed !== undefined) return differs(signed, headers["x-service-signature"])
  const actual: unknown = JSON.parse(body)
  const object = formerOf(account, event, actual) ?? event.object
  return differenceOf(eventView(account, { ...event, object }), actual, `post of ${event.type}`)
}

/** Those of the endpoint or of the account, apart from those that had ended when the event came. */
const secretsOf = ({ signing }: Account, { at }: Happening, { endpoint }: Receiver) =>
  (endpoint?.secrets ?? signing).filter(({ until }) => until >= at.from)

/** Each signature is by one of the secrets, and there is one. */
const signatureProblem = (secrets: Secrets, header: string, body: string) => {
  // A program may not have read the account's own secret.
  if (secrets.some(({ secret }) => secret.value === undefined)) {
    return /^t=\d+,v1=[0-9a-f]{64}/.test(header) ? undefined : "a signature"
  }
  const [, time = ""] = /^t=(\d+),/.exec(header) ?? []
  const shown = [...header.matchAll(/v1=([0-9a-f]{64})/g)].map(([, hex]) => hex!)
  const signs = secrets.map(({ secret }) => createHmac("sha256", secret.value!).update(`${time}.${body}`).digest("hex"))
  return shown.length > 0 && shown.every((each) => signs.includes(each)) ? undefined : "signatures by its secrets"
}
