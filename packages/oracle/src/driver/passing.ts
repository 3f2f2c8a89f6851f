/** How time passes for the service and for the oracle. */
import type { Oracle } from "../Oracle.ts"
import type { Place } from "./place.ts"

/** Moves from one due time to the next, and waits at each until the state is determined. */
export const passOn = async (place: Place, oracle: Oracle, millis: number) => {
  const end = place.now() + millis
  const go = async (to: number) => {
    await place.leap(to - place.now())
    for (let at = oracle.clearAt(to); at > place.now(); at = oracle.clearAt(at)) await place.pass(at - place.now())
    oracle.passTo(place.now())
  }
  for (let at = oracle.nextDueAt(place.now()); at <= end; at = oracle.nextDueAt(place.now())) await go(at)
  if (place.now() < end) await go(end)
}
