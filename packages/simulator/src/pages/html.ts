/** HTML templates: inserted values are escaped, nested templates are not. */

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | ReadonlyArray<Html> | undefined | false

export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(strings.map((string, index) => string + textOf(parts[index])).join(""))

const textOf = (part: Part): string => {
  if (part === undefined || part === false) return ""
  if (part instanceof Html) return part.text
  if (typeof part === "object") return part.map(({ text }) => text).join("")
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const style = new Html(`
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 2rem auto; padding: 0 1rem; }
label, legend { display: block; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: .5rem; margin: 0 0 1rem; font: inherit; }
fieldset { border: 1px solid; padding: 1rem; margin: 0 0 1rem; }
button { display: block; width: 100%; padding: .75rem; margin: 0 0 .75rem; font: inherit; cursor: pointer; }
[role=alert] { border: 2px solid; padding: .75rem; }
small { display: block; margin: 0 0 1rem; }`)

export const page = (title: string, content: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>${content}<small>This is a simulator. No money moves.</small></main>
      </body>
    </html>`.text
