/**
 * The console's sign-in page in the browser. These functions are sent as they are written, each knowing the
 * others by their names: no class, and nothing from outside.
 */
interface Answer {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- of the console's API, which may change with this page
  readonly data: any
}

/** Without a body a GET. */
export function ask(path: string, body?: object): Promise<Answer> {
  const json = body === undefined ? {} : { "Content-Type": "application/json" }
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  return fetch(`api/${path}`, { ...sent, headers: { "Coffer-Console": "1", ...json } }).then((reply) =>
    reply.json().then(({ data }) => ({ status: reply.status, data }))
  )
}

/** Shows one of several alternative elements. */
export function choose(kind: string, name: string) {
  for (const each of document.querySelectorAll<HTMLElement>(`[data-${kind}]`)) {
    each.hidden = each.dataset[kind] !== name
  }
}

export function say(notice: string) {
  choose("notice", notice)
}

/** Disables all buttons during the work. Shows a failure. */
export function during(work: Promise<unknown>, failure: string) {
  const buttons = document.querySelectorAll<HTMLButtonElement>("button")
  for (const each of buttons) each.disabled = true
  say("")
  work
    .catch(() => say(failure))
    .finally(() => {
      for (const each of buttons) each.disabled = false
    })
}

/** `failure`: the message unless a person is signed in now. */
export function welcome({ data, status }: Answer, failure: string) {
  if (status === 429) return say("tooOften")
  if (status === 403) return say(failure === "linkFailed" ? "passkeyDemanded" : failure)
  if (status !== 200 && status !== 201) return say(failure)
  // A person who has just signed in is sent to the console. One who manages passkeys stays.
  if (status === 201 && !data.needs_passkey && !isManaging()) return location.replace(placeBefore())
  const email = document.querySelector("[data-email]")
  if (email !== null) email.textContent = data.person.email
  const open = document.querySelector<HTMLAnchorElement>("[data-open]")
  if (open !== null) open.hidden = data.needs_passkey
  choose("part", "person")
  if (data.needs_passkey) say("needsPasskey")
  return listPasskeys()
}

/** The address with `?manage` is where passkeys are managed. */
export function isManaging(): boolean {
  return new URLSearchParams(location.search).has("manage")
}

/**
 * The page of the console that was open when the session ended, once; otherwise the first. The storage may hold
 * anything: an address outside the console is not followed.
 */
export function placeBefore(): string {
  const then = sessionStorage.getItem("coffer.then")
  sessionStorage.removeItem("coffer.then")
  if (then === null || !URL.canParse(then, location.origin)) return "/console"
  const { origin, pathname, search } = new URL(then, location.origin)
  const isPage = pathname.startsWith("/console/") && !pathname.startsWith("/console/sign-in")
  return origin === location.origin && isPage ? pathname + search : "/console"
}

export function listPasskeys() {
  return ask("passkeys").then(({ data }) => {
    const list = document.querySelector("[data-passkeys]")
    // Without it the installation has no passkeys.
    if (list === null) return
    const passkeys = data.data as ReadonlyArray<{ name: string; passkey_id: string }>
    list.replaceChildren(...passkeys.map(passkeyItem))
  })
}

/** A form of the page's template. Each of its controls names its passkey. */
export function passkeyItem({ name, passkey_id }: { readonly name: string; readonly passkey_id: string }) {
  const item = document.querySelector("template")!.content.cloneNode(true) as DocumentFragment
  for (const each of item.querySelectorAll("bdi")) each.textContent = name
  item.querySelector("form")!.dataset["passkey"] = passkey_id
  item.querySelector("label")!.htmlFor = passkey_id
  const input = item.querySelector("input")!
  input.id = passkey_id
  input.value = name
  return item
}

/** `done`: the message on success. The list is read again, and the focus is lost with the old one. */
export function changePasskey(path: string, body: object, done: string) {
  const changed = ask(path, body).then(({ status }) => {
    const refusals = { 403: "tooOld", 404: "gone", 409: "lastStays" } as Readonly<Record<number, string>>
    say(status === 200 ? done : (refusals[status] ?? "failed"))
    return listPasskeys().then(() => document.querySelector<HTMLElement>("[role=status]")?.focus())
  })
  during(changed, "failed")
}

export function submit(event: SubmitEvent) {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  const passkey = form.dataset["passkey"]
  if (passkey === undefined) return sendLink(form)
  changePasskey(`passkeys/${passkey}`, { name: String(new FormData(form).get("passkey")).trim() }, "renamed")
}

