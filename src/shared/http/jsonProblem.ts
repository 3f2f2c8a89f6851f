/**
 * Why a body is no JSON object, in words that say where: merchants' programs build bodies by hand, and a comma too many
 * is what they look for. Only a refusal pays for it. Pure.
 */
import { Option, Result } from "effect"
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
      ? "The body must be a JSON object, and it is empty"
      : `The body must be a JSON object. It ends too early, at character ${text.length}`
  }
  return `The body must be a JSON object. It is not JSON at character ${end}: ${mistakeAt(text, end)}`
}

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return ", not a list"
  if (typeof value !== "string") return `, not ${value === null ? "null" : `a ${typeof value}`}`
  return Result.isSuccess(tryJson(value)) ? ". It is a text that holds JSON: it was encoded twice" : ", not a text"
}

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

const mistakeAt = (text: string, end: number): string => {
  const wrong = Option.getOrElse(Option.fromNullishOr(text[end - 1]), () => "")
  const before = text
    .slice(0, end - 1)
    .trimEnd()
    .at(-1)
  if (before === "," && /[}\]]/.test(wrong)) return "there is a comma too many before it"
  if (wrong === "'") return "names and texts are in double quotes"
  if (before !== undefined && /["}\]\w]/.test(before) && /["[{]/.test(wrong))
    return "a comma or a colon is missing before it"
  if (wrong < " ") return "a line break in a text is written \\n"
  return "this character cannot be there"
}
