/**
 * The page around a document: head, navigation, contents, and previous and next links. No script or style is inline.
 */
import { icon } from "@coffer/console/tokens"
import { escaped } from "./highlight.ts"
import type { Rendered } from "./markdown.ts"
import { type Entry, type Language, type Page, type Section, twinOf } from "./places.ts"

interface Words {
  readonly skip: string
  readonly menu: string
  readonly documents: string
  readonly search: string
  readonly here: string
  readonly other: string
  readonly theme: string
  readonly previous: string
  readonly next: string
  readonly asText: string
  readonly copyPage: string
  readonly copy: string
  readonly copied: string
  readonly nothing: string
  readonly close: string
  readonly tryOut: string
}

export const words: Readonly<Record<Language, Words>> = {
  en: {
    skip: "To the text",
    menu: "Contents",
    documents: "Documents",
    search: "Search",
    here: "On this page",
    other: "中文",
    theme: "Light or dark",
    previous: "Previous",
    next: "Next",
    asText: "This page as Markdown",
    copyPage: "Copy the page",
    copy: "Copy",
    copied: "Copied",
    nothing: "Nothing found. Try another word.",
    close: "Close",
    tryOut: "Try calls out"
  },
  zh: {
    skip: "跳到正文",
    menu: "目录",
    documents: "文档",
    search: "搜索",
    here: "本页内容",
    other: "English",
    theme: "浅色或深色",
    previous: "上一页",
    next: "下一页",
    asText: "本页的 Markdown 版本",
    copyPage: "复制本页",
    copy: "复制",
    copied: "已复制",
    nothing: "没有找到，换个词试试。",
    close: "关闭",
    tryOut: "在线试用 API"
  }
}

export interface Assets {
  readonly sheet: string
  readonly theme: string
  readonly script: string
  readonly index: Readonly<Record<Language, string>>
}

export interface Frame {
  readonly assets: Assets
  readonly sections: ReadonlyArray<Section>
  /** The addresses of all pages. */
  readonly addresses: ReadonlySet<string>
  /** `/docs`, or the root at a static host. */
  readonly root: string
  /** Whether it is served by a service, which can run calls. */
  readonly isServed: boolean
}

export const pathTo = (root: string, address: string): string => (address === "" ? root : `${root}/${address}`)

export const pageMarkup = (page: Page, rendered: Rendered, frame: Frame): string => {
  const { assets, root } = frame
  const { language } = page
  const texts = words[language]
  const asset = (name: string) => `${root}/assets/${name}`
  const twin = twinOf(page.address)
  const home = language === "zh" ? "zh" : ""
  const otherHome = language === "zh" ? "" : "zh"
  const hasTwin = frame.addresses.has(twin)
  const otherLanguage = language === "zh" ? "en" : "zh"
  const title = page.address === home ? "Coffer" : `${rendered.title} · Coffer`
  return `<!doctype html>
<html lang="${language === "zh" ? "zh-CN" : "en"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(rendered.description)}">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${asset(assets.sheet)}">
<link rel="alternate" type="text/markdown" href="${markdownPath(root, page.address)}">
${hasTwin ? `<link rel="alternate" hreflang="${otherLanguage}" href="${pathTo(root, twin)}">` : ""}
<script src="${asset(assets.theme)}"></script>
<script type="module" src="${asset(assets.script)}" id="script" data-index="${asset(assets.index[language])}"
 data-copy="${texts.copy}" data-copied="${texts.copied}" data-nothing="${texts.nothing}"></script>
</head>
<body>
<a class="skip" href="#text">${texts.skip}</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="way">${texts.menu}</button>
<a class="brand" href="${pathTo(root, home)}">Coffer</a>
<button type="button" id="search" aria-haspopup="dialog">
<span>${texts.search}</span><kbd aria-hidden="true">/</kbd></button>
<a class="language" lang="${otherLanguage}" href="${pathTo(root, hasTwin ? twin : otherHome)}">${texts.other}</a>
<button type="button" id="theme" aria-label="${texts.theme}" title="${texts.theme}">
<span aria-hidden="true">◐</span></button>
</header>
<div class="frame">
<nav id="way" aria-label="${texts.documents}">
${frame.sections.map((section) => sectionMarkup(section, page.address, root)).join("\n")}
${frame.isServed ? `<p class="more"><a href="${root}/try">${texts.tryOut}</a></p>` : ""}
</nav>
<main id="text" tabindex="-1">
<article>
${rendered.markup}</article>
<footer>
${wayOn(page.address, frame, texts)}
<p><a id="markdown" href="${markdownPath(root, page.address)}">${texts.asText}</a>
<button type="button" id="copy-page" hidden>${texts.copyPage}</button>
· <a href="${root.replace(/\/docs$/, "")}/llms.txt">llms.txt</a></p>
</footer>
</main>
${contents(rendered, texts)}
</div>
<dialog id="finder" aria-label="${texts.search}">
<form method="dialog">
<input type="search" id="query" aria-label="${texts.search}" placeholder="${texts.search}" autocomplete="off"
 spellcheck="false">
<button>${texts.close}</button></form>
<ol id="found" aria-live="polite"></ol>
</dialog>
</body>
</html>
`
}

export const markdownPath = (root: string, address: string): string =>
  `${pathTo(root, address === "" ? "index" : address)}.md`

const sectionMarkup = ({ entries, title }: Section, current: string, root: string): string => {
  const isOpen = entries.some(([address]) => isWithin(current, address))
  const items = entries.map(([address, name]) => {
    const mark = address === current ? ' aria-current="page"' : ""
    return `<li><a href="${pathTo(root, address)}"${mark}>${escaped(name)}</a></li>`
  })
  return `<details${isOpen ? " open" : ""}><summary>${title}</summary><ul>${items.join("")}</ul></details>`
}

/** An error's page belongs to the section of the table, a decision's to that of the decisions. */
const isWithin = (current: string, address: string): boolean =>
  current === address || (/^(zh\/)?(errors|decisions)$/.test(address) && current.startsWith(`${address}/`))

const wayOn = (address: string, { root, sections }: Frame, texts: Words): string => {
  const all = sections.flatMap(({ entries }) => entries)
  const at = all.findIndex(([each]) => each === address)
  if (at < 0) return ""
  const link = (entry: Entry | undefined, name: string, rel: string) =>
    entry === undefined
      ? ""
      : `<a rel="${rel}" href="${pathTo(root, entry[0])}"><small>${name}</small>${escaped(entry[1])}</a>`
  return `<p class="on">${link(all[at - 1], texts.previous, "prev")}${link(all[at + 1], texts.next, "next")}</p>`
}

/** The second level of headings, and for a short page the third. */
const contents = ({ headings }: Rendered, texts: Words): string => {
  const second = headings.filter(({ depth }) => depth === 2)
  const shown = second.length > 1 ? second : headings.filter(({ depth }) => depth === 3)
  if (shown.length < 2) return `<div class="here"></div>`
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`)
  return `<nav class="here" aria-label="${texts.here}"><p>${texts.here}</p><ul>${items.join("")}</ul></nav>`
}
