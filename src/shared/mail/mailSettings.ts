/**
 * Settings of an operator for mails, and mail addresses as mail servers take them: a domain of another script in its
 * ASCII form (IDNA). The part before the @ stays as it is, since only the receiving server may read it; where that is
 * not ASCII, the mail needs SMTPUTF8.
 */
import { domainToASCII } from "node:url"
import { Config, Effect, Option, Redacted } from "effect"
import { BadSetting } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

export interface MailSettings {
  /** The mail server; undefined: mails become files in the data directory. */
  readonly smtpUrl: Redacted.Redacted | undefined
  /** The address that mails come from, in ASCII. */
  readonly mailFrom: string
}

const variables = Config.all({
  smtpUrl: Config.option(Config.Redacted("SMTP_URL")),
  mailFrom: Config.option(Config.NonEmptyString("MAIL_FROM"))
})

const read = Effect.fnUntraced(function* (publicUrl: string) {
  const read = yield* variables
  const smtpUrl = Option.getOrUndefined(read.smtpUrl)
  const protocol = smtpUrl === undefined ? undefined : URL.parse(Redacted.value(smtpUrl))?.protocol
  if (smtpUrl !== undefined && protocol !== "smtp:" && protocol !== "smtps:") {
    return yield* new BadSetting({
      message: "SMTP_URL must look like smtp://user:password@mail.example:587, or smtps:// for TLS from the start."
    })
  }
  const { hostname } = new URL(publicUrl)
  const isOfV6 = hostname.startsWith("[")
  if (isOfV6 && smtpUrl !== undefined && Option.isNone(read.mailFrom)) {
    return yield* new BadSetting({
      message:
        "MAIL_FROM is required where PUBLIC_URL, or HOST without it, is an IPv6 address: emails can't be sent " +
        "from there."
    })
  }
  const sender = Option.getOrElse(read.mailFrom, () => `receipts@${isOfV6 ? "localhost" : hostname}`)
  const mailFrom = /^[^\s@<>]+@[^\s@<>]+$/.test(sender) ? asciiAddress(sender) : undefined
  if (mailFrom === undefined || !isAscii(mailFrom)) {
    return yield* new BadSetting({
      message: "MAIL_FROM must be one address, such as receipts@pay.example, and ASCII before the @."
    })
  }
  return { smtpUrl, mailFrom }
})

export const mailSettings = roomSettings<MailSettings>({ secrets: ["SMTP_URL"], read })

/** Undefined if the part after the @ is not a domain. */
export const asciiAddress = (address: string): string | undefined => {
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  if (isAscii(domain)) return address
  const ascii = domainToASCII(domain)
  return ascii === "" ? undefined : address.slice(0, at + 1) + ascii
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
export const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)
