/**
 * The hosted checkout page as HTML. It has no script, loads nothing, and never repeats what the buyer has typed. This
 * file also decides which page an order shows when nobody is paying it (silences: K, O14).
 *
 * Of an order that can no longer be paid a page shows only state and amount, because the address stays in browser
 * histories and messages (silences: O11).
 */
import { checkoutRedirectSeconds } from "@coffer/model/Limits"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { DateTime } from "effect"
import type { CardField } from "./checkCard.ts"
import { payForm, simulation } from "./checkoutForms.ts"
import { money } from "../pages/amounts.ts"
import { html } from "../pages/html.ts"
import { layout, marks, renderState, terms, type Terms, type Words } from "../pages/layout.ts"
import { type ReturnAddress, returnAddress } from "./returnAddress.ts"
import { type Notice, texts } from "./texts.ts"

/** What one page shows. */
export type Page =
  | {
      readonly _tag: "Pay"
      readonly order: Order
      /** Of the attempt that its form makes. */
      readonly attemptNo: string
      readonly method: PaymentMethod
      readonly notice?: Notice
      readonly mistakes?: ReadonlySet<CardField>
    }
  /** Stands in for a wallet's app, or with a card for the bank's 3DS page. */
  | { readonly _tag: "Away"; readonly order: Order; readonly attemptNo: string; readonly method: PaymentMethod }
  | { readonly _tag: "Paid"; readonly order: Order; readonly justNow: boolean }
  | { readonly _tag: "Refunded"; readonly order: Order }
  | { readonly _tag: "Closed"; readonly order: Order }
  | { readonly _tag: "Failed"; readonly order: Order }
  | { readonly _tag: "NotConnected"; readonly order: Order }
  | { readonly _tag: "InvalidLink" }
  /** `Unreachable`: the channel could not be asked. `Uncertain`: whether the payment succeeded is not known. */
  | { readonly _tag: "Unreachable" | "Uncertain"; readonly address: string }

/** For this long after the payment, the page says that it succeeded just now. */
const newsFor = "10 minutes"

/** What an order shows when nobody is paying it: the form for the next attempt, or why there is none. */
export const pageOf = (order: Order, now: DateTime.Utc, attemptNo: string): Page => {
  switch (order.status) {
    case "pending":
      // The order may still be closing at the channel; the page does not wait for it (silences: O14).
      if (DateTime.isGreaterThanOrEqualTo(now, order.expiresAt)) return { _tag: "Closed", order }
      return order.mode === "live" ? { _tag: "NotConnected", order } : { _tag: "Pay", order, attemptNo, method: "card" }
    case "paid":
    case "partially_refunded": {
      const justNow = DateTime.isLessThan(now, DateTime.addDuration(order.paidAt, newsFor))
      return { _tag: "Paid", order, justNow }
    }
    case "refunded":
      return { _tag: "Refunded", order }
    case "failed":
      return { _tag: "Failed", order }
    case "expired":
      return { _tag: "Closed", order }
  }
}

export const render = (page: Page): string => {
  switch (page._tag) {
    case "Pay":
      return renderPay(page)
    case "Away":
      return renderAway(page)
    case "Paid":
      return renderPaid(page)
    case "Refunded":
      return renderRefunded(page)
    case "Closed":
      return renderState(texts.closed, {
        language,
        sandbox: isSandbox(page.order),
        more: html`<p class="soft">${texts.closed.refund}</p>`
      })
    case "Failed":
      return renderState(texts.failed, { language, sandbox: isSandbox(page.order), mark: marks.bad })
    case "NotConnected":
      return renderState(texts.live, { language, sandbox: isSandbox(page.order), terms: named(page.order) })
    case "InvalidLink":
      return renderState(texts.invalidLink, { language, mark: marks.bad })
    case "Unreachable":
      return renderRetry(texts.unreachable, page.address)
    case "Uncertain":
      return renderRetry(texts.uncertain, page.address)
  }
}

