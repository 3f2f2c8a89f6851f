/**
 * The pages of a payment link that lead to no checkout: why there is none, and what previews see (silences: L1, L4).
 */
import type { LinkClosed, PaymentLink } from "@coffer/rules/link/PaymentLink"
import { money } from "../pages/amounts.ts"
import { html } from "../pages/html.ts"
import { layout, marks, renderState } from "../pages/layout.ts"
import { texts } from "./texts.ts"

export type LinkPage =
  /** For programs that look ahead: they must not use the link up. */
  | { readonly _tag: "Preview"; readonly link: PaymentLink; readonly address: string }
  | { readonly _tag: "Closed"; readonly reason: LinkClosed["reason"] | "unknown" | "unavailable" }
  | { readonly _tag: "TooOften" | "Unreachable"; readonly address: string }

/** So far the page speaks English alone. */
const language = "en"

export const renderLink = (page: LinkPage): string => {
  switch (page._tag) {
    case "Preview":
      return renderPreview(page.link, page.address)
    case "Closed":
      return renderState(texts.link[page.reason], {
        language,
        mark: page.reason === "unknown" ? marks.bad : marks.calm
      })
    case "TooOften":
      return renderAgain(texts.link.tooOften, page.address)
    case "Unreachable":
      return renderAgain(texts.unreachable, page.address)
  }
}

const renderPreview = ({ amount, currency, mode, subject }: PaymentLink, address: string) => {
  const price = money(amount, currency, language)
  return layout({
    title: `${texts.order.pay} ${price}`,
    language,
    sandbox: mode === "sandbox",
    main: html`<section class="card stack">
      <h1 class="amount"><span class="eyebrow">${texts.order.pay}</span> ${price}</h1>
      <p><bdi>${subject ?? texts.order.noSubject}</bdi></p>
      <a class="button" href="${address}">${texts.link.visit}</a>
    </section>`
  })
}

const renderAgain = (
  words: { readonly heading: string; readonly text: string; readonly again: string },
  address: string
) => renderState(words, { language, alert: true, more: html`<a class="button" href="${address}">${words.again}</a>` })
