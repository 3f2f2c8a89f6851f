/**
 * The style of all pages for buyers: one column on a phone of 360 px, two on a desktop. It is inline, since the page
 * loads nothing. The page's policy allows exactly this text, by its hash.
 */
import { sha256 } from "../platform/runtime/Secrets.ts"
import { Html } from "./html.ts"

const css = `
:root {
  color-scheme: light dark;
  --page: #f5f4f0; --card: #fff; --line: #dedbd3; --edge: #8a8f8c; --ink: #1b2422; --soft: #56615e;
  --accent: #17614f; --accent-ink: #fff; --tint: #eef5f2; --alert: #9c2730; --alert-tint: #fcf0f0; --note: #f7f6f2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131817; --card: #1c2321; --line: #33403c; --edge: #7d8a86; --ink: #eef2f0; --soft: #a9b5b1;
    --accent: #7fd1b9; --accent-ink: #0d1f1a; --tint: #20302b; --alert: #ff9c9c; --alert-tint: #33201f; --note: #222b28;
  }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Microsoft YaHei",
    sans-serif;
}
h1, h2, p, dl, dd, ul, fieldset { margin: 0; padding: 0 }
main { flex: 1; width: 100%; max-width: 30rem; margin: 0 auto; padding: 1rem; display: grid; gap: 1rem;
  align-content: start; grid-template-columns: minmax(0, 1fr) }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.25rem }
.stack { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr) }
.sandbox { margin: 1rem auto 0; padding: .25rem .875rem; border: 1px solid var(--line); border-radius: 2rem;
  font-size: .8125rem; color: var(--soft) }
.eyebrow { display: block; font-size: 1rem; font-weight: 500; color: var(--soft); letter-spacing: 0 }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance }
h1.amount { font-size: clamp(1.5rem, 8vw, 2.125rem); font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.soft { color: var(--soft) }
bdi { overflow-wrap: anywhere }
dl { display: grid; gap: .625rem; font-size: .9375rem; border-top: 1px solid var(--line); padding-top: 1rem }
dl div { display: flex; justify-content: space-between; gap: .75rem }
dt { color: var(--soft); flex: none }
dd { overflow-wrap: anywhere; min-width: 0; text-align: end; text-wrap: pretty }

fieldset { border: 0; min-width: 0 }
legend, .label { padding: 0; font-weight: 600; font-size: .9375rem }
legend { margin-bottom: .5rem }
.methods { border: 1px solid var(--line); border-radius: .75rem; overflow: hidden }
.method { display: flex; align-items: center; gap: .75rem; min-height: 3.25rem; padding: .5rem 1rem; cursor: pointer }
.method + .method { border-top: 1px solid var(--line) }
.method:has(:checked) { background: var(--tint); font-weight: 600 }
.method:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; border-radius: .75rem }
.method input { width: 1.25rem; height: 1.25rem; margin: 0; flex: none; accent-color: var(--accent); outline: 0 }
.details { display: grid; gap: 1rem; grid-template-columns: repeat(2, minmax(0, 1fr)) }
.details .wide { grid-column: 1 / -1 }
form:has(input[name="method"]:checked):not(:has(#method-card:checked)) .details { display: none }
.field { display: grid; gap: .375rem; align-content: start }
.field input {
  width: 100%; min-height: 3rem; padding: .5rem .875rem; border: 1px solid var(--edge); border-radius: .625rem;
  background: var(--card); color: inherit; font: inherit; font-variant-numeric: tabular-nums;
}
.field input::placeholder { color: var(--soft); opacity: 1 }
.field input[aria-invalid] { border-color: var(--alert); box-shadow: inset 0 0 0 1px var(--alert) }
.field input:focus-visible, a:focus-visible, button:focus-visible { outline: 3px solid var(--accent);
  outline-offset: 2px }
.mistake { color: var(--alert); font-size: .875rem }
.note { background: var(--note); border-radius: .75rem; padding: .75rem 1rem; font-size: .8125rem }
.note ul { list-style: none; margin: .25rem 0 }
.note li { display: flex; flex-wrap: wrap; gap: 0 .625rem }
.note code { font: inherit; font-variant-numeric: tabular-nums; color: var(--ink); white-space: nowrap }
.alert { border: 1px solid var(--alert); background: var(--alert-tint); border-radius: .75rem; padding: .75rem 1rem }
.alert strong { color: var(--alert) }

.button {
  display: block; width: 100%; min-height: 3.25rem; padding: .75rem 1rem; border: 1px solid var(--accent);
  border-radius: .75rem; background: var(--accent); color: var(--accent-ink); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; overflow-wrap: anywhere; cursor: pointer;
}
.button:hover { filter: brightness(1.08) }
.button.quiet { background: transparent; color: var(--ink); border-color: var(--edge) }
.buttons { display: grid; gap: .75rem }
.mark { width: 3.5rem; height: 3.5rem; border-radius: 50%; display: grid; place-items: center; background: var(--tint);
  color: var(--accent) }
.mark.bad { background: var(--alert-tint); color: var(--alert) }
.mark.calm { background: var(--note); color: var(--soft) }
.mark svg { width: 1.75rem; height: 1.75rem }
footer { padding: .5rem 1rem 1.5rem; text-align: center; font-size: .8125rem; color: var(--soft) }

@media (min-width: 56rem) {
  main { padding: 3rem 1.5rem 1.5rem }
  main.wide { max-width: 60rem; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 3rem; align-items: start }
  main.wide .summary { background: none; border: 0; padding: 1.25rem 0 }
  .card { padding: 1.75rem }
  .sandbox { margin-top: 1.5rem }
}
@media (prefers-contrast: more) { :root { --soft: var(--ink); --line: var(--edge) } }
@page { margin: 18mm }
@media print {
  body { background: #fff; color: #000; min-height: 0 }
  .card { border: 0; padding: 0 }
  .button, .sandbox { display: none }
}
`

/** Not escaped, so nothing of an order may ever be put into it. */
export const style = new Html(`<style>${css}</style>`)

/** The source expression of this text for the Content-Security-Policy. */
export const styleSource = `'sha256-${Buffer.from(sha256(css), "hex").toString("base64")}'`
