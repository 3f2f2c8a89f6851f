/** Refuses an option that is not known: a misspelt one would silently have no effect. */

/** Longer names are not compared. */
const lengthMax = 40

/** Throws a `TypeError` that names the unknown option, and the nearest known one or all of them. */
export const checkKnown = (options: object, known: ReadonlyArray<string>): void => {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const shown = unknown.slice(0, lengthMax)
  const [nearest] = known
    .map((name) => ({ name, away: distance(shown.toLowerCase(), name.toLowerCase()) }))
    .filter(({ away, name }) => away <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.away - b.away)
  const hint = nearest === undefined ? `the options are ${known.join(", ")}` : `did you mean ${nearest.name}?`
  throw new TypeError(`${shown}: unknown option; ${hint}`)
}

/** Insertions, deletions and substitutions between two names. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      next.push(Math.min(row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
