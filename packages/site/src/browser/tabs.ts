/** Tabs for code in several languages. The choice applies to all pages. */
const place = "coffer-language"

const kept = () => {
  try {
    return localStorage.getItem(place)
  } catch {
    return null
  }
}

export const tabs = () => {
  const groups = [...document.querySelectorAll<HTMLElement>(".tabs")].map(groupOf)
  const chosen = kept()
  for (const group of groups) group.show(chosen ?? "")
  for (const group of groups) {
    group.onChoice((name) => {
      for (const each of groups) each.show(name)
      try {
        localStorage.setItem(place, name)
      } catch {
        // Then it applies to this page only.
      }
    })
  }
}

let count = 0

const groupOf = (element: HTMLElement) => {
  const panels = [...element.querySelectorAll<HTMLElement>("[data-tab]")]
  const list = document.createElement("div")
  list.setAttribute("role", "tablist")
  const buttons = panels.map((panel) => {
    const button = document.createElement("button")
    button.type = "button"
    button.setAttribute("role", "tab")
    const title = panel.querySelector("h6")!
    button.textContent = title.textContent
    title.remove()
    panel.id = `tab-${++count}`
    button.id = `${panel.id}-button`
    button.setAttribute("aria-controls", panel.id)
    panel.setAttribute("role", "tabpanel")
    panel.setAttribute("aria-labelledby", button.id)
    return button
  })
  list.append(...buttons)
  element.prepend(list)

  const names = panels.map(({ dataset }) => dataset["tab"]!)
  const show = (name: string) => {
    const at = Math.max(0, names.indexOf(name))
    panels.forEach((panel, index) => (panel.hidden = index !== at))
    buttons.forEach((button, index) => {
      button.setAttribute("aria-selected", String(index === at))
      button.tabIndex = index === at ? 0 : -1
    })
  }
  const onChoice = (choose: (name: string) => void) => {
    buttons.forEach((button, index) => {
      button.addEventListener("click", () => choose(names[index]!))
      button.addEventListener("keydown", ({ key }) => {
        const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0
        if (step === 0) return
        const next = (index + step + names.length) % names.length
        choose(names[next]!)
        buttons[next]!.focus()
      })
    })
  }
  return { show, onChoice }
}
