/** The receipt as a page to read and to print on A4 or Letter (spec: Order, receipt_url). Pure. */
import { isoText } from "@coffer/model/isoText"
import { type DateTime } from "effect"
import { html } from "../../shared/pages/html.ts"
import { layout, marks, renderState, terms } from "../../shared/pages/layout.ts"
import { amountPaid, receiptLines, type ReceiptOf, receiptTexts } from "../../money/receipts/receiptTexts.ts"
import { againOf, frameOf, type PageContext } from "./frame.ts"

export const renderReceipt = (shown: ReceiptOf, context: PageContext): string => {
  const { language, order } = shown
  const texts = receiptTexts[language]
  return layout({
    ...frameOf(context, order),
    title: `${texts.title} ${order.receipt?.number ?? ""}`,
    main: html`<section class="card stack receipt">
      <h1 class="amount"><span class="eyebrow">${texts.title}</span> ${amountPaid(shown)}</h1>
      ${terms(
        receiptLines(shown).map(([name, value, at]) => [
          name,
          at === undefined ? html`<bdi>${value}</bdi>` : exactly(at, value)
        ])
      )}
      <p class="soft reference">${texts.transaction} <span class="number">${order.tradeNo}</span></p>
      <p class="soft">${texts.notTax}</p>
      ${order.mode === "sandbox" ? html`<p class="soft printed">${texts.sandbox}</p>` : undefined}
      <button class="button quiet" type="button" data-print hidden>${texts.print}</button>
    </section>`
  })
}

/** A receipt may be printed, so the day is no "today", and the zone is named. */
const exactly = (at: DateTime.Utc, text: string) => html`<time datetime="${isoText(at)}" data-exact>${text}</time>`

/** The address is not one of ours, or its order has no receipt. */
export const renderUnknown = (context: PageContext): string =>
  renderState(receiptTexts[context.language].unknown, { ...frameOf(context), mark: marks.bad })

export const renderUnreachable = (context: PageContext): string => {
  const { again, unreachable } = receiptTexts[context.language]
  const more = html`<a class="button" href="${againOf(context)}">${again}</a>`
  return renderState(unreachable, { ...frameOf(context), alert: true, more })
}
