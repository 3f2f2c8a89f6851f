/**
 * The number of insertions, deletions and substitutions between two names (Levenshtein). With `swaps`, two swapped
 * neighbours count as one edit, otherwise as two.
 */
export const editDistance = (from: string, to: string, { swaps = false } = {}): number => {
  let [before, row] = [[] as Array<number>, Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = swaps && i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1, isSwap ? before[j - 2]! + 1 : Infinity))
    }
    ;[before, row] = [row, next]
  }
  return row[to.length]!
}