export function sendLink(form: HTMLFormElement) {
  // Copied text may contain invisible characters.
  const email = String(new FormData(form).get("email"))
    .replace(/[\u00AD\u200B-\u200F\u2060\uFEFF]/g, "")
    .trim()
  const notices = { 202: "sent", 400: "notAnAddress", 429: "tooOften" } as Readonly<Record<number, string>>
  const sent = ask("sign_in", { email }).then(({ status }) => say(notices[status] ?? "failed"))
  during(sent, "failed")
}

export function enterByPasskey() {
  const entered = ask("sign_in/passkey/options", {})
    .then(({ data }) =>
      navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(data.options) })
    )
    .then((credential) =>
      ask("sign_in/passkey", { credential: (credential as PublicKeyCredential).toJSON() as object })
    )
    .then((answer) => welcome(answer, "passkeyFailed"))
  during(entered, "passkeyFailed")
}

export function goToProvider() {
  const gone = ask("sign_in/openid", {}).then(({ data, status }) => {
    if (status === 200) return location.assign(data.url)
    return say(status === 429 ? "tooOften" : "openIdAway")
  })
  during(gone, "failed")
}

export function addPasskey() {
  const name = document.querySelector<HTMLInputElement>("input[name=name]")?.value.trim() ?? ""
  const added = ask("passkeys/options", {})
    .then(({ data, status }) => {
      if (status === 403) return say("tooOld")
      return navigator.credentials
        .create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(data.options) })
        .then((credential) =>
          ask("passkeys", {
            ...(name === "" ? {} : { name }),
            credential: (credential as PublicKeyCredential).toJSON() as object
          })
        )
        .then((answer) => {
          const open = document.querySelector<HTMLAnchorElement>("[data-open]")
          if (open !== null && answer.status === 201) open.hidden = false
          say(answer.status === 201 ? "added" : "addFailed")
        })
    })
    .then(listPasskeys)
  during(added, "addFailed")
}

export function leave() {
  const left = ask("session/end", {}).then(() => {
    // Unsent drafts of the console (packages/console/src/api/drafts.ts).
    for (const name of Object.keys(localStorage)) if (name.startsWith("coffer.draft.")) localStorage.removeItem(name)
    choose("part", "guest")
    say("signedOut")
  })
  during(left, "failed")
}

export function press(event: MouseEvent) {
  const button = (event.target as Element).closest("button")
  if (button?.value === "passkey") enterByPasskey()
  if (button?.value === "openid") goToProvider()
  if (button?.value === "add") addPasskey()
  if (button?.value === "remove") {
    changePasskey(`passkeys/${button.form?.dataset["passkey"]}/remove`, {}, "removed")
  }
  if (button?.value === "leave") leave()
}

/**
 * The token of a mail's link, and a provider's answer, are used at once and removed from the address, so that they are
 * not in the history.
 */
export function begin() {
  // At another host name writes are refused, and cookies are missing.
  if (document.querySelector<HTMLElement>("[data-origin]")?.dataset["origin"] !== location.origin)
    return say("atOtherName")
  document.addEventListener("submit", submit)
  document.addEventListener("click", press)
  // Another link may be opened where this page is open already.
  addEventListener("hashchange", () => location.reload())
  const token = location.hash.slice(1)
  const query = new URLSearchParams(location.search)
  const state = query.get("state")
  const kept = isManaging() ? "?manage" : ""
  if (token !== "" || state !== null) history.replaceState(null, "", location.pathname + kept)
  if (token !== "") return enter("sign_in/use", { token }, "linkFailed")
  if (state !== null) {
    const { code, iss } = { code: query.get("code") ?? "none", iss: query.get("iss") }
    return enter("sign_in/openid/use", { code, state, iss }, "openIdFailed")
  }
  // Some acts ask for a new session beside one that has lasted.
  if (query.has("again")) return choose("part", "guest")
  ask("session")
    .then((answer) => (answer.status === 401 ? choose("part", "guest") : welcome(answer, "failed")))
    .catch(() => say("failed"))
}

export function enter(path: string, body: object, failure: string) {
  const entered = ask(path, body).then((answer) => {
    if (answer.status !== 201) choose("part", "guest")
    return welcome(answer, failure)
  })
  during(entered, "failed")
}
