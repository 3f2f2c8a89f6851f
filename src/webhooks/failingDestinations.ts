/**
 * Destinations that fail for an hour or longer, as this runner sees them: an operator hears of each once an hour. Lost
 * with the process: after a restart the hour begins again.
 */
import { type Line, lineKey } from "@coffer/rules/delivery/places"
import { Duration } from "effect"

/** Destinations that are remembered. Beyond it the one that began to fail first is forgotten. */
const rememberedMax = 4_096

const hour = Duration.toMillis("1 hour")
/** The longest wait of the schedule is six hours: who is silent for longer is not tried any more. */
const forgottenAfter = Duration.toMillis("7 hours")

interface Failing {
  /** Unix milliseconds: of the first failure in a row, of the latest, and of the last time somebody was told. */
  readonly since: number
  latest: number
  toldAt: number | undefined
}

export const makeFailingDestinations = () => {
  const failing = new Map<string, Failing>()

  return {
    succeeded: (line: Line): undefined => void (failing.size > 0 && failing.delete(lineKey(line))),

    /** Since when it fails, if an operator is to be told now. */
    failed: (line: Line, at: number): number | undefined => {
      const key = lineKey(line)
      const known = failing.get(key) ?? { since: at, latest: at, toldAt: undefined }
      if (!failing.has(key)) {
        if (failing.size >= rememberedMax) failing.delete(failing.keys().next().value!)
        failing.set(key, known)
      }
      known.latest = at
      if (at - known.since < hour || (known.toldAt !== undefined && at - known.toldAt < hour)) return undefined
      known.toldAt = at
      return known.since
    },

    /** How many have failed for an hour at this time. */
    count: (now: number): number => {
      for (const [key, { latest }] of failing) if (now - latest > forgottenAfter) failing.delete(key)
      return [...failing.values()].filter(({ since }) => now - since >= hour).length
    }
  }
}
