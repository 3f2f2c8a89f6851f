/**
 * The search. Its index is one file, loaded when the search is first opened. A passage matches if it or its title
 * contains all words of the query, by prefix; Chinese matches anywhere. Titles weigh most.
 */
import type { SearchIndex } from "../site.ts"

const foundMax = 12
const excerptLength = 150

interface Found {
  readonly path: string
  readonly title: string
  readonly heading: string
  readonly excerpt: string
  readonly score: number
}

/** A word within a text: by prefix, but Chinese has no spaces. */
const patternOf = (word: string): RegExp => {
  const text = word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
  return new RegExp(/\p{Script=Han}/u.test(word) ? text : `(?<![\\p{L}\\p{N}])${text}`, "iu")
}

export const find = ({ pages, passages }: SearchIndex, query: string): ReadonlyArray<Found> => {
  const patterns = query
    .split(/\s+/)
    .filter((word) => word !== "")
    .map(patternOf)
  if (patterns.length === 0) return []
  return passages
    .flatMap(([page, anchor, heading, text]): ReadonlyArray<Found> => {
      const [title, path] = pages[page]!
      let score = 0
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

const resultOf = ({ excerpt, heading, path, title }: Found): HTMLElement => {
  const item = document.createElement("li")
  const link = document.createElement("a")
  link.href = path
  const name = document.createElement("strong")
  name.textContent = heading === "" ? title : `${title} › ${heading}`
  const text = document.createElement("span")
  text.textContent = excerpt
  link.append(name, text)
  item.append(link)
  return item
}

export const startSearch = (address: string, nothing: string) => {
  const dialog = document.querySelector<HTMLDialogElement>("#finder")!
  const field = document.querySelector<HTMLInputElement>("#query")!
  const list = document.querySelector<HTMLElement>("#found")!
  let index: Promise<SearchIndex> | undefined

  const show = async () => {
    const found = find(await index!, field.value)
    list.replaceChildren(...found.map(resultOf))
    if (found.length === 0 && field.value.trim() !== "") list.textContent = nothing
  }
  const open = () => {
    index ??= fetch(address).then((response) => response.json() as Promise<SearchIndex>)
    dialog.showModal()
    field.select()
  }
  const links = () => [...list.querySelectorAll("a")]

  document.querySelector("#search")!.addEventListener("click", open)
  field.addEventListener("input", () => void show())
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName)
    if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault()
      open()
    }
  })
  dialog.addEventListener("keydown", (event) => {
    const all = links()
    if (event.key === "Enter" && event.target === field) {
      event.preventDefault()
      all[0]?.click()
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step === 0 || all.length === 0) return
    event.preventDefault()
    const at = all.indexOf(document.activeElement as HTMLAnchorElement) + step
    if (at < 0) field.focus()
    else all[Math.min(at, all.length - 1)]!.focus()
  })
  list.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("a") !== null) dialog.close()
  })
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close()
  })
}
