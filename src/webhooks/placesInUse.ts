/**
 * The posts that are under way on this runner, and how many each line may have (docs/decisions/0016). Lost with the
 * process: after a restart nothing is known of any line.
 */
import { keysOf, type Line, limitAfter, lineKey, placesPerMode } from "@coffer/rules/delivery/places"
import type { Mode } from "@coffer/model/Ids"

/** Lines whose limit is kept. Beyond it the one that was heard of longest ago is forgotten. */
const limitsMax = 4_096

const modes: ReadonlyArray<Mode> = ["live", "sandbox"]

export const makePlacesInUse = () => {
  const taken = new Map<string, number>()
  const limits = new Map<string, number>()

  const count = (line: Line, by: 1 | -1) => {
    for (const key of keysOf(line)) {
      const posts = (taken.get(key) ?? 0) + by
      if (posts === 0) taken.delete(key)
      else taken.set(key, posts)
    }
  }

  return {
    taken,
    limits,
    hasFreePlace: (mode: Mode): boolean => (taken.get(mode) ?? 0) < placesPerMode,
    /** All that are under way. */
    posts: (): number => modes.reduce((sum, mode) => sum + (taken.get(mode) ?? 0), 0),
    take: (line: Line) => count(line, 1),
    free: (line: Line) => count(line, -1),
    /** Adapts the line's limit to how long a post took. */
    learn: (line: Line, millis: number) => {
      const key = lineKey(line)
      const limit = limitAfter(limits.get(key), millis)
      limits.delete(key)
      if (limits.size >= limitsMax) limits.delete(limits.keys().next().value!)
      limits.set(key, limit)
    }
  }
}
