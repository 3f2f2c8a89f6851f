/**
 * Renders Markdown to HTML: headings with anchors, highlighted code, inline drawings, links to other documents as links
 * to their pages, and the passages for the search. HTML inside Markdown is shown as text.
 */
import path from "node:path"
import { Marked, type Tokens } from "marked"
import { escaped, highlight } from "./highlight.ts"

export interface Heading {
  readonly depth: number
  readonly id: string
  readonly text: string
}

/** A heading and the text below it, up to the next one. */
export interface Passage extends Heading {
  readonly body: string
  /** As it is written, with the heading. */
  readonly source: string
}

export interface Rendered {
  readonly title: string
  readonly description: string
  readonly markup: string
  readonly headings: ReadonlyArray<Heading>
  readonly passages: ReadonlyArray<Passage>
  /** Each link as written in the document. */
  readonly links: ReadonlyArray<string>
}

export interface Surroundings {
  /** The path of the document in the repository. */
  readonly source: string
  /** The URL of a page by the path of its document in the repository; undefined if it is not a page. */
  readonly pageOf: (path: string) => string | undefined
  /** The text of a drawing. */
  readonly drawingOf: (path: string) => string | undefined
}

const isElsewhere = (href: string) => /^[a-z]+:/.test(href)

/** The target of a document's link: a path in the repository and an anchor. */
export const targetOf = (source: string, href: string): readonly [path: string, anchor: string] => {
  const [file = "", anchor = ""] = href.split("#")
  return [file === "" ? source : path.posix.join(path.posix.dirname(source), decodeURI(file)), anchor]
}

/** GitHub's anchors, so that a link works there and here. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const plain = (tokens: ReadonlyArray<Tokens.Generic> | undefined): string =>
  (tokens ?? []).map((token) => (token["tokens"] === undefined ? textOf(token) : plain(token["tokens"]))).join("")

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&"
}
const textOf = (token: Tokens.Generic): string =>
  String(token["text"] ?? token.raw).replaceAll(/&(lt|gt|quot|#39|amp);/g, (entity) => entities[entity]!)

/** The text of a block, for the search. */
const blockText = (token: Tokens.Generic): string => {
  if (token.type === "table") {
    const table = token as Tokens.Table
    return [table.header, ...table.rows].map((row) => row.map((cell) => plain(cell.tokens)).join(" ")).join(". ")
  }
  if (token.type === "list")
    return (token as Tokens.List).items.map((item) => item.tokens.map(blockText).join(" ")).join(" ")
  if (token.type === "blockquote") return (token.tokens ?? []).map(blockText).join(" ")
  if (token.type === "code") return (token as Tokens.Code).text
  return plain(token.tokens)
}

const fenceNames: Readonly<Record<string, string>> = { sh: "curl", js: "Node", python: "Python", php: "PHP", go: "Go" }

/** Adjacent fences without text between them show the same in several languages. */
const withTabs = (tokens: ReadonlyArray<Tokens.Generic>, code: (token: Tokens.Code) => string) => {
  const tabs = tokens as ReadonlyArray<Tokens.Code>
  const languages = tabs.map(({ lang }) => (lang ?? "").split(" ")[0]!)
  if (
    tabs.length < 2 ||
    languages.some((name) => fenceNames[name] === undefined) ||
    new Set(languages).size < tabs.length
  )
    return tabs.map(code).join("")
  const parts = tabs.map(
    (token, index) =>
      `<section data-tab="${languages[index]!}"><h6>${fenceNames[languages[index]!]!}</h6>${code(token)}</section>`
  )
  return `<div class="tabs">${parts.join("")}</div>`
}

const codeMarkup = ({ lang, text }: Tokens.Code): string => {
  const language = (lang ?? "").split(" ")[0]!
  return `<pre tabindex="0"><code>${highlight(text, language)}</code></pre>\n`
}

