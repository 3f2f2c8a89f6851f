/**
 * The checkout's pages in the browser: times in the buyer's zone, the browser's own wallet, the return after a payment,
 * and the reload when the order changes. These functions are sent to the browser as they are written (see
 * `cardTyping.ts`).
 */
declare function send(event: SubmitEvent): void
declare function typed(event: Event): void
declare function showBrand(): void

/** Once for the page. */
export function listen() {
  document.addEventListener("submit", send)
  document.addEventListener("input", typed)
  document.addEventListener("compositionend", typed)
  addEventListener("popstate", () => location.reload())
  // The browser has kept the page as it was.
  addEventListener("pageshow", (event) => event.persisted && location.reload())
}

/** For each page that is shown. */
export function begin() {
  document.querySelectorAll<HTMLTimeElement>("time[data-until]").forEach(showTime)
  document.querySelectorAll<HTMLTimeElement>("time[data-exact]").forEach(showExactTime)
  comeBack()
  offerWallet()
  showBrand()
  goBack()
  leave()
}

/** To the channel's own page. Replaces the history entry, so that going back does not lead to it again. */
export function leave() {
  const link = document.querySelector<HTMLAnchorElement>("a[data-leave]")
  if (link !== null) location.replace(link.href)
}

/** "until tomorrow 11:55", in the time zone of the browser. */
export function showTime(time: HTMLTimeElement) {
  const language = document.documentElement.lang
  const at = Date.parse(time.dateTime)
  const dayOf = (millis: number) => Date.parse(new Intl.DateTimeFormat("en-CA").format(millis)) / 86_400_000
  const days = dayOf(at) - dayOf(performance.timeOrigin)
  const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at)
  const day =
    Math.abs(days) > 1
      ? new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(at)
      : new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(days, "day")
  time.textContent = (time.dataset["until"] ?? "").replace("{when}", `${day} ${clock}`)
}

/** "21 Nov 2026, 17:30 GMT+8", in the time zone of the browser: for a receipt, which may be printed. */
export function showExactTime(time: HTMLTimeElement) {
  const language = document.documentElement.lang
  const at = Date.parse(time.dateTime)
  const options = { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" } as const
  const parts = new Intl.DateTimeFormat(language, { timeZoneName: "short" }).formatToParts(at)
  const zone = parts.find(({ type }) => type === "timeZoneName")?.value ?? ""
  time.textContent = `${new Intl.DateTimeFormat(language, options).format(at)} ${zone}`
}

/** The wallet that this browser can open. Whether it holds a card is not asked, since that would ask other hosts. */
export function offerWallet() {
  const form = document.querySelector<HTMLFormElement>("form.express")
  const apple = (window as { ApplePaySession?: { canMakePayments: () => boolean } }).ApplePaySession
  const hasApple = isSecureContext && apple?.canMakePayments() === true
  const offered = hasApple ? "apple_pay" : !apple && "PaymentRequest" in window ? "google_pay" : ""
  const button = form?.querySelector<HTMLButtonElement>(`button[value="${offered}"]`)
  if (!form || !button) return
  form.hidden = button.hidden = false
}

/**
 * The tab's memory of this order: `paying` once it has sent a form, `left` once it has led back to the shop. A browser
 * may forbid it; then the buyer returns by the button. A phone that scans a code is not the browser of the shop.
 */
export function remember(state: string) {
  if (new URLSearchParams(location.search).has("wallet")) return
  memory((storage) => storage.setItem(location.pathname, state))
}

/** The use of the tab's storage; a rejection where the browser forbids it. */
export function memory<Used>(use: (storage: Storage) => Used) {
  const used = new Promise<Used>((resolve) => resolve(use(sessionStorage)))
  used.catch(() => undefined)
  return used
}

/** The buyer comes back from the channel's own page, which this tab may have opened before it had a script. */
export function comeBack() {
  if (!new URLSearchParams(location.search).has("returned")) return
  memory((storage) => storage.getItem(location.pathname) ?? storage.setItem(location.pathname, "paying"))
}

/** Returns to the shop once, in the tab that has sent the payment or was at the channel's own page. */
export function goBack() {
  if (document.querySelector("[data-countdown]") === null) return
  memory((storage) => {
    if (storage.getItem(location.pathname) !== "paying") return
    storage.setItem(location.pathname, "left")
    countDown()
  })
}

/** Back to the shop after some seconds, unless the buyer stays. */
export function countDown() {
  const shown = document.querySelector<HTMLElement>("[data-countdown]")
  const stay = document.querySelector<HTMLElement>("[data-stay]")
  const link = stay?.parentElement?.querySelector("a")
  if (!shown || !stay || !link) return
  let left = Number(shown.dataset["seconds"])
  const stop = () => {
    clearInterval(timer)
    shown.hidden = stay.hidden = true
  }
  const tell = () => {
    shown.textContent = (shown.dataset["countdown"] ?? "").replace("{n}", String(left))
  }
  const timer = setInterval(() => {
    left -= 1
    tell()
    if (left > 0) return
    stop()
    location.assign(link.href)
  }, 1_000)
  tell()
  shown.hidden = stay.hidden = false
  stay.addEventListener("click", () => {
    stop()
    link.focus()
  })
}

/** Reloads the page when the order differs from it. */
export function follow() {
  if (document.querySelector("[data-watch]") === null) return
  const address = `${location.pathname}/events`
  const turnPage = () => {
    const choice = new URLSearchParams(location.search).get("lang")
    location.replace(location.pathname + (choice === null ? "" : `?lang=${encodeURIComponent(choice)}`))
  }
  const source = new EventSource(address)
  source.addEventListener("changed", () => {
    source.close()
    turnPage()
  })
  // The server has no room for a listener: poll instead, for an hour at most.
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) return
    let times = 0
    const timer = setInterval(() => {
      times += 1
      if (times > 720) clearInterval(timer)
      if (document.hidden) return
      fetch(address)
        .then((reply) => (reply.ok ? reply.text() : "pending"))
        .then((state) => state === "pending" || turnPage())
        .catch(() => undefined)
    }, 5_000)
  })
}
