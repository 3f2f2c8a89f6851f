/**
 * What is wrong with a field, and what to write instead, in place of the schema library's words. Amounts get their
 * integer: most first mistakes are about them. It says nothing of what was sent but its type, and an amount. Pure.
 */
import { type Currency, decimals } from "@coffer/model/Money"
import { nearestWord } from "@coffer/model/nearest"
import { Option } from "effect"
import { jsonText } from "../../platform/runtime/codecs.ts"

export interface WrongField {
  /** The schema library's words. */
  readonly message: string
  /** The name, without the path. */
  readonly name: string
  /** Undefined if the field is missing. */
  readonly sent: unknown
  readonly isQuery: boolean
  /** Undefined where the body has none, such as for a refund. */
  readonly currency: Currency | undefined
  /** What the published document says of the field. */
  readonly description?: string | undefined
}

export const fieldProblem = (wrong: WrongField): string => {
  const { description, isQuery, message, name, sent } = wrong
  // Every amount of a body is called so.
  if (name === "amount" && !isQuery) return amountProblem(wrong)
  if (message === "Missing key") return `is required${description === undefined ? "" : `. ${withoutStop(description)}`}`
  if (!message.startsWith(expects)) return message
  if (isQuery && Array.isArray(sent)) return "was sent several times. Send it once"
  const expected = message.slice(expects.length)
  const words = expected.split(" | ").filter((word) => word !== "null")
  const [only = ""] = words
  if (words.length > 1 || only.startsWith('"')) return wordProblem(words.map(unquoted), sent)
  const between = /^a value between (\d+) and (\d+)$/.exec(expected)
  if (between !== null) return `must be from ${between[1]} to ${between[2]}`
  const least = /^a value with a length of at least (\d+)$/.exec(expected)?.[1]
  if (least !== undefined && Array.isArray(sent))
    return `must have at least ${least} ${least === "1" ? "entry. Name one, or leave it out" : "entries. Name more"}`
  return typeProblems[only]?.(sent) ?? `must be ${expected}`
}

const expects = "Expected "
const unquoted = (word: string) => word.replaceAll('"', "")
const withoutStop = (text: string) => text.replace(/\.$/, "")

const wordProblem = (words: ReadonlyArray<string>, sent: unknown): string => {
  if (words.every((word) => typeNames[word] !== undefined))
    return `must be ${words.map((word) => typeNames[word]).join(" or ")}${notA(sent)}`
  const wrong = (Array.isArray(sent) ? sent : [sent]).find((each) => !words.includes(each))
  const nearest = typeof wrong === "string" ? nearestWord(wrong, words) : undefined
  const one = words.length === 1 ? "Leave it out otherwise" : "Send one of these"
  const hint = nearest === undefined ? `. ${one}` : `. Did you mean \`${nearest}\`?`
  const list = words.length === 1 ? words[0]! : `${words.slice(0, -1).join(", ")} or ${words.at(-1)!}`
  return `must be ${list}${hint}`
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list"
}

const notA = (sent: unknown): string => {
  if (sent === undefined) return ""
  if (sent === null) return ", not null"
  if (typeof sent === "boolean") return ", not a boolean"
  return `, not ${typeNames[Array.isArray(sent) ? "array" : typeof sent] ?? "this"}`
}

const typeProblems: Readonly<Record<string, (sent: unknown) => string>> = {
  string: (sent) =>
    typeof sent === "number" || typeof sent === "boolean"
      ? `must be a text${notA(sent)}. Write it in quotes: "${String(sent)}"`
      : `must be a text${notA(sent)}. Write one text in double quotes`,
  number: (sent) => numberProblem("a number", sent),
  "an integer": (sent) => numberProblem("a whole number", sent),
  boolean: (sent) => `must be true or false${notA(sent)}. Write ${sent === "false" ? "false" : "true"} without quotes`,
  object: (sent) => `must be an object${notA(sent)}. Write it in braces: {"name": "value"}`,
  array: (sent) => `must be a list${notA(sent)}. Write it in brackets: [${isShort(sent) ? jsonText(sent) : '"…"'}]`
}

const isShort = (sent: unknown): boolean => typeof sent === "string" && sent.length <= 40

const numberProblem = (what: string, sent: unknown): string =>
  typeof sent === "string" && /^-?\d{1,15}$/.test(sent)
    ? `must be ${what}${notA(sent)}. Write it without quotes: ${sent}`
    : `must be ${what}${typeof sent === "number" ? "" : notA(sent)}. Write it in digits, such as 10`

// Amounts ------------------------------------------------------------------------

const amountProblem = ({ currency, message, sent }: WrongField): string => {
  const use = `Use ${exampleOf(sent, currency)}`
  if (message === "Missing key") return `is required, in minor units. ${use}`
  const between = /^Expected a value between (\d+) and (\d+)$/.exec(message)
  if (between !== null) return `must be from ${between[1]} to ${between[2]} minor units. ${use}`
  // A number such as 5.0 reaches here as a text, since parsing would have rounded it.
  const isWritten = typeof sent === "number" || (typeof sent === "string" && /[.e]/i.test(sent))
  const digits = currency === undefined ? 2 : decimals[currency]
  const places = typeof sent === "number" || typeof sent === "string" ? /\.(\d+)/.exec(String(sent))?.[1] : undefined
  if (places !== undefined && places.length > digits && Number(places) > 0)
    return `must be a whole number of minor units. Round it to ${digits} decimals first. ${use}`
  return `must be a whole number of minor units${isWritten ? ", in digits only" : notA(sent)}. ${use}`
}

/** `1999 for 19.99 USD`: the integer of the amount that was meant, or an example. */
const exampleOf = (sent: unknown, currency: Currency | undefined): string => {
  const digits = currency === undefined ? 2 : decimals[currency]
  const major = Option.getOrUndefined(meant(sent, digits))
  const minor = major === undefined ? (10 ** digits * 20 - 1).toString() : major
  const padded = minor.padStart(digits + 1, "0")
  const point = digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
  return `${minor} for ${point}${currency === undefined ? "" : ` ${currency}`}`
}

/** Longer texts are no amounts. */
const amountLengthMax = 20

/** The minor units of what was sent, by its digits: no float is multiplied. */
const meant = (sent: unknown, digits: number): Option.Option<string> => {
  if (typeof sent !== "number" && typeof sent !== "string") return Option.none()
  const text = String(sent)
  if (text.length > amountLengthMax) return Option.none()
  const [, whole, places] = /^[^\d.,-]{0,4}(\d{1,11})(?:\.(\d+))?[^\d.,]{0,4}$/.exec(text) ?? []
  if (whole === undefined) return Option.none()
  // `1999.0` is a whole number that was written as a float.
  const isFloat = places !== undefined && places.length !== digits && Number(places) === 0
  const minor = places === undefined || isFloat ? whole : whole + places.padEnd(digits, "0").slice(0, digits)
  const plain = minor.replace(/^0+(?=\d)/, "")
  return plain === "0" ? Option.none() : Option.some(plain)
}
