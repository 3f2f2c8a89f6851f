/**
 * How many characters have to be added, taken out or changed to make one name of another (Levenshtein). With `swaps`,
 * two neighbours in the wrong order are one slip, and two otherwise.
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
