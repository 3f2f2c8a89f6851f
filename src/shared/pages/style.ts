/**
 * The style of all pages for buyers: one column on a phone of 360 px, two on a desktop. It is inline, so that no buyer
 * waits for it. The page's policy allows exactly this text, by its hash.
 */
import { grounds, tokens } from "@coffer/console/tokens"
import { everywhere } from "@coffer/model/PaymentMethod"
import { inkOn, lightenedFor } from "@coffer/rules/shop/accent"
import { memoize } from "@coffer/model/memoize"
import { sha256Source } from "./pageScript.ts"
import { Html } from "./html.ts"

/** What belongs to the method that is chosen. */
const ofChosen = (part: "go" | "hint") =>
  everywhere.map((method) => `form:has(#method-${method}:checked) .${part}.by-${method}`).join(", ")

const css = `${tokens}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei",
    sans-serif;
}
:lang(zh-Hant) { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "PingFang TC", "PingFang HK",
  "Microsoft JhengHei", "Noto Sans CJK TC", sans-serif }
h1, h2, p, dl, dd, ul, fieldset { margin: 0; padding: 0 }
main { flex: 1; width: 100%; max-width: 30rem; margin: 0 auto; padding: .75rem 1rem 1rem; display: grid; gap: .875rem;
  align-content: start; grid-template-columns: minmax(0, 1fr) }
[hidden] { display: none !important }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.top { width: 100%; max-width: 30rem; margin: 0 auto; padding: .625rem 1rem 0; display: flex; align-items: center;
  justify-content: space-between; gap: 1rem }
.shop { margin: 0; font-weight: 650; min-width: 0; overflow-wrap: anywhere; display: flex; align-items: center;
  gap: .625rem }
.shop img { flex: none; height: 2rem; max-width: 7rem; object-fit: contain; padding: .125rem; border-radius: .375rem;
  background: var(--plate) }
.help { color: var(--soft); font-size: .875rem; overflow-wrap: anywhere }
.help a { display: inline-block; max-width: 100%; margin-inline-end: .5rem; color: inherit }
.card > .help { border-top: 1px solid var(--line); padding-top: .875rem }
.top nav { margin-inline-start: auto }
.languages { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: .25rem }
.languages .switch { padding: .375rem .625rem }
.switch { display: inline-block; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: 2rem;
  font-size: .875rem; color: var(--ink); text-decoration: none; white-space: nowrap }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1rem }
.stack { display: grid; gap: .875rem; grid-template-columns: minmax(0, 1fr) }
.sandbox { margin: 0; padding: .25rem 1rem; background: #7a4b00; color: #fff; font-size: .8125rem; font-weight: 600;
  text-align: center }
.summary { gap: .625rem }
.summary dl { border: 0; padding: 0; gap: .25rem; font-size: .875rem }
.summary dd { font-weight: 500 }
.eyebrow { display: block; font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0 }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance }
h1.amount { font-size: clamp(1.5rem, 8vw, 2.125rem); font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.soft { color: var(--soft) }
bdi, main p, main li { overflow-wrap: anywhere }
dl { display: grid; gap: .625rem; font-size: .9375rem; border-top: 1px solid var(--line); padding-top: 1rem }
dl div { display: flex; justify-content: space-between; gap: .75rem }
dt { color: var(--soft); flex: none }
dd { overflow-wrap: anywhere; min-width: 0; text-align: end; text-wrap: pretty }

fieldset { border: 0; min-width: 0 }
legend, .label { padding: 0; font-weight: 600; font-size: .875rem }
.label .soft { font-weight: 400 }
.methods { display: grid; grid-template-columns: repeat(auto-fit, minmax(4.75rem, 1fr)); gap: .5rem }
.method { position: relative; display: grid; place-content: center; min-height: 2.75rem; padding: .375rem .25rem;
  border: 1px solid var(--edge); border-radius: .75rem; cursor: pointer; font-size: .875rem; font-weight: 500;
  text-align: center; overflow-wrap: anywhere }
.method:has(:checked) { background: var(--tint); border-color: var(--accent); color: var(--accent);
  font-weight: 600; box-shadow: inset 0 0 0 1px var(--accent) }
.method:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px }
.method input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer }
.details { display: grid; gap: .75rem; grid-template-columns: repeat(2, minmax(0, 1fr)) }
.details .wide { grid-column: 1 / -1 }
form:has(input[name="method"]:checked):not(:has(#method-card:checked)) .details { display: none }
.card:has(input[name="method"]:checked):not(:has(#method-card:checked)) .tests { display: none }
.hint { display: none; margin: 0; font-size: .9375rem }
${ofChosen("hint")} { display: block }
@supports selector(:has(*)) {
  .go { display: none }
  ${ofChosen("go")} { display: inline }
}
.field { display: grid; gap: .25rem; align-content: start }
.entry { position: relative; display: grid }
.brand { position: absolute; inset-inline-end: .5rem; top: 50%; transform: translateY(-50%); padding: .125rem .5rem;
  border-radius: .375rem; background: var(--tint); color: var(--accent); font-size: .75rem; font-weight: 700 }
.brand:empty { display: none }
.field input {
  width: 100%; min-height: 2.75rem; padding: .375rem .75rem; border: 1px solid var(--edge); border-radius: .625rem;
  background: var(--card); color: inherit; font: inherit; font-variant-numeric: tabular-nums;
}
.field input::placeholder { color: var(--soft); opacity: 1 }
.field input[aria-invalid] { border-color: var(--alert); box-shadow: inset 0 0 0 1px var(--alert) }
.field input:focus-visible, a:focus-visible, button:focus-visible { outline: 3px solid var(--accent);
  outline-offset: 2px }
.mistake { color: var(--alert); font-size: .875rem }
.mail summary { line-height: 1.25; font-size: .875rem; font-weight: 600; cursor: pointer }
.mail .field { padding-top: .375rem }
.mail .soft { margin: 0; font-size: .8125rem }
.note { background: var(--note); border-radius: .75rem; padding: .75rem 1rem; font-size: .8125rem }
.note ul { list-style: none; margin: .5rem 0 }
.note li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .75rem; padding: .25rem 0 }
.note summary { cursor: pointer; font-weight: 600 }
.note code { font: inherit; font-variant-numeric: tabular-nums; color: var(--ink); white-space: nowrap }
.alert { border: 1px solid var(--alert); background: var(--alert-tint); border-radius: .75rem; padding: .625rem .875rem;
  font-size: .9375rem }
.alert strong { color: var(--alert) }
.alert:focus, .note:focus { outline: 3px solid var(--accent); outline-offset: 2px }
.trust { margin: 0; display: flex; justify-content: center; align-items: center; gap: .375rem; font-size: .8125rem;
  color: var(--soft); text-align: center }
.trust svg { width: 1rem; height: 1rem; flex: none }

.button {
  display: block; width: 100%; min-height: 3.25rem; padding: .75rem 1rem; border: 1px solid var(--accent);
  border-radius: .75rem; background: var(--accent); color: var(--accent-ink); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; overflow-wrap: anywhere; cursor: pointer;
}
.button:disabled { opacity: .6; cursor: default }
form[aria-busy] .button:disabled:not(.quiet) { opacity: .85 }
.button.express { display: flex; align-items: center; justify-content: center; gap: .5rem; background: var(--ink);
  border-color: var(--ink); color: var(--card) }
form.express { gap: .75rem }
.or { margin: 0; display: flex; align-items: center; gap: .75rem; color: var(--soft); font-size: .8125rem }
.or::before, .or::after { content: ""; flex: 1; height: 1px; background: var(--line) }
.return { display: block; padding: .25rem; text-align: center; color: var(--soft); overflow-wrap: anywhere }
[data-notice]:empty { display: none }
.qr { display: none; margin: 0; justify-items: center; gap: .75rem; text-align: center; color: var(--soft) }
.qr div { background: #fff; border-radius: .75rem; padding: .25rem; width: 13rem; height: 13rem }
.qr svg { display: block; width: 100%; height: 100% }
.button:hover:enabled, a.button:hover { filter: brightness(1.08) }
.button.quiet { background: transparent; color: var(--ink); border-color: var(--edge) }
.buttons { display: grid; gap: .75rem }
.button.small { width: auto; min-height: 2rem; padding: .125rem .75rem; border-color: transparent; font-weight: 400;
  font-size: .875rem; justify-self: center; text-decoration: underline; color: var(--soft) }
.number { font-size: min(.75rem, 3vw); white-space: nowrap }
.reference { font-size: .8125rem }
.aside { display: none }
.legal { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem 1rem }
.legal a { color: inherit }
.printed { display: none }
.mark { width: 3.5rem; height: 3.5rem; border-radius: 50%; display: grid; place-items: center; background: var(--tint);
  color: var(--accent) }
.mark.bad { background: var(--alert-tint); color: var(--alert) }
.mark.calm { background: var(--note); color: var(--soft) }
.mark svg { width: 1.75rem; height: 1.75rem }
footer { padding: .5rem 1rem 1.5rem; text-align: center; font-size: .8125rem; color: var(--soft) }

@media (max-width: 15rem) {
  .details { grid-template-columns: minmax(0, 1fr) }
  .note code { white-space: normal }
  .card { padding: .75rem }
}
@media (min-width: 56rem) {
  main { padding: 2.5rem 1.5rem 1.5rem }
  .wide { max-width: 60rem }
  main.wide { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 3rem; align-items: start }
  .top { padding: 1.5rem 1.5rem 0 }
  main.wide .summary { gap: 1.25rem; padding: 1.25rem 0 }
  .summary dl { border-top: 1px solid var(--line); padding-top: 1rem; gap: .625rem; font-size: .9375rem }
  .aside { display: grid; gap: .875rem; border-top: 1px solid var(--line); padding-top: 1.25rem; font-size: .9375rem }
  .aside h2 { font-size: .9375rem; font-weight: 650 }
  .aside ol { margin: 0; padding: 0 0 0 1.25rem; display: grid; gap: .375rem; color: var(--soft) }
  .in-footer { display: none }
  .card { padding: 1.75rem }
  .stack { gap: 1.25rem }
  .qr { display: grid }
}
@media (prefers-reduced-motion: no-preference) {
  form[aria-busy] .button:disabled:not(.quiet) { animation: busy 1.2s ease-in-out infinite alternate }
  @keyframes busy { to { opacity: .55 } }
}
@media (forced-colors: active) {
  .method:has(:checked) { outline: 3px solid Highlight; outline-offset: -3px; text-decoration: underline }
  .sandbox, .mark { border: 1px solid CanvasText }
}
@media (prefers-contrast: more) { :root { --soft: var(--ink); --line: var(--edge) } }
@page { margin: 18mm }
@media print {
  body { background: #fff; color: #000; min-height: 0 }
  .card { border: 0; padding: 0 }
  .button, .sandbox, .top nav { display: none }
  .printed { display: block }
}
`

/** Not escaped, so nothing of an order may ever be put into it. */
export const style = new Html(`<style>${css}</style>`)

/** The source expression of a text for the Content-Security-Policy. */
const sourceOf = (text: string) => `'${sha256Source(text)}'`

export const styleSource = sourceOf(css)

/**
 * A shop's own colour as the accent: its style, and that text's source expression. Its contrast with light pages was
 * checked when it was set; dark pages use a lighter one. Nothing but a colour may ever be put into a style.
 */
export const accentOf = (color: string) => (/^#[0-9a-f]{6}$/i.test(color) ? accents(color) : undefined)

const accents = memoize(
  1_000,
  (color: string) => color,
  (color) => {
    const dark = lightenedFor(color, grounds.dark)
    const text = `:root { --accent: ${color}; --accent-ink: ${inkOn(color)}; --tint: var(--note) }
@media (prefers-color-scheme: dark) { :root { --accent: ${dark}; --accent-ink: ${inkOn(dark)} } }`
    return { style: new Html(`<style>${text}</style>`), source: sourceOf(text) }
  }
)
