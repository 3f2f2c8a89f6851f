/**
 * Mails about signing in: a link, and an invitation. They have no picture, no tracking, and no text of another person:
 * the recipient may be a stranger to them. Pure.
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
          "Many sign-in links were requested for your address, so they share this email.",
          "Use this link to sign in. It works once, for 15 minutes, in a browser where you requested it."
        ]
      : ["Use this link to sign in. It works once, for 15 minutes, in the browser where you requested it."],
    "Sign in",
    "If you didn't request this, you can ignore this email: nobody can sign in without both the link and your browser."
  )

const placeOf = ({ merchantId }: SentRole): string =>
  merchantId === undefined ? "this Coffer installation" : `the merchant account ${merchantId}`

export const invitationMail = (sent: SentInvitation): Letter => {
  const { invitedBy, role, to } = sent
  const who = invitedBy ?? "The operators of this Coffer installation"
  return mailOf(
    sent,
    "You're invited to Coffer",
    [
      `${who} ${invitedBy === null ? "invite" : "invites"} you to join ${placeOf(sent)} with the role ${role}.`,
      `Sign in as ${to} to accept. The invitation expires in ${Duration.toDays(invitationValidity)} days.`
    ],
    "Go to the sign-in page",
    "If you don't know the sender, ignore this email: you get no role until you accept."
  )
}

export const roleMail = (sent: SentRole): Letter =>
  mailOf(
    sent,
    "Your role at Coffer was changed",
    [`The operators of this Coffer installation changed your role at ${placeOf(sent)} to ${sent.role}.`],
    "Go to the sign-in page",
    "You can request a sign-in link there."
  )

export const recoveryMail = (sent: SentLink): Letter =>
  mailOf(
    sent,
    "Your Coffer sign-in was reset",
    [
      "Your access was reset: your passkeys were removed and your sessions have ended. " +
        "Use this link to sign in. It works once, for 15 minutes; after that, request another one on the sign-in page."
    ],
    "Sign in",
    "If you didn't ask for this, contact an owner or an operator immediately."
  )

interface SentPasskey extends SentLink {
  readonly passkey: string
  readonly change: "added" | "removed"
}

export const passkeyMail = (sent: SentPasskey): Letter => {
  const what = sent.change === "added" ? "can now be used to sign in" : "can no longer be used to sign in"
  return mailOf(
    sent,
    sent.change === "added" ? "A passkey was added" : "A passkey was removed",
    [`The passkey "${oneLine(sent.passkey)}" ${what}.`],
    "Review your passkeys",
    "If this wasn't you, sign out everywhere and contact an owner or an operator immediately."
  )
}

/** A subject with a line break would begin another header. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
