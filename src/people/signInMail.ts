/** Mails about signing in: a link, and an invitation. They have no picture and no tracking. Pure. */
import type { Message } from "../mail/Mailer.ts"
import { html } from "../pages/html.ts"

interface SentLink {
  readonly to: string
  readonly link: string
  readonly id: string
}

interface SentInvitation extends SentLink {
  readonly name: string
  /** Undefined: the installation. */
  readonly merchantName: string | undefined
}

const style =
  "max-width:480px;margin:24px auto;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b2422"
const button =
  "display:inline-block;padding:12px 20px;border-radius:10px;background:#17614f;color:#fff;text-decoration:none"

const mailOf = (
  { id, link, to }: SentLink,
  subject: string,
  paragraphs: ReadonlyArray<string>,
  action: string,
  last: string
): Message => ({
  id,
  to,
  fromName: "Coffer",
  subject,
  text: [...paragraphs, link, last, ""].join("\n\n"),
  html: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body>
        <div style="${style}">
          ${paragraphs.map((text) => html`<p>${text}</p>`)}
          <p><a href="${link}" style="${button}">${action}</a></p>
          <p>${last}</p>
        </div>
      </body>
    </html>`.markup
})

export const signInMail = (sent: SentLink): Message =>
  mailOf(
    sent,
    "Sign in to Coffer",
    ["Open this link to sign in. It works once, for 15 minutes, in the browser in which you asked for it."],
    "Sign in",
    "If you did not ask for it, you can ignore this mail: nobody signs in without the link and your browser."
  )

export const invitationMail = (sent: SentInvitation): Message => {
  const { merchantName, name, to } = sent
  const place = merchantName === undefined ? "this Coffer installation" : oneLine(merchantName)
  return mailOf(
    sent,
    `You have access to ${place}`,
    [`Hello ${oneLine(name)},`, `you can sign in to ${place} now. Your address for signing in is ${to}.`],
    "Go to the sign-in page",
    "The page sends you a link that signs you in."
  )
}

export const recoveryMail = (sent: SentLink & { readonly name: string }): Message =>
  mailOf(
    sent,
    "You can sign in to Coffer anew",
    [
      `Hello ${oneLine(sent.name)},`,
      "your passkeys were removed and your sessions have ended, so that you can begin anew. " +
        "Open this link to sign in. It works once, for 15 minutes; after that, ask for another on the sign-in page."
    ],
    "Sign in",
    "If you did not ask anybody for that, tell an owner or an operator at once."
  )

interface SentPasskey extends SentLink {
  readonly name: string
  readonly passkey: string
  readonly change: "added" | "removed"
}

export const passkeyMail = (sent: SentPasskey): Message => {
  const what = sent.change === "added" ? "can sign you in from now on" : "signs you in no more"
  return mailOf(
    sent,
    sent.change === "added" ? "A passkey was added" : "A passkey was removed",
    [`Hello ${oneLine(sent.name)},`, `the passkey "${oneLine(sent.passkey)}" ${what}.`],
    "Look at your passkeys",
    "If that was not you, sign out everywhere and tell an owner or an operator at once."
  )
}

/** A subject with a line break would begin another header. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
