/** The whole site: each page's HTML and Markdown, the search index, and the texts for language models. */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { Api } from "@coffer/contract/Api"
import type { SearchIndex } from "@coffer/mcp/find"
import type { Texts } from "@coffer/mcp/texts"
import { OpenApi } from "effect/http-api"
import { errorPages, withLinksToPages } from "./errorPages.ts"
import { type Rendered, render, targetOf } from "./markdown.ts"
import { addressOf, isDocument, type Language, languageOfAddress, originalOf, type Page, sectionsOf } from "./places.ts"
import { wholeFilesIn, withLinksToFiles } from "./quotes.ts"
import { referencePages } from "./reference.ts"
import { type Assets, markdownPath, pageMarkup, pathTo } from "./shell.ts"

const repository = path.resolve(import.meta.dirname, "../../..")
const languages = ["en", "zh"] as const

export interface SitePage extends Page {
  readonly rendered: Rendered
}

const readText = (file: string) => readFileSync(path.join(repository, file), "utf8")

/** Paths of all documents, with a slash between folders. */
const documents = (): ReadonlyArray<string> => {
  const within = (folder: string) =>
    readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      path.posix.join(folder, name.replaceAll(path.sep, "/"))
    )
  const readmes = readdirSync(path.join(repository, "packages")).map((name) => `packages/${name}/README.md`)
  return [...within("docs"), ...readmes].filter(isDocument).toSorted()
}

const isTable = (file: string) => /^docs\/(zh\/)?errors\.md$/.test(file)

