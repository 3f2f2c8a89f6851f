/**
 * The body of an act as the audit log keeps it: for ever, and unchanged. So it gets no word that may tell of a
 * buyer: numbers, what is on or off, numbers of objects and words of ours stay. Pure.
 */
import { redactedText } from "../redaction.ts"

/** Fields whose text is the number of an object or a word of ours. */
const keptNames: ReadonlySet<string> = new Set([
  "trade_no",
  "out_trade_no",
  "refund_no",
  "out_refund_no",
  "dispute_no",
  "link_id",
  "email_hash",
  "currency",
  "payment_method",
  "mode",
  "page",
  "status",
  "outcome"
])

export const withoutWords = (body: unknown): unknown => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return kept("", body)
  const named = Object.entries(body).filter(([name]) => /^[a-z_]{1,40}$/.test(name))
  return Object.fromEntries(named.map(([name, value]) => [name, kept(name, value)]))
}

const kept = (name: string, value: unknown): unknown =>
  value === null || typeof value === "number" || typeof value === "boolean" || isNumber(name, value)
    ? value
    : redactedText

/** A number that a merchant gave is one, too, unless it is made of an address. */
const isNumber = (name: string, value: unknown): boolean =>
  typeof value === "string" && keptNames.has(name) && /^[\w.:-]{1,64}$/.test(value)

/** A merchant's settings before or after a change, without the words of people that they have. */
export const settingsWithoutWords = <Settings extends { readonly sandbox?: object }>(settings: Settings): object => ({
  ...settings,
  ...hidden(settings, ["note", "contact_email", "support_email"]),
  ...(settings.sandbox === undefined
    ? {}
    : { sandbox: { ...settings.sandbox, ...hidden(settings.sandbox, ["mail_recipients"]) } })
})

/** What is null stays so: that it was set or taken away is the change. */
const hidden = (from: object, names: ReadonlyArray<string>): object =>
  Object.fromEntries(
    Object.entries(from)
      .filter(([name, value]) => names.includes(name) && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.length : redactedText])
  )