/** So far the checkout speaks English alone. */
const language = "en"

type PageOf<Tag extends Page["_tag"]> = Extract<Page, { readonly _tag: Tag }>

const renderPay = ({ attemptNo, method, mistakes = new Set(), notice, order }: PageOf<"Pay">) => {
  const until = DateTime.formatIso(order.expiresAt)
  return layout({
    title: `${texts.order.pay} ${amountOf(order)}`,
    language,
    sandbox: isSandbox(order),
    wide: true,
    main: html` <section class="card stack summary">
        <h1 class="amount"><span class="eyebrow">${texts.order.pay}</span> ${amountOf(order)}</h1>
        ${terms([
          [texts.order.subject, html`<bdi>${order.subject ?? texts.order.noSubject}</bdi>`],
          [texts.order.number, html`<bdi>${order.outTradeNo}</bdi>`],
          [texts.order.payableUntil, html`<time datetime="${until}">${until.slice(0, 16).replace("T", " ")} UTC</time>`]
        ])}
      </section>
      ${payForm({ amount: amountOf(order), attemptNo, method, notice, mistakes })}`
  })
}

const renderAway = ({ attemptNo, method, order }: PageOf<"Away">) => {
  const name = texts.methods[method]
  const words =
    method === "card"
      ? texts.threeDs
      : { ...texts.wallet, heading: texts.wallet.heading(name), text: texts.wallet.text(name) }
  return renderState(words, {
    language,
    sandbox: isSandbox(order),
    mark: marks.away,
    terms: [[texts.order.amount, html`${amountOf(order)}`], ...named(order)],
    more: simulation({ attemptNo, method, confirm: words.confirm, cancel: words.cancel })
  })
}

const renderPaid = ({ justNow, order }: PageOf<"Paid">) => {
  const amount = amountOf(order)
  const words = justNow
    ? { heading: texts.paid.heading, text: texts.paid.text(amount) }
    : { heading: texts.paid.headingLater, text: texts.paid.textLater(amount) }
  const refunded =
    "paymentId" in order && order.refundedAmount > 0 ? money(order.refundedAmount, order.currency, language) : undefined
  const back = returnAddress(order)
  return renderState(words, {
    language,
    sandbox: isSandbox(order),
    mark: marks.good,
    head: back && refreshTo(back),
    terms: refunded === undefined ? [] : [[texts.order.refunded, html`${refunded}`]],
    more:
      back === undefined
        ? undefined
        : html`<p class="soft">${texts.back.soon(checkoutRedirectSeconds)}</p>
            ${returnButton(back)}`
  })
}

const renderRefunded = ({ order }: PageOf<"Refunded">) => {
  const back = returnAddress(order)
  return renderState(
    { heading: texts.refunded.heading, text: texts.refunded.text(amountOf(order)) },
    { language, sandbox: isSandbox(order), more: back === undefined ? undefined : returnButton(back) }
  )
}

const renderRetry = (words: Words & { readonly again: string }, address: string) =>
  renderState(words, { language, alert: true, more: html`<a class="button" href="${address}">${words.again}</a>` })

/** For browsers without a script: it leads back to the shop by itself. */
const refreshTo = ({ href }: ReturnAddress) =>
  html`<meta http-equiv="refresh" content="${checkoutRedirectSeconds};url=${href}" />`

const isSandbox = ({ mode }: Order) => mode === "sandbox"

const returnButton = ({ host, href }: ReturnAddress) =>
  html`<a class="button" href="${href}" rel="noreferrer">${texts.back.link(host)}</a>`

/** What the buyer may know the order by. `bdi` keeps the writing direction of text from the merchant. */
const named = ({ outTradeNo, subject }: Order): Terms => [
  ...(subject === null ? [] : [[texts.order.subject, html`<bdi>${subject}</bdi>`] as const]),
  [texts.order.number, html`<bdi>${outTradeNo}</bdi>`]
]

const amountOf = ({ amount, currency }: Order): string => money(amount, currency, language)
