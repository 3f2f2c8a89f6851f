/**
 * Mails about signing in: a link, and an invitation. They have no picture and no tracking, and no words that another
 * person has typed: who gets one may be a stranger to them. Pure.
 */
import type { Letter } from "../../shared/mail/Outbox.ts"
import { html } from "../../shared/pages/html.ts"
import { invitationValidity } from "@coffer/rules/people/signIn"
import { Duration } from "effect"

interface SentLink {
  readonly to: string
  readonly link: string
}

/** A role that is offered, or that was changed by operators. */
interface SentRole extends SentLink {
  /** The number of the merchant; undefined: the installation. */
  readonly merchantId: string | undefined
  readonly role: string
}

interface SentInvitation extends SentRole {
  /** The address of the person who invites; null: operators. */
  readonly invitedBy: string | null
}

const style =
  "max-width:480px;margin:24px auto;font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b2422"
const button =
  "display:inline-block;padding:12px 20px;border-radius:10px;background:#17614f;color:#fff;text-decoration:none"

const mailOf = (
  { link, to }: SentLink,
  subject: string,
  paragraphs: ReadonlyArray<string>,
  action: string,
  last: string
): Letter => ({
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

/** `isShared`: it works in each browser that asks. */
export const signInMail = (sent: SentLink & { readonly isShared: boolean }): Letter =>
  mailOf(
    sent,
    "Sign in to Coffer",
    sent.isShared
      ? [
          "Many requests for links to sign in have come with your address, so they share this mail.",
          "Open this link to sign in. It works once, for 15 minutes, in a browser in which you have asked for it."
        ]
      : ["Open this link to sign in. It works once, for 15 minutes, in the browser in which you asked for it."],
    "Sign in",
    "If you did not ask for it, you can ignore this mail: nobody signs in without the link and your browser."
  )

const placeOf = ({ merchantId }: SentRole): string =>
  merchantId === undefined ? "this Coffer installation" : `the merchant account ${merchantId}`

export const invitationMail = (sent: SentInvitation): Letter => {
  const { invitedBy, role, to } = sent
  const who = invitedBy ?? "The operators of this Coffer installation"
  return mailOf(
    sent,
    "You are invited to Coffer",
    [
      `${who} ${invitedBy === null ? "invite" : "invites"} you to ${placeOf(sent)}, with the role ${role}.`,
      `Sign in with the address ${to} to accept. The invitation ends in ${Duration.toDays(invitationValidity)} days.`
    ],
    "Go to the sign-in page",
    "If you do not know who invites you, ignore this mail: you have no role until you accept."
  )
}

export const roleMail = (sent: SentRole): Letter =>
  mailOf(
    sent,
    "Your role at Coffer was changed",
    [`The operators of this Coffer installation have given you the role ${sent.role} at ${placeOf(sent)}.`],
    "Go to the sign-in page",
    "The page sends you a link that signs you in."
  )

export const recoveryMail = (sent: SentLink): Letter =>
  mailOf(
    sent,
    "You can sign in to Coffer anew",
    [
      "Your passkeys were removed and your sessions have ended, so that you can begin anew. " +
        "Open this link to sign in. It works once, for 15 minutes; after that, ask for another on the sign-in page."
    ],
    "Sign in",
    "If you did not ask anybody for that, tell an owner or an operator at once."
  )

interface SentPasskey extends SentLink {
  readonly passkey: string
  readonly change: "added" | "removed"
}

export const passkeyMail = (sent: SentPasskey): Letter => {
  const what = sent.change === "added" ? "can sign you in from now on" : "signs you in no more"
  return mailOf(
    sent,
    sent.change === "added" ? "A passkey was added" : "A passkey was removed",
    [`The passkey "${oneLine(sent.passkey)}" ${what}.`],
    "Look at your passkeys",
    "If that was not you, sign out everywhere and tell an owner or an operator at once."
  )
}

/** A subject with a line break would begin another header. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
