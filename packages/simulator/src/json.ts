/** JSON as text and back, with one rule for invalid JSON. */
import { Option } from "effect"

/** None if the text is not JSON. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

export const jsonText = (value: unknown): string => JSON.stringify(value)

/** In the format in which Stripe sends events. */
export const indentedJson = (value: unknown): string => JSON.stringify(value, undefined, 2)
