/** Validates the fields of a body by the specification. */
import { currencies, type Texts } from "./state.ts"
import { type Answer, type Fields, invalid, refused } from "./values.ts"

/** The `param` of the refusal, relative to the field; undefined for a valid value. */
type Rule = (value: unknown) => string | undefined

const wrong = ""

export const bodyOf = (body: unknown) => (body ?? {}) as Fields

/** All invalid or missing fields: the answer names one of them. */
export const allOf = (
  body: unknown,
  rules: Readonly<Record<string, Rule>>,
  required: ReadonlyArray<string> = []
): Answer | undefined => {
  if (body !== undefined && (body === null || typeof body !== "object" || Array.isArray(body))) {
    return refused(400, "invalid_request")
  }
  const sent = bodyOf(body)
  const wrongs = Object.entries(rules).flatMap(([name, rule]) => {
    if (sent[name] == null) return required.includes(name) ? [name] : []
    const below = rule(sent[name])
    return below === undefined ? [] : [name + below]
  })
  return wrongs.length === 0 ? undefined : invalid(...wrongs)
}

// Lone surrogates, control characters, and overrides of the writing direction (silences: G17).
const unreadable = /\p{Cc}|[\u2028\u2029\u202a-\u202e]|\p{Surrogate}/u
const unreadableInText = /(?![\t\n\r])\p{Cc}|\r(?!\n)|\p{Surrogate}/u

const lengthOf = (text: string) => [...text].length

export const oneLine =
  (min: number, max: number): Rule =>
  (value) =>
    typeof value === "string" && lengthOf(value) >= min && lengthOf(value) <= max && !unreadable.test(value)
      ? undefined
      : wrong

export const freeText =
  (max: number): Rule =>
  (value) =>
    typeof value === "string" && lengthOf(value) <= max && !unreadableInText.test(value) ? undefined : wrong

export const integer =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max ? undefined : wrong

export const oneOf =
  (words: ReadonlyArray<string>): Rule =>
  (value) =>
    typeof value === "string" && words.includes(value) ? undefined : wrong

export const currency = oneOf(currencies)

export const bool: Rule = (value) => (typeof value === "boolean" ? undefined : wrong)

export const url: Rule = (value) =>
  typeof value === "string" && /^https?:\/\/[^\s/{}]+/.test(value) ? undefined : wrong

export const email: Rule = (value) =>
  typeof value === "string" && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? undefined : wrong

export const moment: Rule = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)) ? undefined : wrong

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A null deletes a key, and is ignored if there is nothing to delete (silences: G18). */
const pairs =
  (most: number): Rule =>
  (value) => {
    if (!isRecord(value)) return wrong
    for (const [key, text] of Object.entries(value)) {
      if (key === "svc_payment_link" || oneLine(1, 40)(key) !== undefined) return `.${key}`
      if (text === null) continue
      if (freeText(500)(text) !== undefined) return `.${key}`
    }
    return Object.keys(value).length > most ? wrong : undefined
  }

export const metadata = pairs(50)
export const patch = pairs(100)

/** Undefined: too many keys (silences: O12). */
export const merged = (before: Texts, sent: unknown): Texts | undefined => {
  if (sent === undefined) return before
  const own = "svc_payment_link"
  if (sent === null) return own in before ? { [own]: before[own]! } : {}
  const after = Object.entries({ ...before, ...(sent as Fields) }).filter(([, text]) => text !== null)
  if (after.filter(([key]) => key !== own).length > 50) return undefined
  return Object.fromEntries(after) as Texts
}
