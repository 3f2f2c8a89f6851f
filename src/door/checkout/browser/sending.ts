/**
 * How the checkout's forms are sent in the browser: without leaving the page, so that a mistake keeps what was typed,
 * and once. These functions are sent to the browser as they are written (see `cardTyping.ts`).
 */
declare function begin(): void
declare function remember(state: string): void

export function send(event: SubmitEvent) {
  const form = event.target as HTMLFormElement
  const button = event.submitter as HTMLButtonElement | null
  // The browser sends it, and asks before it sends it again.
  if (form.dataset["busy"] === undefined) return
  event.preventDefault()
  if (document.querySelector("form[aria-busy]") !== null) return
  const body = new URLSearchParams(Array.from(new FormData(form, button), ([name, value]) => [name, String(value)]))
  // A wallet of the browser has a form of its own.
  const mail = document.querySelector<HTMLInputElement>("#email")?.value ?? ""
  if (mail !== "" && !body.has("email")) body.set("email", mail)
  const free = occupy(form, button)
  remember("paying")
  // It is unknown whether it was paid, so no button sends anything more.
  const lost = () => {
    free(true)
    unheard()
  }
  fetch(location.href, { method: "POST", body })
    .then((reply) => {
      if (reply.redirected) return location.replace(reply.url)
      return reply.text().then((text) => {
        const page = new DOMParser().parseFromString(text, "text/html")
        if (page.querySelector("main.page") === null) return lost()
        free(false)
        show(page)
      })
    })
    .catch(lost)
}

/** Disables all buttons of the page until the answer. Returns how to undo it. */
export function occupy(form: HTMLFormElement, button: HTMLButtonElement | null) {
  const buttons = document.querySelectorAll<HTMLButtonElement>("button[name]")
  const words = button === null ? [] : Array.from(button.childNodes)
  form.setAttribute("aria-busy", "true")
  for (const each of buttons) each.disabled = true
  button?.replaceChildren(form.dataset["busy"] ?? "")
  return (isUnknown: boolean) => {
    if (!isUnknown) form.removeAttribute("aria-busy")
    for (const each of buttons) each.disabled = isUnknown
    if (isUnknown && button !== null) button.hidden = true
    button?.replaceChildren(...words)
  }
}

/** The answer is the same form with messages, which are taken over, or another page. */
export function show(page: Document) {
  const [form, fresh] = [document, page].map((each) => each.querySelector("form[data-pay]"))
  if (form === null || fresh === null) return turn(page)
  const notice = page.querySelector("[data-notice]")
  document.querySelector("[data-notice]")?.replaceChildren(...Array.from(notice?.childNodes ?? []))
  for (const input of page.querySelectorAll<HTMLInputElement>("input[type=hidden]")) {
    for (const own of document.querySelectorAll<HTMLInputElement>("input[type=hidden]")) {
      if (own.name === input.name) own.value = input.value
    }
  }
  for (const input of fresh!.querySelectorAll<HTMLInputElement>(".field input")) mark(input)
  const first = document.querySelector<HTMLInputElement>("[aria-invalid]")
  first?.closest("details")?.setAttribute("open", "")
  if (first !== null) first.focus()
  else tell()
}

/** Marks a field as the answer does, and keeps its content. */
export function mark(answered: HTMLInputElement) {
  const input = document.getElementById(answered.id)
  if (input === null) return
  forgive(input)
  for (const name of ["aria-invalid", "aria-describedby"]) {
    const value = answered.getAttribute(name)
    if (value !== null) input.setAttribute(name, value)
  }
  const mistake = answered.closest(".field")?.querySelector(".mistake")
  if (mistake) input.closest(".field")?.append(mistake)
}

declare function forgive(input: Element): void

/** Another page at the same address: going back leads to the form again. A message is in view, wherever it stands. */
export function turn(page: Document) {
  history.pushState(null, "")
  document.title = page.title
  document.body.replaceWith(page.body)
  begin()
  if (document.querySelector("[data-notice] [tabindex]") !== null) return tell()
  scrollTo(0, 0)
  const heading = document.querySelector("h1")
  heading?.setAttribute("tabindex", "-1")
  heading?.focus()
}

/** Focus the message, which is above the button. */
export function tell() {
  const notice = document.querySelector<HTMLElement>("[data-notice] [tabindex]")
  notice?.scrollIntoView({ block: "center" })
  notice?.focus({ preventScroll: true })
}

/** It is unknown whether it was paid, so the page shows the order's state. */
export function unheard() {
  const words = document.querySelector<HTMLTemplateElement>("[data-unheard]")
  if (words === null) return location.reload()
  document.querySelector("[data-notice]")?.replaceChildren(words.content.cloneNode(true))
  tell()
}
