/** The documents for a model: a list, a search, and pages in parts. They are the pages of `/docs`, and its search. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { gunzipSync } from "node:zlib"
import { Effect, Option } from "effect"
import { answerError, answerWith } from "./answers.ts"
import { bestOf, queryOf, type SearchIndex } from "./find.ts"
import { isRecord, parseJson } from "./json.ts"
import { type TextPage, type Texts, textsFile } from "./texts.ts"

export interface Docs {
  /** Undefined if this copy of the program has none. */
  readonly texts: Effect.Effect<Texts | undefined>
  /** The pages, unless the documents still have to be built. */
  readonly pages: () => ReadonlyArray<TextPage>
}

/**
 * `from`: a file's folder; the documents are those of the nearest site above it. They are read once, on demand, and in
 * a repository built before, by the first who asks.
 */
export const docsAbove = (from: string): Docs => {
  const folder = siteAbove(from)
  let known: Texts | undefined
  let building: Promise<void> | undefined
  const read = () => (known ??= folder === undefined ? undefined : readTexts(path.join(folder, "dist", textsFile)))
  const texts = Effect.suspend(() => {
    if (folder === undefined || read() !== undefined) return Effect.succeed(known)
    return Effect.map(
      Effect.promise(() => (building ??= build(path.join(folder, "scripts/build.ts")))),
      read
    )
  })
  return { texts, pages: () => read()?.pages ?? [] }
}

const siteAbove = (from: string): string | undefined => {
  const folder = path.join(from, "packages/site")
  if (existsSync(folder)) return folder
  const parent = path.dirname(from)
  return parent === from ? undefined : siteAbove(parent)
}

const readTexts = (file: string): Texts | undefined =>
  existsSync(file)
    ? (Option.getOrUndefined(parseJson(gunzipSync(readFileSync(file)).toString())) as Texts | undefined)
    : undefined

/** It goes on without its reader. */
const build = (program: string): Promise<void> =>
  new Promise((resolve) => {
    if (!existsSync(program)) return resolve()
    const child = spawn(process.execPath, [program], { stdio: "ignore" })
    for (const event of ["error", "close"]) child.on(event, () => resolve())
  })

// The tools ----------------------------------------------------------------------

const foundCount = 8
/** Passages between two turns of others. */
const slice = 100
/** Characters of a page in one answer. */
const partLength = 12_000

const pageOf = (address: string): string =>
  address
    .replace(/^(coffer:\/\/docs|\/docs)?\/?/, "")
    .replace(/#.*$/, "")
    .replace(/\.md$/, "") || "index"

const searched = Effect.fnUntraced(function* (index: SearchIndex, words: string) {
  const query = queryOf(words)
  const matches = []
  for (let from = 0; from < index.passages.length; from += slice) {
    matches.push(...query.matches(index.pages, index.passages.slice(from, from + slice)))
    yield* Effect.yieldNow
  }
  const found = bestOf(matches, query, foundCount).map(({ excerpt, heading, path, title }) => ({
    page: pageOf(path),
    section: path.split("#")[1] ?? "",
    heading: heading === "" ? title : heading,
    excerpt
  }))
  const text = found.map(({ excerpt, heading, page, section }) => {
    return `${page}${section === "" ? "" : `#${section}`} (${heading}): ${excerpt}`
  })
  return answerWith(text.join("\n\n") || "No results. docs_read without a page lists the pages.", { found })
})

/** Pages that a list names only by their folder: one for each error, and the reasons of engineers. */
const unlisted = /^(zh\/)?(errors|decisions)\/./

const listed = (all: ReadonlyArray<TextPage>) => {
  const pages = all
    .filter(({ page }) => !unlisted.test(page))
    .map(({ isGuide, page, title }) => ({ page, title, isGuide }))
  const lines = pages.filter(({ isGuide }) => isGuide).map(({ page, title }) => `${page}: ${title}`)
  const others = pages.filter(({ isGuide }) => !isGuide).map(({ page }) => page)
  const text = [...lines, "", `Others: ${others.join(", ")}, and errors/CODE for each error.`].join("\n")
  return answerWith(text, { pages: pages.map(({ page, title }) => ({ page, title })) })
}

interface Place {
  readonly page?: string
  readonly section?: string
  readonly offset: number
}

const read = ({ pages }: Texts, { offset, page, section }: Place) => {
  if (page === undefined) return listed(pages)
  const name = pageOf(page)
  const found = pages.find((each) => each.page === name)
  if (found === undefined) {
    return answerError(`There is no page "${page.slice(0, 64)}". docs_read without a page lists them.`)
  }
  const anchor = section ?? page.split("#")[1]
  const chosen = anchor === undefined || anchor === "" ? wholeOf(found) : sectionOf(found, anchor)
  if (chosen === undefined) {
    const ids = found.sections.map(({ id }) => id).join(", ")
    return answerError(
      `The page ${name} has no section "${anchor?.slice(0, 64)}". Its sections: ${ids.slice(0, 2_000)}.`
    )
  }
  const text = chosen.slice(offset, offset + partLength)
  const next = offset + partLength < chosen.length ? { next_offset: offset + partLength } : {}
  return answerWith("next_offset" in next ? `${text}\n\n(More: offset ${next.next_offset})` : text, {
    page: name,
    text,
    ...next
  })
}

export const wholeOf = ({ sections }: TextPage): string => sections.map(({ text }) => text).join("")

/** The section with this anchor or heading, and those below it. */
const sectionOf = ({ sections }: TextPage, anchor: string): string | undefined => {
  const id = idOf(anchor.replace(/^#/, ""))
  const from = sections.findIndex((each) => each.id === id)
  if (from < 0) return undefined
  const next = sections.findIndex(({ depth }, index) => index > from && depth <= sections[from]!.depth)
  return sections
    .slice(from, next < 0 ? undefined : next)
    .map(({ text }) => text)
    .join("")
}

/** An anchor, of a heading as well. */
const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const none = answerError("This copy of the program has no documents.")

const text = (description: string) => ({ type: "string", description })

export const docsTools = [
  {
    name: "docs_search",
    description: "Search the documents. Guides for merchants come first.",
    inputSchema: { type: "object", properties: { query: text("A few words.") }, required: ["query"] },
    run: Effect.fnUntraced(function* (docs: Docs, args: unknown) {
      const { query } = isRecord(args) ? args : {}
      if (typeof query !== "string") return answerError("The argument query is required: docs_search takes query.")
      const texts = yield* docs.texts
      return texts === undefined
        ? none
        : yield* searched(/\p{Script=Han}/u.test(query) ? texts.index.zh : texts.index.en, query)
    })
  },
  {
    name: "docs_read",
    description: "Read a page or a section of the documents, in parts; without a page, the list of pages.",
    inputSchema: {
      type: "object",
      properties: {
        page: text("As in errors or guides/refunds."),
        section: text("As docs_search shows it."),
        offset: { type: "integer", description: "For the next part." }
      }
    },
    run: Effect.fnUntraced(function* (docs: Docs, args: unknown) {
      const { offset, page, section } = isRecord(args) ? args : {}
      const texts = yield* docs.texts
      if (texts === undefined) return none
      return read(texts, {
        ...(typeof page === "string" ? { page } : {}),
        ...(typeof section === "string" ? { section } : {}),
        offset: typeof offset === "number" && Number.isSafeInteger(offset) && offset > 0 ? offset : 0
      })
    })
  }
] as const
