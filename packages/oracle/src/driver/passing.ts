/** How time passes for the service and for the oracles of the programs on it. */
import type { Oracle } from "../Oracle.ts"
import type { Place } from "./place.ts"

/** Moves from one due time to the next, and waits at each until the state of all is determined. */
export const passOn = async (place: Place, oracles: ReadonlyArray<Oracle>, millis: number) => {
  const end = place.now() + millis
  const nextDueAt = () => Math.min(...oracles.map((oracle) => oracle.nextDueAt(place.now())))
  const clearAt = (at: number): number => {
    const clear = Math.max(...oracles.map((oracle) => oracle.clearAt(at)))
    return clear === at ? at : clearAt(clear)
  }
  const go = async (to: number) => {
    await place.leap(to - place.now())
    for (let at = clearAt(to); at > place.now(); at = clearAt(at)) await place.pass(at - place.now())
    for (const oracle of oracles) oracle.passTo(place.now())
  }
  for (let at = nextDueAt(); at <= end; at = nextDueAt()) await go(at)
  if (place.now() < end) await go(end)
}
