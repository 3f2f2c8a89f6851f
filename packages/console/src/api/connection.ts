/**
 * Whether the service answers, by the outcome of every call. While it is away the pages keep their content and their
 * actions are disabled. An ended session leads to the sign-in page.
 */
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./registry.ts"

/** Since when the service does not answer; undefined while it does. */
export const awaySince = Atom.keepAlive(Atom.make<Date | undefined>(undefined))

/** When to retry after the latest 429 or 503, by its `Retry-After`. */
let freeAt = 0
/** If the answer has no `Retry-After`. */
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

/** Opens the sign-in page, which returns to the open page. */
export const leave = () => {
  sessionStorage.setItem("coffer.then", location.pathname + location.search)
  location.assign("/console/sign-in")
}
