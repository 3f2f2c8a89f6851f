/**
 * The pages of a payment link: why it leads to no checkout, and the page for link previewers (silences: L1, L4). The
 * button of that page makes the order, so a person who was taken for a program gets one, too.
 */
import type { LinkClosed, PaymentLink } from "@coffer/rules/link/PaymentLink"
import { money } from "../../shared/pages/amounts.ts"
import { html } from "../../shared/pages/html.ts"
import { layout, marks, renderState, type Terms, type Words } from "../../shared/pages/layout.ts"
import { againOf, frameOf, type PageContext, timeIn, wordsOf } from "./frame.ts"

/**
 * `link` is undefined if none was found, or if it could not be read. `visitNo` is the number of the visit that the
 * page's button makes. Without one the page's link asks for the address once more.
 */
export type LinkPage =
  /** For link previewers, which must not use the link up. */
  | { readonly _tag: "Preview"; readonly link: PaymentLink; readonly visitNo: string }
  | {
      readonly _tag: "Closed"
      readonly link?: PaymentLink
      readonly reason: LinkClosed["reason"] | "unknown" | "unavailable"
    }
  | { readonly _tag: "TooOften" | "Unreachable"; readonly link?: PaymentLink; readonly visitNo?: string }

export const renderLink = (page: LinkPage, context: PageContext): string => {
  const texts = wordsOf(context)
  switch (page._tag) {
    case "Preview":
      return renderPreview(page, context)
    case "Closed":
      return renderState(texts.link[page.reason], {
        ...frameOf(context, page.link),
        mark: page.reason === "unknown" ? marks.bad : marks.calm,
        terms: page.link === undefined ? [] : linkTerms(page.link, context)
      })
    case "TooOften":
      return renderAgain(texts.link.tooOften, page, context)
    case "Unreachable":
      return renderAgain(texts.unreachable, page, context)
  }
}

/** The terms of the link. */
const linkTerms = ({ amount, currency, expiresAt, subject }: PaymentLink, context: PageContext): Terms => {
  const { order } = wordsOf(context)
  return [
    ...(subject === null ? [] : [[order.subject, html`<bdi>${subject}</bdi>`] as const]),
    [order.amount, html`${money(amount, currency, context.language)}`],
    ...(expiresAt === null ? [] : [[order.payableUntil, timeIn(expiresAt, context)] as const])
  ]
}

const renderPreview = ({ link, visitNo }: Extract<LinkPage, { readonly _tag: "Preview" }>, context: PageContext) => {
  const { link: words, order } = wordsOf(context)
  const price = money(link.amount, link.currency, context.language)
  return layout({
    ...frameOf(context, link),
    title: `${order.pay} ${price}`,
    main: html`<section class="card stack">
      <h1 class="amount"><span class="eyebrow">${order.pay}</span> ${price}</h1>
      <p><bdi>${link.subject ?? order.noSubject}</bdi></p>
      ${visitForm(visitNo, words.visit)}
    </section>`
  })
}

/** A form posts to the address of its page. Link previewers send none. */
const visitForm = (visitNo: string, label: string) =>
  html`<form class="buttons" method="post">
    <input type="hidden" name="visit_no" value="${visitNo}" />
    <button class="button">${label}</button>
  </form>`

type AgainPage = Extract<LinkPage, { readonly _tag: "TooOften" | "Unreachable" }>

const renderAgain = (words: Words & { readonly again: string }, { link, visitNo }: AgainPage, context: PageContext) =>
  renderState(words, {
    ...frameOf(context, link),
    alert: true,
    more:
      visitNo === undefined
        ? html`<a class="button" href="${againOf(context)}">${words.again}</a>`
        : visitForm(visitNo, words.again)
  })
