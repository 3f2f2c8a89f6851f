/**
 * The body of an act for the audit log, which is kept for ever and unchanged. So it must not contain words about a
 * buyer: numbers, booleans, object numbers and our own words stay. Pure.
 */
import { redactedText } from "../redaction.ts"

/** Fields whose text is an object's number or one of our words. */
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

/** A merchant's number counts, too, unless it contains an email address. */
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

/** Null stays: that a value was set or removed is the change. */
const hidden = (from: object, names: ReadonlyArray<string>): object =>
  Object.fromEntries(
    Object.entries(from)
      .filter(([name, value]) => names.includes(name) && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.length : redactedText])
  )
