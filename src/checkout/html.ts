/**
 * HTML in which everything is text until proven otherwise: whatever is put into a template is escaped, and only what
 * another template has made goes in as it is. Attribute values stand in double quotes, always.
 */

/** Finished HTML. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** What may be put into a template; undefined is left out. */
export type Content = string | number | Html | ReadonlyArray<Html> | undefined

export const html = (parts: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html =>
  new Html(parts.map((part, index) => part + markupOf(contents[index])).join(""))

const markupOf = (content: Content): string => {
  if (content === undefined) return ""
  if (content instanceof Html) return content.markup
  return Array.isArray(content) ? content.map(markupOf).join("") : escape(String(content))
}

/** Safe as text and in a quoted attribute. */
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
