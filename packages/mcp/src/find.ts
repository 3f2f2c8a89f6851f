/**
 * Finds passages of the documents by words: the search of the site, in the browser, and that of agents. A word matches
 * by prefix in a passage or its page's title, Chinese anywhere. Passages with all words come first, and if none has
 * all, those with most. Titles weigh most, and a merchant's guides more than other pages.
 */

/** `[title, path, isGuide]` of each page, and `[page, anchor, heading, text]` of each passage. */
export interface SearchIndex {
  readonly pages: ReadonlyArray<readonly [title: string, path: string, isGuide: boolean]>
  readonly passages: ReadonlyArray<Passage>
}
export type Passage = readonly [page: number, anchor: string, heading: string, text: string]

export const foundMax = 12
const excerptLength = 150

export interface Found {
  readonly path: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
  readonly score: number
}

/** A passage with some of the words. */
interface Match extends Omit<Found, "excerpt"> {
  readonly words: number
  readonly text: string
}

/** How much more a page for merchants' developers weighs. */
const guideWeight = 8

/** What of a query is read: each word is looked for in each passage. */
const [queryWordsMax, wordLengthMax] = [12, 40]

/** Words that questions have, and that say nothing of what is asked. They count where a query has no others. */
const fillers = new Set(
  "a an and can do does for from get how i in is it my of on the to too many what when with".split(" ")
)

/** Words of other services, and ours for the same. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["429", "rate limit"],
  ["cancel", "close"],
  ["partial", "part"],
  ["nextjs", "next.js"],
  ["sample", "recipe"],
  ["settlement", "payout"],
  ["cancel_url", "return_url"],
  ["success_url", "return_url"],
  ["chargeback", "dispute"],
  ["charge", "order"],
  ["callback", "webhook"],
  ["ipn", "webhook"],
  ["ngrok", "coffer listen"],
  ["tunnel", "coffer listen"],
  ["throttling", "rate limit"],
  ["withdrawal", "payout"],
  ["offset", "pagination"],
  ["token", "key"]
])

/** A word within a text, or ours for it: by prefix, but Chinese has no spaces. */
const patternOf = (word: string): RegExp => {
  const other = synonyms.get(word.toLowerCase())
  const text = [word, ...(other === undefined ? [] : [other])]
    .map((each) => each.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("|")
  return new RegExp(/\p{Script=Han}/u.test(word) ? text : `(?<![\\p{L}\\p{N}])(?:${text})`, "iu")
}

export interface Query {
  readonly patterns: ReadonlyArray<RegExp>
  /** The passages of these that have some of its words. */
  readonly matches: (pages: SearchIndex["pages"], passages: ReadonlyArray<Passage>) => ReadonlyArray<Match>
}

export const queryOf = (text: string): Query => {
  const words = text
    .slice(0, queryWordsMax * wordLengthMax)
    .split(/\s+/)
    .filter((word) => word !== "")
  const telling = words.filter((word) => !fillers.has(word.toLowerCase()))
  const patterns = [...new Set(telling.length === 0 ? words : telling)]
    .slice(0, queryWordsMax)
    .map((word) => patternOf(word.slice(0, wordLengthMax)))
  return {
    patterns,
    matches: (pages, passages) =>
      passages.flatMap(([page, anchor, heading, text]): ReadonlyArray<Match> => {
        const [title, path, isGuide] = pages[page]!
        let [score, found] = [isGuide ? guideWeight : 0, 0]
        for (const pattern of patterns) {
          const isInTitle = pattern.test(title)
          const own = pattern.test(heading) ? 8 : pattern.test(text) ? 2 : 0
          if (own === 0 && !isInTitle) continue
          found++
          score += own + (isInTitle ? (anchor === "" ? 12 : 3) : 0)
        }
        const target = anchor === "" ? path : `${path}#${anchor}`
        return found === 0 ? [] : [{ path: target, title, heading, text, score, words: found }]
      })
  }
}

/** The best, each with an excerpt. */
export const bestOf = (matches: ReadonlyArray<Match>, { patterns }: Query, count = foundMax): ReadonlyArray<Found> => {
  const most = matches.reduce((max, { words }) => Math.max(max, words), 0)
  const least = most === patterns.length ? most : Math.max(1, most - 1)
  return matches
    .filter(({ words }) => words >= least)
    .toSorted((a, b) => b.words - a.words || b.score - a.score)
    .slice(0, count)
    .map(({ heading, path, score, text, title }) => ({
      path,
      title,
      heading,
      score,
      excerpt: excerptOf(text, patterns)
    }))
}

export const find = ({ pages, passages }: SearchIndex, text: string): ReadonlyArray<Found> => {
  const query = queryOf(text)
  return bestOf(query.matches(pages, passages), query)
}

const excerptOf = (text: string, patterns: ReadonlyArray<RegExp>): string => {
  const at = Math.max(
    0,
    Math.min(...patterns.map((pattern) => pattern.exec(text)?.index ?? Infinity).filter(Number.isFinite), Infinity)
  )
  const from = Number.isFinite(at) ? Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 30)) + 1) : 0
  return (from > 0 ? "… " : "") + text.slice(from, from + excerptLength)
}
