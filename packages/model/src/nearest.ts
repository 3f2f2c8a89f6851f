/**
 * The known name that somebody probably meant by an unknown one. Its cost is bounded: a name longer than any known one
 * by far is not compared.
 */
import { editDistance } from "./editDistance.ts"

export const nameLengthMax = 100

/** The name that is a few letters away. Upper and lower case are the same. */
export const nearestName = (name: string, names: ReadonlyArray<string>): string | undefined => {
  if (name.length > nameLengthMax) return undefined
  const allowed = Math.max(1, Math.floor(name.length / 3))
  const [best] = names
    .map((known) => ({ known, away: editDistance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ away }) => away <= allowed)
    .toSorted((a, b) => a.away - b.away)
  return best?.known
}

/** The same for a word of a few, which may also begin alike: `fail` and `failed`, `success` and `succeeded`. */
export const nearestWord = (word: string, words: ReadonlyArray<string>): string | undefined =>
  nearestName(word, words) ??
  words.find(
    (known) =>
      word.length >= alike &&
      (known.toLowerCase().startsWith(word.slice(0, alike).toLowerCase()) || word.startsWith(`${known}_`))
  )

/** Letters at the beginning that are enough. */
const alike = 4
