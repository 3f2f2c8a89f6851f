/**
 * The parts of all pages for buyers: the document around them, a page with one message, terms, drawings.
 */
import { icon } from "@coffer/console/tokens"
import { type Content, type Html, html } from "./html.ts"
import { type Language, tags } from "./language.ts"
import { style } from "./style.ts"

/** The texts of the document around every page. */
const frames = {
  en: { sandbox: "Sandbox: no real money is charged", footer: "Secure checkout by Coffer" },
  zh: { sandbox: "沙盒环境：不会真实扣款", footer: "由 Coffer 提供安全结账" },
  "zh-Hant": { sandbox: "沙盒環境：不會真實扣款", footer: "由 Coffer 提供安全結帳" }
} as const satisfies Record<Language, object>

export interface Words {
  readonly heading: string
  readonly text: string
}

export interface Frame {
  readonly language: Language
  readonly sandbox?: boolean
  /** The header: the shop, and the language switch. */
  readonly top?: Html | undefined
  /** Where the buyer finds help. */
  readonly help?: Html | undefined
  /** The shop's terms. */
  readonly legal?: Html | undefined
  /** The style with the shop's own colour. */
  readonly accent?: Html | undefined
  readonly script?: Html
  /** The end of the page, unless it is the checkout's. */
  readonly footer?: string
  /** Further elements of the document's head. */
  readonly head?: Html | undefined
}

/** A page with a single message. */
export const renderState = (
  words: Words,
  shown: Frame & {
    readonly mark?: Html
    readonly terms?: Terms
    readonly more?: Html | undefined
    readonly alert?: boolean
  }
) => {
  const { alert, help, mark, more, terms: lines = [] } = shown
  return layout({
    ...shown,
    help: undefined,
    title: words.heading,
    main: html`
<section class="card stack">
${mark ?? marks.calm}
<h1>${words.heading}</h1>
<p${alert === true ? html` role="alert"` : undefined}>${words.text}</p>
${lines.length === 0 ? undefined : terms(lines)}
${more} ${help && html`<p class="help">${help}</p>`}
</section>`
  })
}

/** `wide`: two columns on a desktop; the first shows where to get help, instead of the footer. */
export const layout = (shown: Frame & { readonly title: string; readonly main: Html; readonly wide?: boolean }) => {
  const { footer, sandbox } = frames[shown.language]
  const wide = shown.wide === true ? html` wide` : undefined
  return html`<!doctype html>
    <html lang="${tags[shown.language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="${icon}" />
        ${shown.head}
        <title>${shown.title}</title>
        ${style} ${shown.accent}
      </head>
      <body>
        <header>
          ${shown.sandbox === true ? html`<p class="sandbox">${sandbox}</p>` : undefined}
          ${shown.top === undefined ? undefined : html`<div class="top${wide}">${shown.top}</div>`}
        </header>
        <main class="page${wide}">${shown.main}</main>
        <footer>
          ${shown.help && html`<p class="help${wide && html` in-footer`}">${shown.help}</p>`}
          ${shown.legal && html`<p class="legal">${shown.legal}</p>`} ${shown.footer ?? footer}
        </footer>
        ${shown.script}
      </body>
    </html> `.markup
}

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

/** A drawing of lines in the text's colour, on a sheet of 24 by 24. */
export const drawn = (kind: string, strokeWidth: number, drawing: Content) =>
  html`<svg
    class="${kind}"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="${strokeWidth}"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    ${drawing}
  </svg>`

const mark = (kind: string, drawing: Content) => html`<div class="mark ${kind}">${drawn("sign", 2.25, drawing)}</div>`

export const marks = {
  good: mark("good", html`<path d="M5 12.5l4.5 4.5L19 7.5" />`),
  bad: mark("bad", html`<path d="M7 7l10 10M17 7L7 17" />`),
  calm: mark("calm", html`<path d="M12 6.5v6.5M12 17.2v.1" />`),
  back: mark("calm", html`<path d="M9 14L4.5 9.5 9 5M5 9.5h9a5 5 0 0 1 0 10h-4" />`),
  wait: mark("calm", html`<circle cx="12" cy="12" r="8.5" /><path d="M12 7.5V12l3 2" />`),
  away: mark("away", html`<path d="M12 3l7 3v5.5c0 4.4-3 7.7-7 9.5-4-1.8-7-5.1-7-9.5V6z" />`)
}
