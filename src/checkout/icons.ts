/** Small drawings for the methods, of our own: none is anybody's logo. */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { html, type Html } from "../pages/html.ts"
import { drawn } from "../pages/layout.ts"

const icon = (drawing: Html) => drawn("icon", 1.75, drawing)

/** The waves of a payment without contact. */
const waves = icon(html`<path d="M7.5 8.5a6 6 0 0 1 0 7M11.5 6a10 10 0 0 1 0 12M15.5 3.5a14 14 0 0 1 0 17" />`)

export const icons: Readonly<Record<PaymentMethod, Html>> = {
  card: icon(html`<rect x="2.5" y="5" width="19" height="14" rx="2.5" /><path d="M2.5 10h19M6 15h4" />`),
  alipay: icon(
    html`<path
      d="M4 8V6a2 2 0 0 1 2-2h2M16 4h2a2 2 0 0 1 2 2v2M20 16v2a2 2 0 0 1-2 2h-2M8 20H6a2 2 0 0 1-2-2v-2M3 12h18"
    />`
  ),
  wechat_pay: icon(
    html`<path d="M9.5 4C5.4 4 2.5 6.6 2.5 9.7c0 1.8 1 3.3 2.5 4.3l-.5 2.5 2.7-1.4c.7.2 1.5.3 2.3.3" />
      <path
        d="M21.5 14.6c0-2.6-2.5-4.7-5.6-4.7s-5.7 2.1-5.7 4.7 2.5 4.7 5.7 4.7c.6 0 1.3-.1 1.9-.3l2.2 1.2-.4-2 1.9-3.6z"
      />`
  ),
  apple_pay: waves,
  google_pay: waves
}
