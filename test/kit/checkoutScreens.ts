/** Every page that buyers see at checkout and on the way there, for tests that look at them. */
import { LinkId } from "@coffer/model/Ids"
import type { Order } from "@coffer/rules/order/Order"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"
import { DateTime } from "effect"
import type { Page as BrowserPage } from "playwright-core"
import { type Page, pageOf, render } from "../../src/checkout/CheckoutPage.ts"
import type { Seen } from "../../src/checkout/frame.ts"
import { type LinkPage, renderLink } from "../../src/checkout/LinkPage.ts"
import { checkoutHeaders } from "../../src/checkout/script.ts"
import type { Language } from "../../src/pages/language.ts"
import { createdAt, facts, pendingOrder, untouched } from "./fixtures.ts"

export const soon = DateTime.add(createdAt, { minutes: 10 })
export const later = DateTime.add(createdAt, { days: 3 })

const scanned = `https://pay.example/checkout/${pendingOrder.tradeNo}.1767312000.${"a".repeat(43)}?wallet=alipay`

const { amount, currency, merchantId, mode } = pendingOrder
const plainLink: PaymentLink = {
  linkId: LinkId.make("plink_01KAJ52N7Q8V4T6B3XWMRE9CZD"),
  merchantId,
  mode,
  amount,
  currency,
  notifyUrl: null,
  returnUrl: null,
  createdAt,
  status: "active",
  subject: "Celadon teapot",
  maxUses: null,
  expiresAt: null,
  usedCount: 0,
  metadata: {}
}

/** The pages of an order whose terms are these. */
export const checkoutPages = (terms: Partial<Order> = {}): Readonly<Record<string, Page>> => {
  const pending = { ...pendingOrder, returnUrl: "https://shop.example/thanks", ...terms, status: "pending" } as Order
  const as = (more: object) => ({ ...facts, ...untouched, ...pending, ...more }) as Order
  const paid = as({ status: "paid" })
  return {
    pay: pageOf(pending, soon),
    mistaken: {
      _tag: "Pay",
      order: pending,
      method: "card",
      notice: "mistaken",
      mistakes: new Set(["number", "expiry", "cvc"])
    },
    declined: { _tag: "Pay", order: pending, method: "card", notice: "callBank" },
    "pay by wallet": { _tag: "Pay", order: pending, method: "wechat_pay" },
    wallet: { _tag: "Away", order: pending, method: "alipay", scanned },
    "3ds": { _tag: "Away", order: pending, method: "card" },
    processing: { _tag: "Processing", order: pending },
    paid: pageOf(paid, soon),
    "paid before": pageOf(paid, later),
    "refunded in part": pageOf(as({ status: "partially_refunded", refundedAmount: facts.fee }), soon),
    refunded: pageOf(as({ status: "refunded", refundedAmount: facts.amount }), soon),
    expired: pageOf(pending, later),
    failed: pageOf(as({ status: "failed" }), soon),
    "not connected": pageOf({ ...pending, mode: "live" }, soon),
    "invalid link": { _tag: "InvalidLink" },
    unreachable: { _tag: "Unreachable", order: pending },
    "unreachable without an order": { _tag: "Unreachable" },
    uncertain: { _tag: "Uncertain", order: pending }
  }
}

const linkPages = (link: PaymentLink): Readonly<Record<string, LinkPage>> => ({
  "link preview": { _tag: "Preview", link },
  "link unknown": { _tag: "Closed", reason: "unknown" },
  "link inactive": { _tag: "Closed", link, reason: "inactive" },
  "link expired": { _tag: "Closed", link, reason: "expired" },
  "link used up": { _tag: "Closed", link, reason: "used_up" },
  "link unavailable": { _tag: "Closed", link, reason: "unavailable" },
  "link too often": { _tag: "TooOften", link },
  "link unreachable": { _tag: "Unreachable" }
})

/** All of them as HTML. */
export const screens = (
  language: Language,
  {
    shop = "Celadon Teahouse",
    terms = { subject: "Celadon teapot" }
  }: { readonly shop?: string; readonly terms?: Partial<Order> } = {}
): ReadonlyArray<readonly [name: string, markup: string]> => {
  const seen = (known: boolean): Seen => ({
    language,
    chosen: undefined,
    shop: known ? shop : undefined
  })
  return [
    ...Object.entries(checkoutPages(terms)).map(([name, page]) => [name, render(page, seen("order" in page))] as const),
    ...Object.entries(linkPages({ ...plainLink, subject: terms.subject ?? null })).map(
      ([name, page]) => [name, renderLink(page, seen("link" in page))] as const
    )
  ]
}

/** Shows markup under the headers of the checkout; what it loads from elsewhere, or says on the console, is in `said`. */
export const shownBy = (page: BrowserPage) => {
  const said: Array<string> = []
  let markup = ""
  page.on("console", (message) => said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  page.on("dialog", (dialog) => {
    said.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  const ready = page.route("**/*", (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.endsWith("/events"))
      return route.fulfill({ contentType: "text/event-stream", body: "retry: 60000\n\n" })
    if (pathname !== "/checkout/token") {
      said.push(`asked for ${route.request().url()}`)
      return route.abort()
    }
    return route.fulfill({ contentType: "text/html; charset=utf-8", headers: checkoutHeaders, body: markup })
  })
  const show = async (shown: string) => {
    await ready
    markup = shown
    await page.goto("https://pay.example/checkout/token")
  }
  return { said, show }
}

/** What does not fit: the page sideways, and texts that are cut off. */
export const misfits = () => {
  const root = document.documentElement
  const cut = Array.from(document.querySelectorAll<HTMLElement>("main *, header *"))
    .filter((element) => {
      const { clip, overflow } = {
        clip: getComputedStyle(element).clipPath,
        overflow: element.scrollWidth - element.clientWidth
      }
      const isText = element.clientWidth > 0 && element.tagName !== "INPUT" && element.closest("svg") === null
      return isText && clip === "none" && overflow > 1
    })
    .map(({ className, tagName }) => `${tagName}.${className}`)
  const sideways = root.scrollWidth > root.clientWidth ? [`${root.scrollWidth} px in ${root.clientWidth}`] : []
  return [...sideways, ...cut]
}
