/** Copy buttons on code, and one for the page's Markdown. */
const shownMillis = 1_500

const tell = (button: HTMLButtonElement, copy: string, copied: string) => {
  button.textContent = copied
  setTimeout(() => (button.textContent = copy), shownMillis)
}

export const copyPageButton = (copied: string) => {
  const button = document.querySelector<HTMLButtonElement>("#copy-page")!
  const { href } = document.querySelector<HTMLAnchorElement>("#markdown")!
  const copy = button.textContent
  button.hidden = false
  button.addEventListener("click", async () => {
    const answer = await fetch(href).catch(() => undefined)
    // The link next to it opens it.
    if (answer?.ok !== true) return
    await write(await answer.text())
    tell(button, copy, copied)
  })
}

export const copyButtons = (copy: string, copied: string) => {
  for (const block of document.querySelectorAll("article pre")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy"
    button.textContent = copy
    button.addEventListener("click", async () => {
      await write(block.querySelector("code")!.textContent ?? "")
      tell(button, copy, copied)
    })
    const frame = document.createElement("div")
    frame.className = "code"
    block.replaceWith(frame)
    frame.append(block, button)
  }
}

/** A page over plain HTTP has no clipboard API. */
const write = async (text: string) => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const field = document.createElement("textarea")
  field.value = text
  document.body.append(field)
  field.select()
  document.execCommand("copy")
  field.remove()
}
