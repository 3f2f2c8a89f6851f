/**
 * The hosted checkout's pages as HTML. They load nothing but the shop's logo, and never repeat what the buyer has
 * typed. This file also decides which page an order shows while it is not being paid (silences: K, O14).
 *
 * For an order that can no longer be paid a page shows only state, amount and the link back, because the address stays
 * in browser histories and messages (silences: O11).
 */
import { checkoutRedirectSeconds } from "@coffer/model/Limits"
import { methodName, type PaymentMethod } from "@coffer/model/PaymentMethod"
import { amountPaid, heldOf } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { shopsNumber, takesAddress } from "@coffer/rules/order/receipt"
import { DateTime } from "effect"
import { money } from "../../shared/pages/amounts.ts"
import { html } from "../../shared/pages/html.ts"
import { layout, marks, renderState, terms, type Terms, type Words } from "../../shared/pages/layout.ts"
import { paidWith } from "../../shared/pages/methods.ts"
import { helpOf } from "../../shared/pages/shop.ts"
import { type Field, payForms, simulation } from "./checkoutForms.ts"
import { againOf, choiceOf, frameOf, returnButton, type PageContext, shopIn, timeIn, wordsOf } from "./frame.ts"
import { qrCode } from "./QrCode.ts"
import { returnAddress } from "./returnAddress.ts"
import type { Notice } from "./texts.ts"

/** The content of one page. */
export type Page =
  | {
      readonly _tag: "Pay"
      readonly order: Order
      /** The chosen method; undefined before the first choice. */
      readonly method?: PaymentMethod
      readonly notice?: Notice
      readonly mistakes?: ReadonlySet<Field>
      /** The mistaken fields that are empty. */
      readonly empty?: ReadonlySet<Field>
      /** Attempts left before the bank's lockout; undefined before the first attempt. */
      readonly triesLeft?: number
      /** The buyer pays at the channel's own page: nothing is typed here. */
      readonly hosted?: boolean
      /** The name of the channel that has this page. */
      readonly provider?: string
    }
  /** Leads to the channel's own page. */
  | { readonly _tag: "Leaving"; readonly order: Order; readonly url: string }
  /**
   * Simulates a wallet's app, or with a card the bank's 3DS page. `scanned`: the address of the same page for a phone.
   */
  | { readonly _tag: "Away"; readonly order: Order; readonly method: PaymentMethod; readonly scanned?: string }
  /** The bank has the payment and has not reported it (silences: K9). */
  | { readonly _tag: "Processing"; readonly order: Order }
  /** `leaves`: a browser without a script returns to the shop from here. */
  | { readonly _tag: "Paid"; readonly order: Order; readonly justNow: boolean; readonly leaves?: boolean }
  /** The amount is held, and not charged yet (silences: O75). */
  | { readonly _tag: "Held"; readonly order: Order }
  /** `at`: when the last of the money went back. */
  | { readonly _tag: "Refunded"; readonly order: Order; readonly at?: DateTime.Utc; readonly justNow?: boolean }
  /** `isEarly`: the merchant closed it before its deadline. */
  | { readonly _tag: "Closed"; readonly order: Order; readonly isEarly?: boolean }
  | { readonly _tag: "Failed"; readonly order: Order }
  | { readonly _tag: "NotConnected"; readonly order: Order }
  | { readonly _tag: "InvalidLink" }
  /**
   * `Unreachable`: the channel could not be asked. `Uncertain`: the outcome of the payment is unknown. Without an order
   * if the order could not be read.
   */
  | { readonly _tag: "Unreachable" | "Uncertain"; readonly order?: Order }

/** How a buyer pays: by our own forms, at the channel's own page, or not at all. */
export type Way = "forms" | "hosted" | "none"

/** The merchant has no account at an acquirer. */
export const wayWithoutAccount = ({ mode }: Pick<Order, "mode">): Way => (mode === "sandbox" ? "forms" : "none")

/** For this long after the payment, the page says that it has just succeeded. A refund is news for as long. */
const newsFor = "10 minutes"
export const isNews = (at: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, DateTime.addDuration(at, newsFor))

