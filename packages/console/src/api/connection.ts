/**
 * Whether the service answers. Each answer and each failed call is noted here. While it is away the pages keep their
 * content and take no acts. A session that ended leads to the sign-in page.
 */
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./registry.ts"

/** Since when the service does not answer; undefined while it does. */
export const awaySince = Atom.keepAlive(Atom.make<Date | undefined>(undefined))

export const noteAnswer = (status: number) => {
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