/** Groups of adjacent code. */
const codeGroups = /(?:^```[^]*?^```$\n?(?:\n(?=```))?)+/gm

/** A translation takes its code from the original page: `<!-- code 2 -->` is the second group. */
const withCodeOf = (text: string, original: string): string => {
  const groups = original.match(codeGroups) ?? []
  return text.replaceAll(
    /^<!-- code (\d+) -->$/gm,
    (mark, number: string) => groups[Number(number) - 1]?.trim() ?? mark
  )
}

const pageOfDocument = (file: string): Page => {
  const address = addressOf(file)
  const language = languageOfAddress(address)
  const own = readText(file)
  const text = language === "zh" ? withCodeOf(own, readText(originalOf(file))) : own
  return { address, language, source: file, markdown: isTable(file) ? withLinksToPages(text, language) : text }
}

export interface Site {
  readonly pages: ReadonlyArray<SitePage>
  readonly sections: Readonly<Record<Language, ReturnType<typeof sectionsOf>>>
  /** The URL of the page of a file in the repository. */
  readonly addressBySource: ReadonlyMap<string, string>
}

/** `root`: where the pages are, `/docs` at the service. */
export const makeSite = (root = "/docs"): Site => {
  const files = documents()
  const references = referencePages(OpenApi.fromApi(Api))
  const pages: ReadonlyArray<Page> = [
    ...files.map(pageOfDocument),
    ...files.filter(isTable).flatMap((file) => errorPages(readText(file), languageOfAddress(addressOf(file)))),
    ...references
  ]
  const addressBySource = new Map(pages.map(({ address, source }) => [source, address]))
  const surroundings = {
    pageOf: (file: string) => {
      const address = addressBySource.get(file)
      return address === undefined ? undefined : pathTo(root, address)
    },
    drawingOf: (file: string) => (file.endsWith(".svg") ? drawing(readText(file)) : undefined)
  }
  const entries = references.slice(1).map(({ address, title }) => [address, title] as const)
  return {
    addressBySource,
    sections: { en: sectionsOf("en", entries), zh: sectionsOf("zh", entries) },
    pages: pages.map((page) => ({
      ...page,
      rendered: render(page.markdown, { source: page.source, ...surroundings })
    }))
  }
}

/**
 * It is inlined, and coloured by the page's style sheet: the drawing's own colours are for other readers of the file.
 */
const drawing = (svg: string): string =>
  svg
    .slice(svg.indexOf("<svg"))
    .replaceAll(/<style>[^]*?<\/style>/g, "")
    .trim()

// Files --------------------------------------------------------------------------

export interface SiteFile {
  /** The path below the root of the host, such as `/docs/quickstart`. */
  readonly path: string
  readonly type: string
  readonly text: string
}

const html = "text/html; charset=utf-8"
const markdownType = "text/markdown; charset=utf-8"
const plainType = "text/plain; charset=utf-8"

export interface Place {
  readonly root: string
  readonly isServed: boolean
}

export const filesOf = (site: Site, assets: Assets, { isServed, root }: Place): ReadonlyArray<SiteFile> => {
  const addresses = new Set(site.pages.map(({ address }) => address))
  const host = root.replace(/\/docs$/, "")
  const pages = site.pages.flatMap((page): ReadonlyArray<SiteFile> => {
    const frame = { assets, sections: site.sections[page.language], addresses, root, isServed }
    const programs = page.language === "en" ? wholeFilesIn(page.markdown) : []
    return [
      { path: pathTo(root, page.address), type: html, text: pageMarkup(page, page.rendered, frame) },
      { path: markdownPath(root, page.address), type: markdownType, text: markdownOf(page, site, root) },
      ...programs.map(([name, text]) => ({ path: `${folderOf(root, page.address)}/${name}`, type: plainType, text }))
    ]
  })
  const first = pages.find(({ path }) => path === markdownPath(root, ""))!
  return [
    ...pages,
    { ...first, path: `${root}.md` },
    { path: `${root}/404`, type: html, text: missingPage(site, assets, { isServed, root }) },
    { path: `${host}/llms.txt`, type: plainType, text: shortText(site, root) },
    { path: `${host}/llms-full.txt`, type: plainType, text: fullText(site, root) }
  ]
}

/** Where the files are that a page quotes whole; a translation shows those of its original. */
const folderOf = (root: string, address: string): string =>
  path.posix.dirname(pathTo(root, address.replace(/^zh\//, "")))

const missingPage = (site: Site, assets: Assets, { isServed, root }: Place): string => {
  const markdown =
    "# Not here\n\nThis page is not in the documents of this version. The search (`/`) finds words of all " +
    `pages, and [the overview](${root}) leads to each.\n\n` +
    `这个版本的文档中没有这个页面。可以使用搜索，或回到[概览](${root}/zh)。\n`
  const page: Page = { address: "404", language: "en", source: "docs/404.md", markdown }
  const rendered = render(markdown, { source: page.source, pageOf: () => undefined, drawingOf: () => undefined })
  return pageMarkup(page, rendered, { assets, sections: site.sections.en, addresses: new Set(), root, isServed })
}

/** Links to documents lead to their Markdown. A file that is no page has no address here, so its link is only text. */
const markdownOf = ({ address, markdown, source }: Page, { addressBySource }: Site, root: string): string =>
  withLinksToFiles(markdown, folderOf(root, address)).replaceAll(
    /(?<!!)\[([^\]\n]*)\]\(((?!https?:|mailto:|#|\/)[^)\s]+)\)/g,
    (_, text: string, href: string) => {
      const [file, anchor] = targetOf(source, href)
      const address = addressBySource.get(file)
      if (address === undefined) return text
      return `[${text}](${markdownPath(root, address)}${anchor === "" ? "" : `#${anchor}`})`
    }
  )

/** The sections for developers of merchants, and those that they do not need. */
const developersSections: ReadonlySet<string> = new Set([
  "Start",
  "Concepts",
  "Guides",
  "Using the API",
  "开始",
  "概念",
  "指南"
])
const optionalSections: ReadonlySet<string> = new Set(["Operating", "Security", "Inside"])

/** https://llmstxt.org */
const shortText = (site: Site, root: string): string => {
  const byAddress = new Map(site.pages.map((page) => [page.address, page]))
  const all = languages.flatMap((language) =>
    site.sections[language].map(({ entries, title }) => {
      const own = entries.filter(([address]) => languageOfAddress(address) === language)
      const lines = own.map(([address, name]) => {
        const { description } = byAddress.get(address)!.rendered
        return `- [${name}](${markdownPath(root, address)})${description === "" ? "" : `: ${description}`}`
      })
      return { title, lines }
    })
  )
  const parts = all
    .filter(({ title }) => !optionalSections.has(title))
    .map(({ lines, title }) => `## ${title}\n\n${lines.join("\n")}`)
  const optional = all.filter(({ title }) => optionalSections.has(title)).flatMap(({ lines }) => lines)
  const intro =
    "# Coffer\n\n> A clustered merchant payment service: orders and a hosted checkout, refunds, disputes, payment " +
    "links, wallets with a provable ledger, and signed webhooks.\n\nEach page is Markdown at its address with `.md`. " +
    "The contract of all calls is `/openapi.json`, of one group `/openapi.json?group=orders`. " +
    `Each code of an error has a page: \`${root}/errors/{code}.md\`.\n\n` +
    "- Address: `/v1` of the host that serves this file. Each call has a key in the header `X-Api-Key`; `svc_test_…` " +
    "is the sandbox, where you also play the buyer and the bank.\n" +
    `- A key comes from the console (\`/console\`, under Keys), from the operator, or, where the service was started ` +
    `from its repository, from \`.coffer/credentials.json\`: ` +
    `[keys and authentication](${markdownPath(root, "basics/authentication")}).\n` +
    `- **Begin with [a whole shop](${markdownPath(root, "guides/shop")})**: a file each in Node, Python and PHP that ` +
    "buys, receives webhooks, refunds, cancels, reconciles and survives a restart. Download it " +
    `(\`${root}/guides/shop.mjs\`, \`shop.py\`, \`shop.php\`) and change it; in another language follow the PHP one, ` +
    "which needs no package.\n" +
    `- The SDKs ([JavaScript](${markdownPath(root, "sdk")}), [Python](${markdownPath(root, "python")})) come from ` +
    "this host: `npm install https://HOST/downloads/coffer-sdk.tgz`, and for Python the wheel that `/downloads` " +
    "lists. They are in no registry; packages of similar names there are others'. Plain HTTP is " +
    `enough: [recipes](${markdownPath(root, "guides/recipes")}) in curl, Node, Python, PHP and Go.\n` +
    `- MCP is at \`/mcp\`, with the same key: [agents](${markdownPath(root, "mcp")}).`
  return `${[intro, ...parts, `## Optional\n\n${optional.join("\n")}`].join("\n\n")}\n`
}

const fullText = (site: Site, root: string): string => {
  const addresses = site.sections.en
    .filter(({ title }) => developersSections.has(title))
    .flatMap(({ entries }) => entries.map(([address]) => address))
  const shown = [...addresses, "errors"].flatMap((address) => site.pages.filter((page) => page.address === address))
  return shown.map((page) => markdownOf(page, site, root)).join("\n---\n\n")
}

// Search -------------------------------------------------------------------------

/** Only the headings of decisions are indexed: few readers search their text. */
const isTitleOnly = (address: string) => address.startsWith("decisions/")

export const searchIndexOf = ({ pages, sections }: Site, language: Language, root: string): SearchIndex => {
  const own = pages.filter((page) => page.language === language)
  const guides = new Set(
    sections[language]
      .filter(({ title }) => developersSections.has(title))
      .flatMap(({ entries }) => entries.map(([address]) => address))
  )
  return {
    pages: own.map(({ address, rendered }) => [rendered.title, pathTo(root, address), guides.has(address)]),
    passages: own.flatMap(({ address, rendered }, index) =>
      rendered.passages
        .slice(0, isTitleOnly(address) ? 1 : undefined)
        .map(
          ({ body, depth, id, text }) =>
            [index, depth === 1 ? "" : id, depth === 1 ? "" : text, isTitleOnly(address) ? "" : body] as const
        )
    )
  }
}

/** All pages for agents: each in its sections, as Markdown, and the same search as in the browser. */
export const textsOf = (site: Site, root: string): Texts => ({
  pages: site.pages.map((page) => ({
    page: page.address === "" ? "index" : page.address,
    title: page.rendered.title,
    isGuide: site.sections[page.language].some(
      ({ entries, title }) => developersSections.has(title) && entries.some(([address]) => address === page.address)
    ),
    sections: page.rendered.passages.map(({ depth, id, source }) => ({
      id,
      depth,
      text: markdownOf({ ...page, markdown: source }, site, root)
    }))
  })),
  index: { en: searchIndexOf(site, "en", root), zh: searchIndexOf(site, "zh", root) }
})
