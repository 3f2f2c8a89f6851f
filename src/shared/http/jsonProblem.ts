/**
 * Why a body is no JSON object, in words that say where: merchants' programs build bodies by hand, and a comma too many
 * is what they look for. Only a refusal pays for it. Pure.
 */
import { Result } from "effect"
import { tryJson } from "../../platform/runtime/codecs.ts"

/** Characters. In a longer body the place is not looked for: each look parses half of it or more. */
const lookedThroughMax = 65_536

export const jsonProblem = (text: string): string => {
  const parsed = tryJson(text)
  if (Result.isSuccess(parsed)) return `The body must be a JSON object${kindOf(parsed.success)}`
  if (text.length > lookedThroughMax) return "The body must be a JSON object"
  const end = endOfSense(text)
  if (end === undefined) {
    return text.trim() === ""
      ? `The body must be a JSON object, and it is empty. ${begin}`
      : `The body must be a JSON object. It ends too early, at character ${text.length}: close what is open`
  }
  return `The body must be a JSON object. It is not JSON at character ${end}: ${mistakeAt(text, end)}`
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return ", not a list. Send one object in each call"
  if (typeof value !== "string") return `, not ${value === null ? "null" : `a ${typeof value}`}. ${begin}`
  return Result.isSuccess(tryJson(value))
    ? ". It is a text that holds JSON: it was encoded twice. Encode the object once"
    : `, not a text. ${begin}`
}

const begin = 'Put the fields in braces: {"name": "value"}'

/**
 * The number of the first character that no JSON could have there, from 1; undefined if more characters could still
 * make it JSON. Node says where only for some mistakes, so it is looked for by halves: what follows a mistake is one
 * as well.
 */
const endOfSense = (text: string): number | undefined => {
  if (mayGoOn(text)) return undefined
  let [good, bad] = [0, text.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (mayGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return bad
}

const mayGoOn = (start: string): boolean => {
  const parsed = tryJson(start)
  if (Result.isSuccess(parsed)) return true
  const [, position] = /at position (\d+)/.exec(parsed.failure) ?? []
  return /end of JSON input|Unterminated string/.test(parsed.failure) || Number(position) === start.length
}

/** What others write that JSON does not have: how it begins where it is wrong, and what to do. */
const habits: ReadonlyArray<readonly [at: RegExp, says: string]> = [
  [/^(?:undefined|None|nil|NULL|Null)\b/, "JSON has no such word: write null"],
  [/^(?:NaN|-?Infinity)\b/, "it is no number: leave the field out, or write null"],
  [/^True\b/, "JSON has no such word: write true"],
  [/^False\b/, "JSON has no such word: write false"],
  [/^'/, "names and texts are in double quotes"],
  [/^(?:\/\/|\/\*|#)/, "JSON has no comments: remove it"],
  [/^_\d/, "a number has digits only: remove the underscore"]
]

/** How whole bodies begin that are something else. */
const otherForms: ReadonlyArray<readonly [form: RegExp, says: string]> = [
  [/^\[object \w+\]/, "an object was turned into a text: encode it as JSON"],
  [/^</, "it looks like XML or HTML: encode the fields as JSON"],
  [/^[\w.[\]%-]+=/, "it looks like a form: encode the fields as JSON"]
]

const mistakeAt = (text: string, end: number): string => {
  const trimmed = text.trimStart().slice(0, shownMax)
  const other = otherForms.find(([form]) => form.test(trimmed))
  if (other !== undefined) return other[1]
  const rest = text.slice(end - 1, end - 1 + shownMax)
  const [wrong = ""] = rest
  const start = text.slice(Math.max(0, end - 1 - shownMax), end - 1)
  const habit = habits.find(([at]) => at.test(rest) || (at.test(start.slice(-1) + rest) && /\W.$/.test(start)))
  if (habit !== undefined) return habit[1]
  const before = start.trimEnd().at(-1)
  if (before === "," && /[}\]]/.test(wrong)) return "there is a comma too many before it"
  if (start.endsWith("\\")) return "a backslash in a text is written \\\\"
  if (before === "}" && /[{[]/.test(wrong)) return "the object has ended before it: send one object in each call"
  if (before !== undefined && /["}\]\w]/.test(before) && /["[{]/.test(wrong))
    return "a comma or a colon is missing before it"
  if (before === '"') return "a colon is missing before it"
  if (/[{,]/.test(before ?? "") && /\w/.test(wrong)) return "names are in double quotes"
  if (/[:[,]\s*-?0$/.test(start) && /\d/.test(wrong)) return "a number does not begin with 0: remove the 0, or quote it"
  if (/[:[,]/.test(before ?? "") && /[A-Za-z]/.test(wrong)) return "a text is in double quotes"
  if (wrong < " ") return "a line break in a text is written \\n"
  return "this character cannot be there: remove it"
}

/** Characters that are looked at on each side of a mistake. */
const shownMax = 40
