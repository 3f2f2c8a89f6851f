/**
 * Finds passages by words. A passage matches if it or its title contains all words of the query, by prefix; Chinese
 * matches anywhere. Titles weigh most, and a merchant's guides more than other pages.
 */
import type { SearchIndex } from "./site.ts"

const foundMax = 12
const excerptLength = 150

export interface Found {
  readonly path: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
  readonly score: number
}

/** How much more a page for merchants' developers weighs. */
const guideWeight = 8

/** Words of other services, and ours for the same. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["cancel", "expire"],
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

export const find = ({ pages, passages }: SearchIndex, query: string): ReadonlyArray<Found> => {
  const words = query.split(/\s+/).filter((word) => word !== "")
  if (words.length === 0) return []
  const patterns = words.map(patternOf)
  return passages
    .flatMap(([page, anchor, heading, text]): ReadonlyArray<Found> => {
      const [title, path, isGuide] = pages[page]!
      let score = isGuide ? guideWeight : 0
      for (const pattern of patterns) {
        const isInTitle = pattern.test(title)
        const own = pattern.test(heading) ? 8 : pattern.test(text) ? 2 : 0
        if (own === 0 && !isInTitle) return []
        score += own + (isInTitle ? (anchor === "" ? 12 : 3) : 0)
      }
      const target = anchor === "" ? path : `${path}#${anchor}`
      return [{ path: target, title, heading, excerpt: excerptOf(text, patterns), score }]
    })
    .toSorted((a, b) => b.score - a.score)
    .slice(0, foundMax)
}

const excerptOf = (text: string, patterns: ReadonlyArray<RegExp>): string => {
  const at = Math.max(
    0,
    Math.min(...patterns.map((pattern) => pattern.exec(text)?.index ?? Infinity).filter(Number.isFinite), Infinity)
  )
  const from = Number.isFinite(at) ? Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 30)) + 1) : 0
  return (from > 0 ? "… " : "") + text.slice(from, from + excerptLength)
}
