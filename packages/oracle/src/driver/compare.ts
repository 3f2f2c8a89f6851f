/** Compares an answer with the expected one. The service's own numbers are learnt when they first appear. */
import { type Check, Hole, iso, Part, Time } from "../values.ts"

export interface Difference {
  /** The path in the answer. */
  readonly at: string
  readonly expected: unknown
  readonly actual: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const differenceOf = (expected: unknown, actual: unknown, at = "data"): Difference | undefined => {
  const differs = (wanted: unknown = expected): Difference => ({ at, expected: shown(wanted), actual })
  if (typeof expected === "function") {
    const problem = (expected as Check)(actual)
    return problem === undefined ? undefined : differs(problem)
  }
  if (expected instanceof Part) {
    if (!isObject(actual)) return differs()
    for (const [name, field] of Object.entries(expected.fields)) {
      const difference = differenceOf(field, actual[name], `${at}.${name}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (expected instanceof Hole) {
    if (expected.value !== undefined) return expected.value === actual ? undefined : differs()
    if (typeof actual !== "string" || !expected.form.test(actual)) return differs()
    expected.value = actual
    return undefined
  }
  if (expected instanceof Time) {
    const millis = Date.parse(String(actual))
    if (expected.value === undefined && millis >= expected.from && millis <= expected.to) expected.value = millis
    return expected.value === millis ? undefined : differs()
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return differs()
    if (actual.length !== expected.length)
      return differs(`${expected.length} objects: ${JSON.stringify(shown(expected))}`)
    for (const [index, item] of expected.entries()) {
      const difference = differenceOf(item, actual[index], `${at}[${index}]`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return differs()
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      if (!(name in expected)) return { at: `${at}.${name}`, expected: "no such field", actual: actual[name] }
      const difference = differenceOf(expected[name], actual[name], `${at}.${name}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return expected === actual ? undefined : differs()
}

/** Formatted for people. */
export const shown = (expected: unknown): unknown => {
  if (expected instanceof Hole) return expected.value ?? `a text like ${expected.form}`
  if (expected instanceof Part) return shown(expected.fields)
  if (expected instanceof Time) return iso(expected.value ?? expected.from)
  if (typeof expected === "function") return "a text"
  if (Array.isArray(expected)) return expected.map(shown)
  if (!isObject(expected)) return expected
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, shown(value)]))
}
