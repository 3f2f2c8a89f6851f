/** Converts JSON to text and back, and to a canonical text with sorted keys, so that equal values are equal texts. */
import { createHash } from "node:crypto"
import { Option } from "effect"

export const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

export const jsonText = (value: unknown): string => JSON.stringify(value)

/** The same for values that differ in nothing but the order of their fields. */
export const hashOf = (value: unknown): string =>
  createHash("sha256")
    .update(jsonText(inOrder(value)))
    .digest("hex")

const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, inOrder(value[name])])
  )
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
