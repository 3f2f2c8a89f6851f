/**
 * Whether the service answers. Each answer and each failed call is noted here. While it is away the pages keep their
 * content and take no acts. A session that ended leads to the sign-in page.
 */
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./registry.ts"

/** Since when the service does not answer; undefined while it does. */
export const awaySince = Atom.keepAlive(Atom.make<Date | undefined>(undefined))

/** When the newest refusal for want of a quota, or of room, ends: what its `Retry-After` says. */
let freeAt = 0
/** Where the answer names no time. */
const secondsUnsaid = 2

/** At least one. */
export const secondsToWait = (): number => Math.max(1, Math.ceil((freeAt - Date.now()) / 1_000))

const noteWait = (status: number, retryAfter: string | null | undefined) => {
  if (status === 429 || status === 503) freeAt = Date.now() + (Number(retryAfter) || secondsUnsaid) * 1_000
}

export const noteAnswer = (status: number, retryAfter?: string | null) => {
  noteWait(status, retryAfter)
  if (registry.get(awaySince) !== undefined) registry.set(awaySince, undefined)
  if (status === 401) leave()
}

export const noteNoAnswer = () => {
  if (registry.get(awaySince) === undefined) registry.set(awaySince, new Date())
}

/** The sign-in page, which comes back to the page that was open. */
export const leave = () => {
  sessionStorage.setItem("coffer.then", location.pathname + location.search)
  location.assign("/console/sign-in")
}
