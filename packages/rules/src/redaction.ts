/**
 * Redacts a call for the API log (spec: API log; silences: A3, O11): the values of secret fields are replaced at any
 * depth, and card numbers, keys and tokens anywhere in a text. Pure, total, and bounded on hostile JSON.
 */
import { cardDigitsMax, cutCardNumbers, isCardNumber } from "./cardNumbers.ts"
import { cutSecretValues } from "./secretValues.ts"

export const redactedText = "[redacted]"

/** Deeper values are not inspected, so they are dropped. */
export const redactionDepthMax = 64

/** A parsed JSON value without its secrets. */
export const redact = (value: unknown): unknown => redactAt(value, 1)

/** Whether a field of this name is secret. `X-Api-Key`, `apiKey`, `api_key` and `APIKEY` are the same name. */
export const isSecretName = (name: string): boolean => knownOf(name).verdict === "secret"

/** `checkout`: its value, a text, is an address that ends in a token. */
type Verdict = "secret" | "checkout" | "harmless"

interface Known {
  readonly verdict: Verdict
  /** The name itself, without a secret. */
  readonly shown: string
}

const knownOf = (name: string): Known => {
  const known = names.get(name)
  if (known !== undefined) return known
  const judged = { verdict: judge(name), shown: redactText(name) }
  // Callers choose the names, so the cache is bounded.
  if (names.size >= namesMax) names.clear()
  if (name.length <= nameLengthMax) names.set(name, judged)
  return judged
}

/** A text without the card numbers, keys and tokens in it. */
export const redactText = (text: string): string => cutCardNumbers(cutSecretValues(text, redactedText), redactedText)

const redactAt = (value: unknown, depth: number): unknown => {
  if (typeof value === "string") return redactText(value)
  if (typeof value === "number") return isCard(value) ? redactedText : value
  if (typeof value !== "object" || value === null) return value
  if (depth > redactionDepthMax) return redactedText
  return Array.isArray(value) ? redactItems(value, depth + 1) : redactFields(value, depth + 1)
}

/** Most bodies contain no secret, and are kept unchanged. All names are checked first, so no value is read twice. */
const redactFields = (value: object, depth: number): object => {
  const fields = value as Readonly<Record<string, unknown>>
  const ownNames = Object.keys(fields)
  if (!ownNames.every(isPlainName)) return withNames(fields, depth)
  let copy: Record<string, unknown> | undefined
  for (const name of ownNames) {
    const before = fields[name]
    const after = redactField(knownOf(name).verdict, name, before, depth)
    if (after !== before) (copy ??= { ...fields })[name] = after
  }
  return copy ?? value
}

/** Setting `__proto__` of a copy would change its prototype. */
const isPlainName = (name: string): boolean => name !== "__proto__" && knownOf(name).shown === name

/** The same where a name holds a secret itself, which a copy would keep. */
const withNames = (fields: Readonly<Record<string, unknown>>, depth: number): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const { shown, verdict } = knownOf(name)
      return [shown, redactField(verdict, name, value, depth)]
    })
  )

/**
 * Totals of a wallet may have 13 digits; none of our amounts has more. A number beyond exact precision has lost its
 * last digits, so it counts as a card number: nothing in our API is that large.
 */
const numberDigitsMin = 14
const isCard = (signed: number): boolean => {
  const value = Math.abs(signed)
  if (value < 10 ** (numberDigitsMin - 1) || value >= 10 ** cardDigitsMax || !Number.isInteger(value)) return false
  return !Number.isSafeInteger(value) || isCardNumber(String(value))
}

const redactItems = (items: ReadonlyArray<unknown>, depth: number): ReadonlyArray<unknown> => {
  const redacted = items.map((item) => redactAt(item, depth))
  return redacted.some((item, index) => item !== items[index]) ? redacted : items
}

const redactField = (verdict: Verdict, name: string, value: unknown, depth: number): unknown => {
  if (verdict === "secret") return name === "paid_card" && isPaidCard(value) ? value : redactedText
  return verdict === "checkout" && typeof value === "string" ? withoutToken(value) : redactAt(value, depth)
}

/** The card that paid an order: null, or only its brand and last four digits. */
const isPaidCard = (value: unknown): boolean => {
  if (value === null || typeof value !== "object") return value === null
  const { brand, last4, ...others } = value as { readonly brand?: unknown; readonly last4?: unknown }
  const isText = typeof brand === "string" && typeof last4 === "string"
  return isText && Object.keys(others).length === 0 && /^[a-z_]{1,20}$/.test(brand) && /^\d{4}$/.test(last4)
}

/** `https://…/checkout/<token>`: the address stays, the token's holder may pay or look. */
const withoutToken = (url: string): string => {
  const end = url.indexOf(checkoutPath)
  return end === -1 ? redactedText : url.slice(0, end + checkoutPath.length) + redactedText
}
const checkoutPath = "/checkout/"

const judge = (name: string): Verdict => {
  const word = letters(name)
  const isSecret =
    secretWords.has(word) ||
    secretNames.has(word) ||
    wordsOf(name).some((part) => secretWords.has(part)) ||
    secretParts.test(word) ||
    secretBeginnings.test(word) ||
    secretEndings.test(word) ||
    secretKeys.test(word)
  return isSecret ? "secret" : word === "checkouturl" ? "checkout" : "harmless"
}

const names = new Map<string, Known>()
const namesMax = 4_096
const nameLengthMax = 64

/** Words that make a name secret anywhere in it: `cardNumber`, `new_password`, `token_value`. */
const secretWords = new Set([
  "authorization",
  "bearer",
  "card",
  "cards",
  "ccnum",
  "ccnumber",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "cryptogram",
  "csc",
  "cvc",
  "cvc2",
  "cvn",
  "cvn2",
  "cvv",
  "cav2",
  "cv2",
  "cvv2",
  "emv",
  "iban",
  "jwt",
  "magstripe",
  "otp",
  "pan",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "pin",
  "pwd",
  "secret",
  "secrets",
  "signature",
  "token",
  "tokens",
  "totp",
  "track1",
  "track2",
  "track3"
])

/** Secret only as the whole name: `order_number` is not. */
const secretNames = new Set(["number", "track", "cid", "pass"])

/** Names written without separators. */
const secretParts =
  /secret|password|passwd|passphrase|cardnum|creditcard|debitcard|securitycode|verificationcode|cryptogram|emvdata/
const secretBeginnings = /^(bearer|onetime(code|pass)|track(\d|data))/
const secretEndings = /(tokens?|authorization|signature|credentials?|cvc2?|cvv2?|cvn2?|cardno|cookies?|jwt)$/
/** A plain `key` is not secret, nor is the `id` of a key. */
const secretKeys = /(api|private|signing|sandbox|live|access|encryption)keys?(value)?$/

const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")
