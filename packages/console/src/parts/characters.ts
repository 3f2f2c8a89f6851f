/** Converts texts to traditional characters by a table, in the browser and in the build that makes the table. */

export interface Table {
  /** A simplified character before its traditional one. */
  readonly characters: string
  readonly phrases: Readonly<Record<string, string>>
}

/** Phrases first, the longest before the others; then character by character. */
export const converterBy = ({ characters, phrases }: Table): ((text: string) => string) => {
  const each = Array.from(characters)
  const known = new Map(each.flatMap((from, at) => (at % 2 === 0 ? [[from, each[at + 1]!] as const] : [])))
  const longestFirst = Object.keys(phrases).toSorted((a, b) => b.length - a.length)
  const escaped = longestFirst.map((phrase) => phrase.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&"))
  const parts = new RegExp([...escaped, "[\\p{Script=Han}“”]"].join("|"), "gu")
  return (text) => text.replaceAll(parts, (part) => phrases[part] ?? known.get(part) ?? part)
}
