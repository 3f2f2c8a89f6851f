/** Compares what a merchant's receivers got with the events that the oracle would post. */
import { createHmac } from "node:crypto"
import type { Account, Happening, Receiver } from "../state.ts"
import { eventView } from "../views.ts"
import { formerOf } from "./books.ts"
import { type Difference, differenceOf } from "./compare.ts"
import type { Post } from "./place.ts"

/** Who got which event, so far. */
export type Delivered = Map<string, number>

const attemptsMax = 7

/** `events`: those whose posts have to be there by now. */
export const deliveriesDiffer = (
  account: Account,
  {
    delivered,
    events,
    posts
  }: {
    readonly delivered: Delivered
    readonly events: ReadonlyArray<Happening>
    readonly posts: ReadonlyArray<Post>
  }
): Difference | undefined => {
  for (const post of posts) {
    const difference = postDiffers(account, post, delivered)
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

const postDiffers = (account: Account, { body, headers, url }: Post, delivered: Delivered) => {
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
  if (attempts > (url.endsWith("/down") ? attemptsMax : 1)) return differs("no further attempt", attempts)
  const signed = signatureProblem(account, receiver, headers["x-service-signature"] ?? "", body)
  if (signed !== undefined) return differs(signed, headers["x-service-signature"])
  const actual: unknown = JSON.parse(body)
  const object = formerOf(account, event, actual) ?? event.object
  return differenceOf(eventView(account, { ...event, object }), actual, `post of ${event.type}`)
}

/** Each signature is by a secret of the endpoint or of the account, and there is one. */
const signatureProblem = ({ signing }: Account, { endpoint }: Receiver, header: string, body: string) => {
  const secrets = endpoint?.secrets ?? signing
  // A program may not have read the account's own secret.
  if (secrets.some(({ secret }) => secret.value === undefined)) {
    return /^t=\d+,v1=[0-9a-f]{64}/.test(header) ? undefined : "a signature"
  }
  const [, time = ""] = /^t=(\d+),/.exec(header) ?? []
  const shown = [...header.matchAll(/v1=([0-9a-f]{64})/g)].map(([, hex]) => hex!)
  const signs = secrets.map(({ secret }) => createHmac("sha256", secret.value!).update(`${time}.${body}`).digest("hex"))
  return shown.length > 0 && shown.every((each) => signs.includes(each)) ? undefined : "signatures by its secrets"
}
