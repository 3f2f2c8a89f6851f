/**
 * HTML templates. Every value that is put into a template is escaped, apart from the result of another template.
 * Attribute values must be in double quotes.
 */

/** Finished HTML. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** The values that may be put into a template. Undefined is left out. */
export type Content = string | number | Html | ReadonlyArray<Html> | undefined

export const html = (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html =>
  new Html(parts.map((part, index) => part + markupOf(contents[index])).join(""))

const markupOf = (content: Content): string => {
  if (content === undefined) return ""
  if (content instanceof Html) return content.markup
  return Array.isArray(content) ? content.map(markupOf).join("") : escape(String(content))
}

/** The result is safe as text and in a quoted attribute. */
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
