/**
 * The search of the documents. It is built once, yielding to other work between two sections. A search then looks up a
 * few words, however many pages there are. A word matches by prefix; Chinese, which has no spaces, matches anywhere.
 */
import { Effect } from "effect"

export interface Section {
  readonly page: string
  readonly heading: string
  readonly text: string
}

export interface Index {
  readonly sections: ReadonlyArray<Section>
  /** All words that are found, in order. */
  readonly words: ReadonlyArray<string>
  /** By word: the sections that contain it, with a weight for each. */
  readonly weights: ReadonlyMap<string, ReadonlyMap<number, number>>
}

export const sectionsOf = ([page, text]: readonly [string, string]): ReadonlyArray<Section> =>
  text.split(/^(?=#{1,4} )/m).map((part) => {
    const [, heading = page] = /^#{1,4} (.*)$/m.exec(part) ?? []
    return { page, heading, text: part.trim() }
  })

/** A word in the heading weighs more than one in the text, which counts at most three times. */
const [titleWeight, textWeightMax] = [5, 3]

export const indexOf = Effect.fnUntraced(function* (pages: ReadonlyMap<string, string>): Effect.fn.Return<Index> {
  const sections: Array<Section> = []
  const weights = new Map<string, Map<number, number>>()
  for (const section of Array.from(pages).flatMap(sectionsOf)) {
    const place = sections.push(section) - 1
    for (const [word, weight] of weightsIn(section)) {
      const known = weights.get(word)
      if (known === undefined) weights.set(word, new Map([[place, weight]]))
      else known.set(place, weight)
    }
    yield* Effect.yieldNow
  }
  return { sections, weights, words: [...weights.keys()].toSorted() }
})

const weightsIn = ({ heading, page, text }: Section): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const word of keysIn(text)) weights.set(word, Math.min(textWeightMax, (weights.get(word) ?? 0) + 1))
  for (const word of new Set(keysIn(`${page} ${heading}`))) weights.set(word, (weights.get(word) ?? 0) + titleWeight)
  return weights
}

const wordsIn = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_])+/gu) ?? []

const isChinese = (word: string) => /\p{Script=Han}/u.test(word)
/** The length of Chinese passages indexed from each of their characters. */
const passageLength = 6

/** The words of a text: `out_trade_no` also counts as each of its words. */
const keysIn = (text: string): ReadonlyArray<string> =>
  wordsIn(text).flatMap((word) => {
    if (isChinese(word)) return Array.from(word, (_, from) => word.slice(from, from + passageLength))
    return word.includes("_") ? [word, ...word.split("_").filter((part) => part !== "")] : [word]
  })

/** Words of a query. */
const queryWordsMax = 12
/** The minimum length of a prefix. A shorter query word must match exactly. */
const [beginningsMax, beginningLength] = [48, 3]
/** The maximum length of a query. */
export const queryLengthMax = 200

export interface Found {
  readonly section: Section
  /** The query's words as they occur in the section. */
  readonly words: ReadonlyArray<string>
}

/**
 * Best first. A section with all of the words ranks higher than one with many occurrences of one, and rare words weigh
 * more.
 */
export const search = ({ sections, weights, words }: Index, query: string, foundMax: number): ReadonlyArray<Found> => {
  const terms = [...new Set(wordsIn(query.slice(0, queryLengthMax)))].slice(0, queryWordsMax)
  const scores = new Map<number, { sum: number; readonly words: Array<string> }>()
  for (const word of terms) {
    const best = new Map<number, number>()
    for (const key of beginningWith(words, isChinese(word) ? word.slice(0, passageLength) : word)) {
      for (const [place, weight] of weights.get(key)!) best.set(place, Math.max(weight, best.get(place) ?? 0))
    }
    const rarity = Math.log(1 + sections.length / best.size)
    for (const [place, weight] of best) {
      const score = scores.get(place) ?? { sum: 0, words: [] }
      score.sum += weight * rarity
      score.words.push(word)
      scores.set(place, score)
    }
  }
  return [...scores]
    .toSorted(([a, { sum, words }], [b, other]) => other.sum * other.words.length - sum * words.length || a - b)
    .slice(0, foundMax)
    .map(([place, { words }]) => ({ section: sections[place]!, words }))
}

const beginningWith = (words: ReadonlyArray<string>, start: string): ReadonlyArray<string> => {
  const from = firstFrom(words, start)
  if (start.length < beginningLength && !isChinese(start)) return words[from] === start ? [start] : []
  const some = words.slice(from, from + beginningsMax)
  const end = some.findIndex((word) => !word.startsWith(start))
  return end < 0 ? some : some.slice(0, end)
}

/** The index of the first word that does not sort before this one. */
const firstFrom = (words: ReadonlyArray<string>, word: string): number => {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (words[middle]! < word) low = middle + 1
    else high = middle
  }
  return low
}
