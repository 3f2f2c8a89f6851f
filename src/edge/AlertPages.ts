/**
 * `/operator/alerts`: docs/alerts.md as a page, so that an alert's `runbook_url` leads to what the running version
 * says. Its form is what that document uses of Markdown: headings, paragraphs, lists and tables, with code, bold and
 * links.
 */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { html, Html } from "../pages/html.ts"
import { serveStatic } from "./staticContent.ts"

const file = new URL("../../docs/alerts.md", import.meta.url)

const style = `body { font: 16px/1.6 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2rem .6rem; text-align: left }
code { background: #8882; padding: 0 .2em } h3:target { background: #fd08 }`

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = Effect.map(
  // A copy of the program without its documents, such as one inside another program.
  Effect.orElseSucceed(
    Effect.tryPromise(() => readFile(file, "utf8")),
    () => "# Not here\n\nThis copy of the program has no docs/alerts.md."
  ),
  (text) => ({
    text: pageOf(text).markup,
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policy, "referrer-policy": "no-referrer" }
  })
)

export const pageOf = (text: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Alerts of Coffer</title>
      <style>
        ${new Html(style)}
      </style>
      ${text
        .trim()
        .split(/\n{2,}/)
        .map(blockOf)}
    </html> `

const blockOf = (block: string): Html => {
  const [, marks, heading = ""] = /^(#{1,3}) (.*)$/.exec(block) ?? []
  if (marks !== undefined) {
    const id = heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replace(/ /g, "-")
    const of = { "#": "h1", "##": "h2", "###": "h3" }[marks]!
    return html`<${new Html(of)} id="${id}">${heading}</${new Html(of)}>\n`
  }
  const lines = block.split("\n")
  if (block.startsWith("|")) {
    const rows = lines.filter((line) => !/^[|-]+$/.test(line)).map((line) => line.slice(1, -1).split("|"))
    return html`<table>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${inlines(cell.trim())}</td>`)}
          </tr>`
      )}
    </table> `
  }
  if (block.startsWith("- ")) {
    return html`<ul>
      ${block
        .slice(2)
        .split("\n- ")
        .map((item) => html`<li>${inlines(item)}</li>`)}
    </ul> `
  }
  return html`<p>${inlines(block)}</p> `
}

/** What may stand in a line, the first that fits. Other documents are named, since they are not served. */
const marked = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)]+)\)|\b(Coffer[A-Z]\w+)/g

const inlines = (text: string): ReadonlyArray<Html> => {
  const parts: Array<Html> = []
  let from = 0
  for (const match of text.matchAll(marked)) {
    const [all, code, bold, label, address = "", alert] = match
    parts.push(html`${text.slice(from, match.index)}`)
    from = match.index + all.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (bold !== undefined) parts.push(html`<strong>${inlines(bold)}</strong>`)
    else if (alert !== undefined) parts.push(html`<a href="#${alert.toLowerCase()}">${alert}</a>`)
    else if (/^(#|https:)/.test(address)) parts.push(html`<a href="${address}">${label}</a>`)
    else parts.push(html`${inlines(label!)}`)
  }
  return [...parts, html`${text.slice(from)}`]
}

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/operator/alerts", yield* serveStatic(page))
  })
)
