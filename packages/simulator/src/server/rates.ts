/** Rate limits of an account per second of the simulated clock. */
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"

export const makeRates = (world: World) => {
  const counts = new Map<string, { readonly second: number; count: number }>()
  return {
    mayAsk: (book: Book): boolean => {
      const { rateLimit } = world.settings
      if (rateLimit === 0) return true
      const second = world.seconds()
      const there = counts.get(book.key)
      if (there?.second !== second) {
        counts.set(book.key, { second, count: 1 })
        return true
      }
      there.count++
      return there.count <= rateLimit
    }
  }
}
