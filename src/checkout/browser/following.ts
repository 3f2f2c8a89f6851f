/**
 * The checkout's pages in the browser: times in the buyer's zone, the browser's own wallet, the way back after a
 * payment, and the turn of the page when its order changes. These functions are sent to the browser as they are written
 * (see `cardTyping.ts`).
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
  offerWallet()
  showBrand()
  countDown()
  leave()
}

/** To the channel's own page. In its place, so that the way back does not lead to it again. */
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

/** Back to the shop after some seconds, unless the buyer stays. Not again when the buyer comes back to the page. */
export function countDown() {
  const shown = document.querySelector<HTMLElement>("[data-countdown]")
  const stay = document.querySelector<HTMLElement>("[data-stay]")
  const link = stay?.parentElement?.querySelector("a")
  if (!shown || !stay || !link || history.state === "stayed") return
  let left = Number(shown.dataset["seconds"])
  const stop = () => {
    clearInterval(timer)
    shown.hidden = stay.hidden = true
    history.replaceState("stayed", "")
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

/** Shows the order anew when it is no longer as this page says. */
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
  // The server has no room for it: it is asked now and then, for an hour at most.
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
