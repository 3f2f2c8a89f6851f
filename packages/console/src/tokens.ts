/** The theme of all pages: checkout, receipts, sign-in and console. Colours for light and dark, as CSS. */
const light = `
  --page: #f5f4f0; --card: #fff; --line: #dedbd3; --edge: #8a8f8c; --ink: #1b2422; --soft: #56615e;
  --accent: #17614f; --accent-ink: #fff; --tint: #eef5f2; --alert: #9c2730; --alert-tint: #fcf0f0; --note: #f7f6f2;
  --plate: transparent;`
const dark = `
  --page: #131817; --card: #1c2321; --line: #33403c; --edge: #7d8a86; --ink: #eef2f0; --soft: #a9b5b1;
  --accent: #7fd1b9; --accent-ink: #0d1f1a; --tint: #20302b; --alert: #ff9c9c; --alert-tint: #33201f; --note: #222b28;
  --plate: #fff;`

/** The backgrounds of text in the accent colour. */
const groundsIn = (colours: string): ReadonlyArray<string> =>
  [...colours.matchAll(/--(?:page|card|tint): #(\w+)/g)].map(([, hex = ""]) =>
    hex.length === 3 ? `#${[...hex].map((digit) => digit + digit).join("")}` : `#${hex}`
  )
export const grounds = { light: groundsIn(light), dark: groundsIn(dark) }

/** For a page that follows the device's choice of light or dark. */
export const tokens = `
:root {
  color-scheme: light dark;${light}
}
@media (prefers-color-scheme: dark) {
  :root {${dark.replaceAll("\n", "\n  ")}
  }
}`

/** For the console, where a person may choose: `data-theme` on the root element. */
export const chosenTokens = `${tokens}
:root[data-theme="light"] { color-scheme: light;${light} }
:root[data-theme="dark"] { color-scheme: dark;${dark} }
`

/** A chest, as a data URL, so that it needs no request. */
export const icon =
  "data:image/svg+xml," +
  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E" +
  "%3Crect width='32' height='32' rx='7' fill='%2317614f'/%3E" +
  "%3Cpath d='M7 14a5 5 0 0 1 5-5h8a5 5 0 0 1 5 5v9H7zM7 15h18M16 14v4' " +
  "fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"
