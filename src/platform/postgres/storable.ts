/** Text in a form that Postgres can store: it has no NUL, and half a surrogate pair is no character. */
import { jsonText } from "../runtime/codecs.ts"

export const storableText = (text: string): string => text.replaceAll("\u0000", "").toWellFormed()

/** The JSON of a value. A character that cannot be stored is in it as an escape. */
export const storableJson = (value: unknown): string => {
  const text = jsonText(value)
  return text.includes("\\u") ? text.replace(escapes, (escape) => (escape.length > 2 ? "\\ufffd" : escape)) : text
}

/**
 * Escapes of what Postgres cannot store. The last branch takes any other escape as a whole, so that the second
 * backslash of `\\` begins no match.
 */
const escapes = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g
