/**
 * The pages' script: copying, tabs, the menu on phones, light and dark, and the search. Pages are readable without it.
 */
import { copyButtons, copyPageButton } from "./copying.ts"
import { startSearch } from "./searching.ts"
import { tabs } from "./tabs.ts"

const texts = document.querySelector<HTMLElement>("#script")!.dataset as Readonly<Record<string, string>>

const menu = document.querySelector<HTMLButtonElement>("#menu")!
const setMenu = (isOpen: boolean) => {
  menu.setAttribute("aria-expanded", String(isOpen))
  document.documentElement.classList.toggle("with-menu", isOpen)
}
menu.addEventListener("click", () => setMenu(menu.getAttribute("aria-expanded") !== "true"))
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") setMenu(false)
})

document.querySelector("#theme")!.addEventListener("click", () => {
  const root = document.documentElement
  const isDark =
    root.dataset["theme"] === "dark" ||
    (root.dataset["theme"] === undefined && matchMedia("(prefers-color-scheme: dark)").matches)
  root.dataset["theme"] = isDark ? "light" : "dark"
  try {
    localStorage.setItem("coffer-theme", root.dataset["theme"])
  } catch {
    // Then it applies to this page only.
  }
})

tabs()
copyButtons(texts["copy"]!, texts["copied"]!)
copyPageButton(texts["copied"]!)
startSearch(texts["index"]!, texts["nothing"]!)
document.querySelector("nav [aria-current=page]")?.scrollIntoView({ block: "nearest" })
