/**
 * The posts that are under way on this runner, and how many each line may have (docs/decisions/0053). Lost with the
 * process: after a restart nothing is known of any line.
 */
import { type Keys, limitAfter, type Line, lineKey, placesOf, roomKey, standings } from "@coffer/rules/delivery/places"
import type { Mode } from "@coffer/model/Ids"

/** Lines whose limit is kept. Beyond it the one that was heard of longest ago is forgotten. */
const limitsMax = 4_096

const modes: ReadonlyArray<Mode> = ["live", "sandbox"]

/** How many there are, by {@link Keys}. */
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
  const held = (mode: Mode) => standings.map((standing) => taken.get(roomKey(mode, standing)) ?? 0)

  return {
    taken,
    limits,
    hasFreePlace: (mode: Mode): boolean => held(mode).some((posts, index) => posts < placesOf[standings[index]!]),
    /** All that are under way. */
    posts: (): number => modes.flatMap(held).reduce((sum, posts) => sum + posts, 0),
    take: (keys: Keys) => count(keys, 1),
    free: (keys: Keys) => count(keys, -1),
    /** Adapts the line's limit to how a post has ended. */
    learn: (line: Line, ended: Parameters<typeof limitAfter>[1]) => {
      const key = lineKey(line)
      const limit = limitAfter(limits.get(key), ended)
      limits.delete(key)
      if (limits.size >= limitsMax) limits.delete(limits.keys().next().value!)
      limits.set(key, limit)
    }
  }
}
