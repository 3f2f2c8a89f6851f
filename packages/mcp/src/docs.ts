/** The packaged documents for a model: a list, a search, and pages in parts. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { Effect } from "effect"
import { answerWith, answerError } from "./answers.ts"
import { type Index, indexOf, search, sectionsOf } from "./docsIndex.ts"
import { isRecord } from "./json.ts"

export interface Docs {
  /** By name: `errors`, `guides/refunds`. */
  readonly pages: () => ReadonlyMap<string, string>
  /** Made with the first search. */
  readonly index: Effect.Effect<Index>
}

/** Documents for the service's own engineers. */
const unread = /^(decisions|performance)\//

/** `from`: a file's folder; the documents are in the nearest `docs` above it. They are read once, on demand. */
export const docsAbove = (from: string): Docs => {
  let read: ReadonlyMap<string, string> | undefined
  let known: Index | undefined
  const pages = () => (read ??= readAll(folderAbove(from)))
  const index = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(indexOf(pages()), (made) => Effect.sync(() => void (known = made)))
      : Effect.succeed(known)
  )
  return { pages, index }
}

const folderAbove = (from: string): string | undefined => {
  const folder = path.join(from, "docs")
  if (existsSync(path.join(folder, "errors.md"))) return folder
  const parent = path.dirname(from)
  return parent === from ? undefined : folderAbove(parent)
}

const readAll = (folder: string | undefined): ReadonlyMap<string, string> => {
  if (folder === undefined) return new Map()
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md") && !unread.test(name))
    .toSorted()
  return new Map(names.map((name) => [name.slice(0, -3), readFileSync(path.join(folder, name), "utf8")]))
}

// The tools ----------------------------------------------------------------------

const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replace(/ /g, "-")

const foundMax = 8
const excerptLengthMax = 300
/** Characters of a page in one answer. */
const partLength = 12_000

const found = (index: Index, query: string) => {
  const found = search(index, query, foundMax).map(({ section, words }) => ({
    page: section.page,
    section: idOf(section.heading),
    heading: section.heading,
    excerpt: excerptOf(section.text, words)
  }))
  const text = found.map(({ excerpt, page, section }) => `${page}#${section}: ${excerpt}`).join("\n\n")
  return answerWith(text === "" ? "No results. docs_read without a page lists the pages." : text, { found })
}

const excerptOf = (text: string, words: ReadonlyArray<string>): string => {
  const lower = text.toLowerCase()
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)) - 80)
  return text.slice(at, at + excerptLengthMax).replace(/\s+/g, " ")
}

const read = (docs: Docs, { offset, page, section }: { page?: string; section?: string; offset: number }) => {
  const pages = docs.pages()
  if (page === undefined) {
    const list = [...pages].map(([name, text]) => ({ page: name, title: /^# (.*)$/m.exec(text)?.[1] ?? name }))
    return answerWith(list.map(({ page, title }) => `${page}: ${title}`).join("\n"), { pages: list })
  }
  const whole = pages.get(page.replace(/\.md$/, ""))
  if (whole === undefined)
    return answerError(`There is no page "${page.slice(0, 64)}". docs_read without a page lists them.`)
  const id = section === undefined ? undefined : idOf(section.replace(/^#/, ""))
  const chosen = id === undefined ? whole : sectionsOf([page, whole]).find(({ heading }) => idOf(heading) === id)?.text
  if (chosen === undefined) return answerError(`The page ${page} has no section "${section?.slice(0, 64)}".`)
  const text = chosen.slice(offset, offset + partLength)
  const next = offset + partLength < chosen.length ? { next_offset: offset + partLength } : {}
  return answerWith("next_offset" in next ? `${text}\n\n(More: offset ${next.next_offset})` : text, {
    page,
    text,
    ...next
  })
}

const text = (description: string) => ({ type: "string", maxLength: 200, description })

export const docsTools = [
  {
    name: "docs_search",
    title: "Search the documents",
    description: "Searches the documents of this version, and returns matching sections, best first.",
    inputSchema: {
      type: "object",
      properties: { query: text("A few words.") },
      required: ["query"],
      additionalProperties: false
    },
    run: (docs: Docs, args: unknown) => {
      const { query } = isRecord(args) ? args : {}
      return typeof query === "string"
        ? Effect.map(docs.index, (index) => found(index, query))
        : Effect.succeed(answerError("The argument query is required."))
    }
  },
  {
    name: "docs_read",
    title: "Read a document",
    description: "A page or one of its sections, in parts of 12,000 characters; without a page, the list of pages.",
    inputSchema: {
      type: "object",
      properties: {
        page: text("As in errors or testing."),
        section: text("As docs_search shows it."),
        offset: { type: "integer", minimum: 0, description: "For the next part." }
      },
      additionalProperties: false
    },
    run: (docs: Docs, args: unknown) => {
      const { offset, page, section } = isRecord(args) ? args : {}
      const part = read(docs, {
        ...(typeof page === "string" ? { page } : {}),
        ...(typeof section === "string" ? { section } : {}),
        offset: typeof offset === "number" && Number.isSafeInteger(offset) && offset > 0 ? offset : 0
      })
      return Effect.succeed(part)
    }
  }
] as const
