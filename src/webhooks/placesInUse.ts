/**
 * The posts that are under way on this runner, and how many each line may have (docs/decisions/0016). Lost with the
 * process: after a restart nothing is known of any line.
 */
import { type Keys, limitAfter, placesPerMode } from "@coffer/rules/delivery/places"
import type { Mode } from "@coffer/model/Ids"

/** Lines whose limit is kept. Beyond it the one that was heard of longest ago is forgotten. */
const limitsMax = 4_096

const modes: ReadonlyArray<Mode> = ["live", "sandbox"]

/** How many there are of a mode, of each merchant and of each line. */
export const makeCounts = () => {
  const taken = new Map<string, number>()
  const count = (keys: Keys, by: 1 | -1) => {
    for (const key of keys) {
      const posts = (taken.get(key) ?? 0) + by
      if (posts === 0) taken.delete(key)
      else taken.set(key, posts)
    }
  }
  return { taken, count }
}

export const makePlacesInUse = () => {
  const { count, taken } = makeCounts()
  const limits = new Map<string, number>()

  return {
    taken,
    limits,
    hasFreePlace: (mode: Mode): boolean => (taken.get(mode) ?? 0) < placesPerMode,
    /** All that are under way. */
    posts: (): number => modes.reduce((sum, mode) => sum + (taken.get(mode) ?? 0), 0),
    take: (keys: Keys) => count(keys, 1),
    free: (keys: Keys) => count(keys, -1),
    /** Adapts the line's limit to how long a post took. */
    learn: ([, , key]: Keys, millis: number) => {
      const limit = limitAfter(limits.get(key), millis)
      limits.delete(key)
      if (limits.size >= limitsMax) limits.delete(limits.keys().next().value!)
      limits.set(key, limit)
    }
  }
}
