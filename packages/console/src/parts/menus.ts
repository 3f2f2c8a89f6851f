/** Menus: one is open at a time, and a click elsewhere or Escape closes it. Escape returns the focus to its button. */

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")

const closeMenus = (except?: Node | null) => {
  for (const menu of openMenus()) {
    // A dialog that was opened from a menu is a part of it.
    if (except === undefined || except === null || !menu.contains(except)) menu.open = false
  }
}

export const guardMenus = () => {
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