/** A renderer, with the headings and links that it has found. */
const rendering = ({ drawingOf, pageOf, source }: Surroundings) => {
  const links: Array<string> = []
  const headings: Array<Heading> = []
  const used = new Map<string, number>()

  const hrefOf = (href: string): string | undefined => {
    if (isElsewhere(href) || href.startsWith("#") || href.startsWith("/")) return href
    const [file, anchor] = targetOf(source, href)
    const page = pageOf(file)
    return page === undefined ? undefined : page + (anchor === "" ? "" : `#${anchor}`)
  }
  const idOf = (text: string): string => {
    const slug = slugOf(text)
    const times = used.get(slug) ?? 0
    used.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  }

  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ depth, tokens }) {
        const text = plain(tokens)
        const id = idOf(text)
        headings.push({ depth, id, text })
        const inner = this.parser.parseInline(tokens)
        const anchor = `<a class="anchor" href="#${id}" aria-label="${escaped(text)}">#</a>`
        return depth === 1 ? `<h1>${inner}</h1>\n` : `<h${depth} id="${id}">${inner}${anchor}</h${depth}>\n`
      },
      link({ href, tokens }) {
        links.push(href)
        const inner = this.parser.parseInline(tokens)
        const to = hrefOf(href)
        return to === undefined ? inner : `<a href="${escaped(to)}">${inner}</a>`
      },
      image({ href, text }) {
        links.push(href)
        const [file] = targetOf(source, href)
        const drawing = drawingOf(file)
        return drawing === undefined
          ? escaped(text)
          : `<figure tabindex="0">${drawing.replace("<svg", `<svg role="img" aria-label="${escaped(text)}"`)}</figure>`
      },
      table(token) {
        const inner = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens)
        // On a phone cells are stacked, and in wide tables labelled with their column. Screen readers ignore a table
        // whose cells are blocks, unless it has roles.
        const names = token.header.map(({ tokens }) => plain(tokens))
        const nameOf = (column: number) =>
          names.length > 2 && column > 0 && names[column] !== "" ? ` data-column="${escaped(names[column]!)}"` : ""
        const row = (cells: string) => `<tr role="row">${cells}</tr>`
        const rows = token.rows.map((cells) =>
          row(cells.map((cell, column) => `<td role="cell"${nameOf(column)}>${inner(cell)}</td>`).join(""))
        )
        const head = row(token.header.map((cell) => `<th role="columnheader">${inner(cell)}</th>`).join(""))
        const parts = `<thead role="rowgroup">${head}</thead><tbody role="rowgroup">${rows.join("\n")}</tbody>`
        return `<div class="table" tabindex="0"><table role="table">${parts}</table></div>\n`
      },
      code: codeMarkup,
      html: ({ text }) => (text.startsWith("<!--") ? "" : escaped(text))
    }
  })
  return { headings, links, marked }
}

/** Groups adjacent pieces of code. */
const grouped = (tokens: ReadonlyArray<Tokens.Generic>): ReadonlyArray<ReadonlyArray<Tokens.Generic>> => {
  const groups: Array<Array<Tokens.Generic>> = []
  for (const token of tokens) {
    if (token.type === "space") continue
    const last = groups.at(-1)
    if (token.type === "code" && last?.[0]?.type === "code") last.push(token)
    else groups.push([token])
  }
  return groups
}

/** What is written from each heading to the next. What stands before the first heading belongs to it. */
const sourcesOf = (tokens: ReadonlyArray<Tokens.Generic>): ReadonlyArray<string> => {
  const sources: Array<string> = []
  let before = ""
  for (const { raw, type } of tokens) {
    if (type === "heading") sources.push(sources.length === 0 ? before + raw : raw)
    else if (sources.length === 0) before += raw
    else sources.push(sources.pop()! + raw)
  }
  return sources
}

/** The search finds a whole program by the words beside it. */
const isWholeFile = ({ lang }: Tokens.Generic): boolean => /^\w+ from \S+$/.test((lang as string | undefined) ?? "")

export const render = (markdown: string, surroundings: Surroundings): Rendered => {
  const { headings, links, marked } = rendering(surroundings)
  const passages: Array<{ readonly depth: number; readonly text: string; readonly blocks: Array<string> }> = []
  let markup = ""
  const tokens = marked.lexer(markdown)
  for (const group of grouped(tokens)) {
    const token = group[0]!
    if (token.type === "heading") passages.push({ depth: token["depth"], text: plain(token["tokens"]), blocks: [] })
    else if (token.type !== "html") {
      passages.at(-1)?.blocks.push(...group.filter((each) => !isWholeFile(each)).map(blockText))
    }
    markup += token.type === "code" ? withTabs(group, codeMarkup) : marked.parser([token] as never)
  }
  const first = tokens.find(({ type }) => type === "paragraph")
  const sources = sourcesOf(tokens)
  return {
    title: headings[0]?.text ?? "",
    description: first === undefined ? "" : blockText(first).replaceAll(/\s+/g, " ").slice(0, 200),
    markup: markup.replaceAll(/<p>(<figure[^]*?<\/figure>)<\/p>/g, "$1"),
    headings,
    passages: passages.map(({ blocks, depth, text }, index) => ({
      depth,
      text,
      id: headings[index]!.id,
      source: sources[index]!,
      body: blocks.join(" ").replaceAll(/\s+/g, " ").trim()
    })),
    links
  }
}
