/** A mail of the service to a merchant's developers, in English: paragraphs as text and as HTML. Pure. */
import { html } from "../pages/html.ts"
import type { Message } from "./Mailer.ts"

interface Plain extends Pick<Message, "id" | "to" | "subject"> {
  readonly paragraphs: ReadonlyArray<string>
}

export const plainMail = ({ id, paragraphs, subject, to }: Plain): Message => ({
  id,
  to,
  fromName: "Coffer",
  subject,
  text: [...paragraphs, ""].join("\n\n"),
  html: html`<!doctype html>
    <html lang="en">
      <body>
        ${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
      </body>
    </html>`.markup
})
