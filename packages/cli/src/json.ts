/** JSON as text and back, with one rule for invalid JSON. */
import { Option } from "effect"
import { obeyed } from "./plain.ts"

/** None if the text is no JSON. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** For programs: what is posted and signed. */
export const jsonText = (value: unknown): string => JSON.stringify(value)

/** For the screen, on one line. */
export const shownJson = (value: unknown): string => escapeObeyed(JSON.stringify(value))

/** For the screen. */
export const indentedJson = (value: unknown): string => escapeObeyed(JSON.stringify(value, undefined, 2))

/** `JSON.stringify` does not escape some of them. They occur only within strings, where escapes are allowed. */
const escapeObeyed = (json: string): string =>
  json.replace(obeyed, (letter) => (letter === "\n" ? letter : escape(letter)))

const escape = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
