/** The search. Its index is one file, loaded when the search is first opened. */
import { find, type Found, type SearchIndex } from "@coffer/mcp/find"

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
