/**
 * Code that a page quotes from a program of this repository: a fence whose first line says `ts from FILE BEGINNING`, or
 * `ts from FILE` for the whole file, which the site then offers beside the page as it is.
 * `npm run quotes --workspace @coffer/site` copies the source into the pages, so that all readers of the files see it:
 * the site, agents, and people in the repository.
 */

const quoting = /^```(\w+) from (\S+)(?: (.+))?\n([^]*?)^```$/gm

/**
 * From the only line that begins so to the closing line with the same indentation, which is removed.
 */
export const quoteOf = (text: string, beginning: string): string => {
  const lines = text.split("\n")
  const [first, ...others] = lines.flatMap((line, index) => (line.trimStart().startsWith(beginning) ? [index] : []))
  if (first === undefined || others.length > 0) throw new Error(`not one line begins with ${beginning}`)
  const indent = /^ */.exec(lines[first]!)![0]
  const isEnd = (line: string) => line.startsWith(`${indent}}`) || line.startsWith(`${indent})`)
  const end = lines.findIndex((line, index) => index > first && isEnd(line))
  return lines
    .slice(first, end < 0 ? first + 1 : end + 1)
    .map((line) => line.replace(indent, ""))
    .join("\n")
}

/** A page with updated quotes. `read`: reads a file of the repository. */
export const withQuotes = (markdown: string, read: (file: string) => string): string =>
  markdown.replaceAll(quoting, (_, language: string, file: string, beginning: string | undefined) => {
    const [place, code] =
      beginning === undefined ? ["", read(file).trimEnd()] : [` ${beginning}`, quoteOf(read(file), beginning)]
    return `\`\`\`${language} from ${file}${place}\n${code}\n\`\`\``
  })

/** For an agent, which reads the one file that it needs: a page with links in place of files that it quotes whole. */
export const withLinksToFiles = (markdown: string, folder: string): string =>
  markdown
    .replaceAll(quoting, (whole, _, file: string, beginning: string | undefined) => {
      if (beginning !== undefined) return whole
      const name = file.slice(file.lastIndexOf("/") + 1)
      return `- [${name}](${folder}/${name})`
    })
    .replaceAll(/^(- \[.*\))\n\n(?=- \[)/gm, "$1\n")

/** The files that a page quotes whole, by their names. */
export const wholeFilesIn = (markdown: string): ReadonlyArray<readonly [name: string, text: string]> =>
  [...markdown.matchAll(quoting)].flatMap(([, , file = "", beginning, text = ""]) =>
    beginning === undefined ? [[file.slice(file.lastIndexOf("/") + 1), text] as const] : []
  )