/** The page of an order that is not being paid: the form, or why there is none. */
export const pageOf = (order: Order, now: DateTime.Utc, way: Way = wayWithoutAccount(order)): Page => {
  switch (order.status) {
    case "pending":
      if (heldOf(order) !== undefined) return { _tag: "Held", order }
      // The order may still be closing at the channel; the page does not wait for it (silences: O14).
      if (DateTime.isGreaterThanOrEqualTo(now, order.expiresAt)) return { _tag: "Closed", order }
      if (way === "none") return { _tag: "NotConnected", order }
      return { _tag: "Pay", order, hosted: way === "hosted" }
    case "paid":
    case "partially_refunded":
      return { _tag: "Paid", order, justNow: isNews(order.paidAt, now) }
    case "refunded":
      return { _tag: "Refunded", order }
    case "failed":
      return { _tag: "Failed", order }
    case "expired":
      return { _tag: "Closed", order, isEarly: DateTime.isLessThan(now, order.expiresAt) }
  }
}

export const render = (page: Page, context: PageContext): string => {
  const texts = wordsOf(context)
  switch (page._tag) {
    case "Pay":
      return renderPay(page, context)
    case "Away":
      return renderAway(page, context)
    case "Leaving":
      return renderLeaving(page, context)
    case "Processing":
      return renderWait(texts.processing, page, context)
    case "Paid":
      return renderPaid(page, context)
    case "Held":
      return renderHeld(page, context)
    case "Refunded":
      return renderRefunded(page, context)
    case "Closed":
      return renderEnd(page.isEarly === true ? texts.ended : texts.closed, page, context)
    case "Failed":
      return renderEnd(texts.failed, page, context)
    case "NotConnected":
      return renderState(texts.live, {
        ...frameOf(context, page.order),
        terms: identifyingTerms(page.order, context),
        more: returnButton(page.order, context, "button quiet")
      })
    case "InvalidLink":
      return renderState(texts.invalidLink, { ...frameOf(context), mark: marks.bad })
    case "Unreachable":
      return renderWait(texts.unreachable, page, context)
    case "Uncertain":
      return renderWait(texts.uncertain, page, context)
  }
}

type PageOf<Tag extends Page["_tag"]> = Extract<Page, { readonly _tag: Tag }>

const renderPay = (page: PageOf<"Pay">, context: PageContext) => {
  const { hosted, mistakes = new Set(), order, empty = new Set() } = page
  const { order: words } = wordsOf(context)
  const amount = amountOf(order, context)
  const back = returnButton(order, context, "return")
  const mail = takesAddress(order) ? (order.receiptEmail === null ? "wanted" : "known") : undefined
  return layout({
    ...frameOf(context, order, { watched: true }),
    title: `${words.pay} ${amount}`,
    wide: true,
    main: html` <section class="summary stack">
        <h1 class="amount"><span class="eyebrow">${words.pay}</span> ${amount}</h1>
        ${terms([
          [words.subject, html`<bdi>${order.subject ?? words.noSubject}</bdi>`],
          ...ownNumber(order, context),
          [words.payableUntil, timeIn(order.expiresAt, context, words.until)]
        ])}
        ${aside(page, context)}
      </section>
      ${payForms({ ...page, amount, mistakes, empty, hosted, mail, back }, context)}`
  })
}

/** A desktop has room for what happens next, and for the way to help. */
const aside = ({ hosted, order, provider = "" }: PageOf<"Pay">, context: PageContext) => {
  const { next } = wordsOf(context)
  const shop = shopIn(context)
  const help = context.shop && helpOf(context.shop, context.language)
  return html`<div class="aside">
    <h2>${next.heading}</h2>
    <ol>
      <li>${hosted === true ? next.hosted(provider, shop) : next.here(shop)}</li>
      <li>${order.receiptEmail === null ? next.shown : next.mailed}</li>
      ${returnAddress(order) === undefined ? undefined : html`<li>${next.back(shop)}</li>`}
    </ol>
    ${help && html`<p class="help">${help}</p>`}
  </div>`
}

/**
 * When it was paid, and just after the payment also with which card: the address stays in histories (silences: O11).
 */
