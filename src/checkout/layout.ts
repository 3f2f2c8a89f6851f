/**
 * What all pages for buyers are put together from: the document around them, a page with one message, lists of terms,
 * amounts, drawings.
 */
import { checkoutRedirectSeconds } from "@coffer/model/Limits"
import { twoDecimals } from "@coffer/model/Money"
import { style } from "./checkoutStyle.ts"
import { type Content, type Html, html } from "./html.ts"
import type { ReturnAddress } from "./returnAddress.ts"
import { texts } from "./texts.ts"

export interface Words {
  readonly heading: string
  readonly text: string
}

/** A page with a single message. */
export const renderState = (
  words: Words,
  shown: {
    readonly sandbox?: boolean
    readonly mark?: Html
    readonly terms?: Terms
    readonly more?: Html | undefined
    readonly refresh?: ReturnAddress | undefined
    readonly alert?: boolean
  }
) => {
  const lines = shown.terms ?? []
  return layout({
    title: words.heading,
    sandbox: shown.sandbox === true,
    refresh: shown.refresh,
    main: html`
<section class="card stack">
${shown.mark ?? marks.calm}
<h1>${words.heading}</h1>
<p${shown.alert === true ? html` role="alert"` : undefined}>${words.text}</p>
${lines.length === 0 ? undefined : terms(lines)}
${shown.more}
</section>`
  })
}

export const layout = (shown: {
  readonly title: string
  readonly main: Html
  readonly sandbox: boolean
  readonly wide?: boolean
  readonly refresh?: ReturnAddress | undefined
}): string =>
  html`<!doctype html>
<html lang="${texts.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
${shown.refresh && html`<meta http-equiv="refresh" content="${checkoutRedirectSeconds};url=${shown.refresh.href}" />`}
<title>${shown.title} · ${texts.title}</title>
${style}
</head>
<body>
${shown.sandbox ? html`<p class="sandbox">${texts.sandbox}</p>` : undefined}
<main${shown.wide === true ? html` class="wide"` : undefined}>${shown.main}
</main>
<footer>${texts.footer}</footer>
</body>
</html>
`.markup

export type Terms = ReadonlyArray<readonly [name: string, value: Html]>

export const terms = (lines: Terms) =>
  html`<dl>
    ${lines.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`
    )}
  </dl>`

/** Such as `USD 1,234.50`. With the code, since several currencies share the sign $. */
export const money = (minor: number, currency: string): string =>
  `${currency} ${twoDecimals(minor).replace(/\B(?=(\d{3})+\.)/g, ",")}`

const mark = (kind: string, drawing: Content) =>
  html`<div class="mark ${kind}">
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2.25"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      ${drawing}
    </svg>
  </div>`

export const marks = {
  good: mark("good", html`<path d="M5 12.5l4.5 4.5L19 7.5" />`),
  bad: mark("bad", html`<path d="M7 7l10 10M17 7L7 17" />`),
  calm: mark("calm", html`<path d="M12 6.5v6.5M12 17.2v.1" />`),
  away: mark("away", html`<path d="M12 3l7 3v5.5c0 4.4-3 7.7-7 9.5-4-1.8-7-5.1-7-9.5V6z" />`)
}
