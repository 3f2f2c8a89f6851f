/** The receipt as a page to read and to print on A4 or Letter (spec: Order, receipt_url). Pure. */
import { html } from "../pages/html.ts"
import type { Language } from "../pages/language.ts"
import { layout, marks, renderState, terms } from "../pages/layout.ts"
import { amountPaid, receiptLines, type ReceiptOf } from "../receipts/receiptLines.ts"
import { receiptTexts } from "../receipts/receiptTexts.ts"

export const renderReceipt = (shown: ReceiptOf): string => {
  const { language, order } = shown
  const texts = receiptTexts[language]
  return layout({
    language,
    title: `${texts.title} ${order.receipt?.number ?? ""}`,
    sandbox: order.mode === "sandbox",
    main: html`<section class="card stack receipt">
      <h1 class="amount"><span class="eyebrow">${texts.title}</span> ${amountPaid(shown)}</h1>
      ${terms(receiptLines(shown).map(([name, value]) => [name, html`<bdi>${value}</bdi>`]))}
      <p class="soft">${texts.notTax}</p>
    </section>`
  })
}

/** The address is not one of ours, or its order has no receipt. */
export const renderUnknown = (language: Language): string =>
  renderState(receiptTexts[language].unknown, { language, mark: marks.bad })

export const renderUnreachable = (language: Language, address: string): string => {
  const { again, unreachable } = receiptTexts[language]
  const more = html`<a class="button" href="${address}">${again}</a>`
  return renderState(unreachable, { language, alert: true, more })
}
