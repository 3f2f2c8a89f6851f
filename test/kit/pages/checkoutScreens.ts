/** Every page that buyers see at checkout and on the way there, for tests that look at them. */
import { LinkId } from "@coffer/model/Ids"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order, CreditedOrder } from "@coffer/rules/order/Order"
import type { PaymentLink } from "@coffer/rules/link/PaymentLink"
import { DateTime } from "effect"
import type { Page as BrowserPage } from "playwright-core"
import { type Page, pageOf, render } from "../../../src/door/checkout/CheckoutPage.ts"
import type { PageContext } from "../../../src/door/checkout/frame.ts"
import { type LinkPage, renderLink } from "../../../src/door/checkout/LinkPage.ts"
import { renderReceipt, renderUnknown, renderUnreachable } from "../../../src/door/checkout/ReceiptPage.ts"
import { headersFor } from "../../../src/door/checkout/script.ts"
import { type Notice, texts } from "../../../src/door/checkout/texts.ts"
import type { Language } from "../../../src/shared/pages/language.ts"
import type { Shop } from "../../../src/shared/pages/shop.ts"
import { receiptMail } from "../../../src/money/receipts/receiptMail.ts"
import { createdAt, facts, heldOrder, pendingOrder, untouched } from "../rules/fixtures.ts"
import { png } from "./png.ts"

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
  recentVisits: [],
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
    ...Object.fromEntries(
      notices.map((notice) => [`pay ${notice}`, { _tag: "Pay", order: pending, method: "card", notice }] as const)
    ),
    "pay by wallet": { _tag: "Pay", order: pending, method: "wechat_pay" },
    wallet: { _tag: "Away", order: pending, method: "alipay", scanned },
    "3ds": { _tag: "Away", order: pending, method: "card" },
    processing: { _tag: "Processing", order: pending },
    held: pageOf({ ...pending, hold: heldOrder.hold ?? null }, soon),
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

/** The notices with which an attempt may end. */
const notices = Object.keys(texts.en.notices).filter((notice) => notice !== "mistaken") as ReadonlyArray<Notice>

const linkPages = (link: PaymentLink): Readonly<Record<string, LinkPage>> => ({
  "link preview": { _tag: "Preview", link, visitNo: "01KAJ52N7Q8V4T6B3XWMRE9CZD" },
  "link unknown": { _tag: "Closed", reason: "unknown" },
  "link inactive": { _tag: "Closed", link, reason: "inactive" },
  "link expired": { _tag: "Closed", link, reason: "expired" },
  "link used up": { _tag: "Closed", link, reason: "used_up" },
  "link unavailable": { _tag: "Closed", link, reason: "unavailable" },
  "link too often": { _tag: "TooOften", link },
  "link unreachable": { _tag: "Unreachable" },
  "link unheard": { _tag: "Unreachable", link, visitNo: "01KAJ52N7Q8V4T6B3XWMRE9CZD" }
})

/** A shop that has told everything about itself. */
export const fullShop: Shop = {
  name: "Celadon Teahouse",
  logo: "logo.png",
  supportEmail: "help@celadon.example",
  supportUrl: "https://celadon.example/help",
  termsUrl: "https://celadon.example/terms",
  privacyUrl: "https://celadon.example/privacy",
  businessAddress: "8 Hollywood Road, Central, Hong Kong",
  taxId: "HK-7041929",
  accentColor: "#7a1f5c",
  timeZone: "Asia/Hong_Kong"
}

interface World {
  readonly shop?: Partial<Shop>
  readonly terms?: Partial<Order>
  readonly offered?: ReadonlyArray<PaymentMethod>
}

type Screen = readonly [name: string, markup: string]

const seenIn = (
  language: Language,
  { offered = PaymentMethod.literals, shop = {} }: World,
  known = true
): PageContext => ({
  language,
  chosen: undefined,
  shop: known ? { ...fullShop, ...shop } : undefined,
  offered,
  receipt: "../receipts/token"
})

/** All of checkout and payment links as HTML. */
export const screens = (language: Language, world: World = {}): ReadonlyArray<Screen> => {
  const { terms = { subject: "Celadon teapot" } } = world
  const seen = (known: boolean) => seenIn(language, world, known)
  return [
    ...Object.entries(checkoutPages(terms)).map(([name, page]) => [name, render(page, seen("order" in page))] as const),
    ["pay by one method", render(checkoutPages(terms)["pay"]!, { ...seen(true), offered: ["alipay"] })],
    ...Object.entries(linkPages({ ...plainLink, subject: terms.subject ?? null })).map(
      ([name, page]) => [name, renderLink(page, seen("link" in page))] as const
    )
  ]
}

/** The receipt of an order that was paid, and refunded in part. */
const receiptOf = (language: Language, { shop, terms = { subject: "Celadon teapot" } }: World, more: object) => {
  const receipt = { number: "RCP-202601-0042", sentAt: null, requestedAt: [] }
  const order = { ...facts, ...untouched, ...pendingOrder, ...terms, receipt, status: "paid", ...more } as CreditedOrder
  return { order, shop: { ...fullShop, ...shop }, language }
}

/** The pages of receipts. */
export const receiptScreens = (language: Language, world: World = {}): ReadonlyArray<Screen> => {
  const refund = { status: "partially_refunded", refundedAmount: facts.fee }
  const seen = seenIn(language, world)
  return [
    ["receipt", renderReceipt(receiptOf(language, world, {}), seen)],
    ["receipt refunded in part", renderReceipt(receiptOf(language, world, refund), seen)],
    ["receipt unknown", renderUnknown(seenIn(language, world, false))],
    ["receipt unreachable", renderUnreachable(seenIn(language, world, false))]
  ]
}

/** The mail with a receipt, as a mail program shows it. */
export const mailScreen = (language: Language, world: World = {}): Screen => {
  const sent = { mailId: "mail_1", recipient: "reader@example.com", url: "https://pay.example/receipts/token" }
  const logoUrl = "https://pay.example/files/logo.png"
  return ["mail", receiptMail({ ...receiptOf(language, world, {}), ...sent, logoUrl }).html]
}

/** Shows markup under the headers of the checkout; what it loads from elsewhere, or says on the console, is in `said`. */
export const shownBy = (page: BrowserPage) => {
  const said: Array<string> = []
  let markup = ""
  let logo = png(96, 96)
  let headers: Record<string, string> = {}
  page.on("console", (message) => said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  page.on("dialog", (dialog) => {
    said.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  // The page of a success would leave while it is looked at.
  const still = page.addInitScript("setInterval = () => 0")
  const ready = page.route("**/*", (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.endsWith("/events"))
      return route.fulfill({ contentType: "text/event-stream", body: "retry: 60000\n\n" })
    if (pathname === "/files/logo.png") return route.fulfill({ contentType: "image/png", body: logo })
    if (pathname !== "/checkout/token") {
      said.push(`asked for ${route.request().url()}`)
      return route.abort()
    }
    // A form that is sent waits for ever.
    if (route.request().method() === "POST") return
    return route.fulfill({ contentType: "text/html; charset=utf-8", headers, body: markup })
  })
  /** `under`: the headers of the page; none for what a mail program shows. */
  const show = async (shown: string, under: Record<string, string> = headersFor(fullShop)) => {
    await Promise.all([still, ready])
    markup = shown
    headers = under
    await page.goto("https://pay.example/checkout/token")
  }
  return { said, show, useLogo: (bytes: Buffer) => void (logo = bytes) }
}

/** Misfits: the page sideways, and texts that are cut off. */
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
