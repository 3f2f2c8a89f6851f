/** An address as a QR code. It is shown on screens that are not a phone's. */
import { renderSVG } from "uqr"
import { Html, html } from "../../shared/pages/html.ts"

export const qrCode = (address: string, label: string, caption: string): Html =>
  html`<figure class="qr">
    <div role="img" aria-label="${label}">${new Html(renderSVG(address, { border: 2 }))}</div>
    <figcaption>${caption}</figcaption>
  </figure>`
