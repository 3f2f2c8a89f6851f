/**
 * What the page of Swagger UI lacks: its colours have too little contrast, it does not follow the device into the dark,
 * and a phone has to scroll it sideways. Some of its fields have no name, and its code cannot be scrolled by keyboard.
 */

/** Runs before the first paint. */
const script = `
const device = matchMedia("(prefers-color-scheme: dark)")
let chosen
const follow = () => {
  const isDark = chosen === "dark" || (chosen !== "light" && device.matches)
  document.documentElement.classList.toggle("dark-mode", isDark)
}
device.addEventListener("change", follow)
follow()
// What the library makes as the reader opens it: names of fields, and code that a keyboard can scroll.
const name = () => {
  for (const each of document.querySelectorAll("select:not([aria-label]):not([id])")) {
    each.setAttribute("aria-label", each.closest("tr[data-param-name]")?.dataset.paramName ?? "Example")
  }
  for (const each of document.querySelectorAll("pre.microlight:not([tabindex])")) each.tabIndex = 0
}
new MutationObserver(name).observe(document.documentElement, { childList: true, subtree: true })
// The reader's choice in the documents (packages/site/src/browser/theme.ts). Last, since a browser may refuse it.
chosen = localStorage.getItem("coffer-theme")
follow()
`

const style = `
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fa8 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #16703f }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b32020 }
.swagger-ui .info .title small { background: #4a5560 }
.swagger-ui .info .title small.version-stamp { background: #1d632e }
.swagger-ui .info .title small pre { color: #fff }
.swagger-ui .info a, .swagger-ui .info__license a { color: #1f5fa8 }
.swagger-ui .btn.authorize { color: #16703f; border-color: #16703f }
.swagger-ui .btn.authorize svg { fill: #16703f }
.swagger-ui .servers-title, .swagger-ui .servers { display: none }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #ffa3a3 !important }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #3b4151 }
html:not(.dark-mode) .swagger-ui .parameter__in { color: #555 }
html.dark-mode { color-scheme: dark }
html.dark-mode .swagger-ui .header-col, html.dark-mode .swagger-ui .headers-wrapper { color: #d5d9db }
html.dark-mode .swagger-ui .info a, html.dark-mode .swagger-ui .info__license a { color: #8fc1ff }
html.dark-mode .swagger-ui .btn.authorize { color: #6fd8a4; border-color: #6fd8a4 }
html.dark-mode .swagger-ui .btn.authorize svg { fill: #6fd8a4 }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 0.75rem }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; overflow-wrap: anywhere }
  .swagger-ui .opblock-tag { flex-wrap: wrap }
  .swagger-ui .opblock-tag small { padding: 0 }
  .swagger-ui .json-schema-2020-12__title { overflow-wrap: anywhere; white-space: normal }
  .swagger-ui .json-schema-2020-12-accordion { max-width: 100%; text-align: left }
  .swagger-ui table { display: block; overflow-x: auto }
}
`

/** `page`: as the library makes it. */
export const withOwnLooks = (page: string): string =>
  page.replace("</head>", () => `<style>${style}</style><script>${script}</script></head>`)
