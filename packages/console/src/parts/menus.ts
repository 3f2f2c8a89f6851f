/**
 * Menus: one is open at a time, and a click elsewhere or Escape closes it. Escape returns the focus to its button. The
 * popup of an open menu is within the window, wherever its button is.
 */

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")

const closeMenus = (except?: Node | null) => {
  for (const menu of openMenus()) {
    // A dialog that was opened from a menu is a part of it.
    if (except === undefined || except === null || !menu.contains(except)) menu.open = false
  }
}

/** Pixels between a popup and the edge of the window. */
const margin = 8

/** By its stylesheet a popup hangs below its button, the right edges in line. What is beyond the window moves back. */
const placeMenu = (menu: HTMLDetailsElement) => {
  const popup = menu.querySelector<HTMLElement>(":scope > .popup")
  if (popup === null) return
  for (const name of ["translate", "top", "bottom", "max-height"]) popup.style.removeProperty(name)
  const { clientHeight, clientWidth } = document.documentElement
  const button = menu.getBoundingClientRect()
  const [above, below] = [button.top - 2 * margin, clientHeight - button.bottom - 2 * margin]
  const isAbove = popup.offsetHeight > below && above > below
  if (isAbove) {
    popup.style.setProperty("top", "auto")
    popup.style.setProperty("bottom", `calc(100% + ${margin}px)`)
  }
  if (popup.offsetHeight > Math.max(above, below)) {
    popup.style.setProperty("max-height", `${isAbove ? above : below}px`)
  }
  const { left, right } = popup.getBoundingClientRect()
  const shift = Math.max(margin - left, Math.min(0, clientWidth - margin - right))
  popup.style.setProperty("translate", `${shift}px`)
}

const placeOpen = () => openMenus().forEach(placeMenu)

export const guardMenus = () => {
  // What a popup reads when it opens makes it larger. Its first size is told as well.
  const sizes = new ResizeObserver(placeOpen)
  const observe = () => {
    sizes.disconnect()
    for (const popup of document.querySelectorAll("details.menu[open] > .popup")) sizes.observe(popup)
  }
  // The event does not bubble.
  document.addEventListener("toggle", observe, true)
  addEventListener("resize", placeOpen)
  document.addEventListener("pointerdown", ({ target }) => closeMenus(target as Node))
  // By the keyboard, too: the focus has gone elsewhere.
  document.addEventListener("focusin", ({ target }) => closeMenus(target as Node))
  document.addEventListener("keydown", (event) => {
    const [menu] = openMenus()
    if (event.key !== "Escape" || menu === undefined || document.querySelector("dialog[open]") !== null) return
    event.preventDefault()
    menu.open = false
    menu.querySelector("summary")?.focus()
  })
}