const payment = (order: Order, context: PageContext, isNews = false): Terms => {
  if (!("paymentId" in order)) return []
  const { order: names } = wordsOf(context)
  return [
    [names.paidAt, timeIn(order.paidAt, context)],
    ...(isNews ? [[names.paidWith, html`${paidWith(order, context.language)}`] as const] : [])
  ]
}

const renderAway = ({ method, order, scanned }: PageOf<"Away">, context: PageContext) => {
  const texts = wordsOf(context)
  const name = methodName(method, context.language)
  const words =
    method === "card"
      ? texts.threeDs
      : { ...texts.wallet, heading: texts.wallet.heading(name), text: texts.wallet.text(name) }
  const code = scanned === undefined ? undefined : qrCode(scanned, texts.wallet.code(name), texts.wallet.scan(name))
  return renderState(words, {
    ...frameOf(context, order, { watched: true }),
    mark: marks.away,
    terms: [[texts.order.amount, html`${amountOf(order, context)}`], ...identifyingTerms(order, context)],
    more: html`${code}
    ${simulation({ method, confirm: words.confirm, cancel: words.cancel, busy: texts.form.busy, context })}
    ${returnButton(order, context, "return")}`
  })
}

/** The script leaves at once, and so does a browser without one. */
const renderLeaving = ({ order, url }: PageOf<"Leaving">, context: PageContext) => {
  const { leaving: words, order: names } = wordsOf(context)
  return renderState(words, {
    ...frameOf(context, order),
    mark: marks.away,
    head: refreshAfter(`0;url=${url}`),
    terms: [[names.amount, html`${amountOf(order, context)}`], ...identifyingTerms(order, context)],
    more: html`<div class="buttons"><a class="button" href="${url}" rel="noreferrer" data-leave>${words.go}</a></div>`
  })
}

const renderPaid = ({ justNow, leaves, order }: PageOf<"Paid">, context: PageContext) => {
  const { order: names, paid } = wordsOf(context)
  const [amount, shop] = [amountOf(order, context), shopIn(context)]
  const words = justNow
    ? { heading: paid.heading, text: paid.text(amount, shop) }
    : { heading: paid.headingLater, text: paid.textLater(amount, shop) }
  const refunded =
    "paymentId" in order && order.refundedAmount > 0
      ? money(order.refundedAmount, order.currency, context.language)
      : undefined
  const href = returnAddress(order)
  return renderState(words, {
    ...frameOf(context, order),
    mark: marks.good,
    head: leaves === true && href !== undefined ? refreshAfter(`${checkoutRedirectSeconds};url=${href}`) : undefined,
    terms: [
      ...ownNumber(order, context),
      ...payment(order, context, justNow),
      ...(refunded === undefined ? [] : [[names.refunded, html`${refunded}`] as const])
    ],
    // The address stays in histories: later the page says which order it was and when, but not what was bought
    // (silences: O11).
    more: justNow
      ? html`${order.receiptEmail === null ? undefined : html`<p class="soft">${paid.mailed}</p>`}
        ${href === undefined ? html`<p class="soft">${paid.close}</p>` : renderReturn(order, leaves === true, context)}
        ${receiptLink(context)}`
      : returnButton(order, context, "button")
  })
}

/** The buyer has done all that there is to do: the shop charges the amount, or releases it. */
const renderHeld = ({ order }: PageOf<"Held">, context: PageContext) => {
  const { held } = wordsOf(context)
  return renderState(
    { heading: held.heading, text: held.text(amountOf(order, context), shopIn(context)) },
    {
      ...frameOf(context, order),
      mark: marks.good,
      terms: ownNumber(order, context),
      more: html`<p class="soft">${held.later}</p>
        ${returnButton(order, context, "button")}`
    }
  )
}

/** In a tab of its own, since this one leaves for the shop. */
const receiptLink = (context: PageContext) =>
  context.receipt === undefined
    ? undefined
    : html`<a class="return" href="${context.receipt + choiceOf(context)}" target="_blank" rel="noreferrer"
        >${wordsOf(context).back.receipt}</a
      >`

