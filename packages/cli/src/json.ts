/** JSON as text and back, by one rule for what is none. */
import { Option } from "effect"

/** None if the text is no JSON. */
export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

export const jsonText = (value: unknown): string => JSON.stringify(value)

export const indentedJson = (value: unknown): string => JSON.stringify(value, undefined, 2)
