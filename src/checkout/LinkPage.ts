/**
 * The pages of a payment link that lead to no checkout: why there is none, and what previews see (silences: L1, L4).
 */
import type { LinkClosed, PaymentLink } from "@coffer/rules/link/PaymentLink"
import { money } from "../pages/amounts.ts"
import { html } from "../pages/html.ts"
import { layout, marks, renderState, type Words } from "../pages/layout.ts"
import { againOf, frameOf, type Seen, wordsOf } from "./frame.ts"

/** `link` is undefined where none was found, or where it could not be looked for. */
export type LinkPage =
  /** For programs that look ahead: they must not use the link up. */
  | { readonly _tag: "Preview"; readonly link: PaymentLink }
  | {
      readonly _tag: "Closed"
      readonly link?: PaymentLink
      readonly reason: LinkClosed["reason"] | "unknown" | "unavailable"
    }
  | { readonly _tag: "TooOften" | "Unreachable"; readonly link?: PaymentLink }

export const renderLink = (page: LinkPage, seen: Seen): string => {
  const texts = wordsOf(seen)
  switch (page._tag) {
    case "Preview":
      return renderPreview(page.link, seen)
    case "Closed":
      return renderState(texts.link[page.reason], {
        ...frameOf(seen, page.link),
        mark: page.reason === "unknown" ? marks.bad : marks.calm
      })
    case "TooOften":
      return renderAgain(texts.link.tooOften, page, seen)
    case "Unreachable":
      return renderAgain(texts.unreachable, page, seen)
  }
}

const renderPreview = (link: PaymentLink, seen: Seen) => {
  const { link: words, order } = wordsOf(seen)
  const price = money(link.amount, link.currency, seen.language)
  return layout({
    ...frameOf(seen, link),
    title: `${order.pay} ${price}`,
    main: html`<section class="card stack">
      <h1 class="amount"><span class="eyebrow">${order.pay}</span> ${price}</h1>
      <p><bdi>${link.subject ?? order.noSubject}</bdi></p>
      <a class="button" href="${againOf(seen)}">${words.visit}</a>
    </section>`
  })
}

const renderAgain = (words: Words & { readonly again: string }, { link }: LinkPage, seen: Seen) =>
  renderState(words, {
    ...frameOf(seen, link),
    alert: true,
    more: html`<a class="button" href="${againOf(seen)}">${words.again}</a>`
  })