/** The countdown of the script, which can be stopped; without a script the page says what it does. */
const renderReturn = (order: Order, leaves: boolean, context: PageContext) => {
  const { back } = wordsOf(context)
  const link = returnButton(order, context, "button")
  const soon = html`<noscript
    ><p class="soft">${back.soon.replace("{n}", String(checkoutRedirectSeconds))}</p></noscript
  >`
  return (
    link &&
    html`${leaves ? soon : undefined}
      <p class="soft" role="timer" data-countdown="${back.soon}" data-seconds="${checkoutRedirectSeconds}" hidden></p>
      <div class="buttons">
        ${link}<button class="button quiet small" type="button" data-stay hidden>${back.stay}</button>
      </div>`
  )
}

/** For browsers without a script: the page moves on by itself. */
const refreshAfter = (content: string) => html`<noscript><meta http-equiv="refresh" content="${content}" /></noscript>`

/** How often a page without a script looks whether a payment is processed. */
const lookAgainSeconds = 5

const renderRefunded = ({ at, justNow, order }: PageOf<"Refunded">, context: PageContext) => {
  const { order: names, refunded } = wordsOf(context)
  return renderState(
    { heading: refunded.heading, text: refunded.text(amountOf(order, context), shopIn(context)) },
    {
      ...frameOf(context, order),
      mark: marks.back,
      terms: [
        ...ownNumber(order, context),
        ...payment(order, context),
        ...(at === undefined ? [] : [[names.refundedAt, timeIn(at, context)] as const])
      ],
      more: html`${returnButton(order, context, "button")} ${justNow === true ? receiptLink(context) : undefined}`
    }
  )
}

/** The books have no time for an early end, so its page says when the order was made. */
const renderEnd = (
  words: Pick<Words, "heading"> & { readonly text: (shop: string) => string; readonly refund?: string },
  page: PageOf<"Closed" | "Failed">,
  context: PageContext
) => {
  const { order } = page
  const names = wordsOf(context).order
  const isOver = page._tag === "Closed" && page.isEarly !== true
  return renderState(
    { heading: words.heading, text: words.text(shopIn(context)) },
    {
      ...frameOf(context, order),
      mark: page._tag === "Failed" ? marks.bad : marks.calm,
      terms: [
        [names.amount, html`${amountOf(order, context)}`],
        ...ownNumber(order, context),
        isOver ? [names.expiredAt, timeIn(order.expiresAt, context)] : [names.madeAt, timeIn(order.createdAt, context)]
      ],
      more: html`${words.refund === undefined ? undefined : html`<p class="soft">${words.refund}</p>`}
      ${returnButton(order, context, "button")}`
    }
  )
}

/** The outcome may follow, and then the page updates itself. */
const renderWait = (
  words: Words & { readonly again: string },
  { _tag, order }: PageOf<"Processing" | "Unreachable" | "Uncertain">,
  context: PageContext
) =>
  renderState(words, {
    ...frameOf(context, order, { watched: order !== undefined }),
    alert: _tag !== "Processing",
    ...(_tag === "Processing" ? { mark: marks.wait, head: refreshAfter(String(lookAgainSeconds)) } : {}),
    terms:
      order === undefined
        ? []
        : [[wordsOf(context).order.amount, html`${amountOf(order, context)}`], ...identifyingTerms(order, context)],
    more: html`<div class="buttons">
      <a class="button" href="${againOf(context)}">${words.again}</a>
      ${order && returnButton(order, context, "button quiet")}
    </div>`
  })

/** The terms by which the buyer recognizes the order. `bdi` isolates the writing direction of the merchant's text. */
const identifyingTerms = (order: Order, context: PageContext): Terms => [
  ...(order.subject === null ? [] : [[wordsOf(context).order.subject, html`<bdi>${order.subject}</bdi>`] as const]),
  ...ownNumber(order, context)
]

const ownNumber = (order: Order, context: PageContext): Terms => {
  const number = shopsNumber(order)
  return number === undefined ? [] : [[wordsOf(context).order.number, html`<bdi>${number}</bdi>`]]
}

/** What the buyer pays, or has paid. */
const amountOf = (order: Order, { language }: PageContext): string => money(amountPaid(order), order.currency, language)
