/** Parses a form as an operation's parameters: each is known and has its type, and none is missing. */
import { Result } from "effect"
import { invalid, type Failure, type Outcome } from "../wire/failure.ts"
import { type FormHash, type FormValue, Upload } from "../wire/form.ts"
import type { Term } from "./expression.ts"
import { fieldsOf, typeOfParameters } from "./table.ts"

export const readParameters = (operation: string, form: FormHash): Outcome<Record<string, unknown>> =>
  readHash(form, typeOfParameters(operation), "")

const readHash = (form: FormHash, type: string, path: string): Outcome<Record<string, unknown>> =>
  Result.gen(function* () {
    const fields = fieldsOf(type)
    const read: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(form)) {
      const at = path === "" ? name : `${path}[${name}]`
      const field = fields.get(name)
      if (field === undefined) {
        return yield* fail(`Received unknown parameter: ${at}`, at, "parameter_unknown")
      }
      read[name] = yield* readValue(value, field.terms, at)
    }
    for (const field of fields.values()) {
      if (!field.isRequired || field.name in read) continue
      const at = path === "" ? field.name : `${path}[${field.name}]`
      return yield* fail(`Missing required param: ${at}.`, at, "parameter_missing")
    }
    return read
  })

const fail = (message: string, param: string, code?: string): Result.Result<never, Failure> =>
  Result.fail(invalid(message, { param, ...(code && { code }) }))

const readValue = (value: FormValue, terms: ReadonlyArray<Term>, at: string): Outcome<unknown> => {
  if (value instanceof Upload) {
    return terms.some(({ is }) => is === "file") ? Result.succeed(value) : fail("Invalid string: {}", at)
  }
  return typeof value === "string" ? readText(value, terms, at) : readNested(value, terms, at)
}

const readText = (value: string, terms: ReadonlyArray<Term>, at: string): Outcome<unknown> => {
  const has = (is: Term["is"]) => terms.some((term) => term.is === is)
  const words = terms.flatMap((term) => (term.is === "literal" ? [term.value] : []))
  if (words.includes(value)) return Result.succeed(value)
  if (value === "") {
    if (has("null")) return Result.succeed("")
    return fail(`You passed an empty string for '${at}'. '${at}' cannot be unset.`, at, "parameter_invalid_empty")
  }
  if (has("boolean") && (value === "true" || value === "false")) return Result.succeed(value === "true")
  if (has("number") && isInteger(value)) return Result.succeed(Number(value))
  if (has("string")) return Result.succeed(value)
  if (words.length > 0) return fail(`Invalid ${at}: must be one of ${words.filter(Boolean).join(", ")}`, at)
  if (has("number")) return fail(`Invalid integer: ${value}`, at, "parameter_invalid_integer")
  if (has("boolean")) return fail(`Invalid boolean: ${value}`, at)
  if (has("array")) return fail(`Invalid array`, at)
  return fail(has("file") ? `Invalid file: send it as multipart/form-data` : `Invalid object`, at)
}

const isInteger = (value: string) => /^-?\d{1,15}$/.test(value)

const readNested = (value: FormHash, terms: ReadonlyArray<Term>, at: string): Outcome<unknown> => {
  const items = Object.keys(value)
  for (const term of terms) {
    if (term.is === "array" && items.every((key) => /^\d+$/.test(key))) return readArray(value, term.of, at)
    if (term.is === "type") return readHash(value, term.name, at)
    if (term.is === "hash") return readTexts(value, at)
  }
  const isText = terms.some(({ is }) => is === "string" || is === "literal")
  return fail(isText ? `Invalid string: {}` : `Invalid value`, at)
}

const readArray = (value: FormHash, of: ReadonlyArray<Term>, at: string): Outcome<unknown> =>
  Result.all(Object.entries(value).map(([index, each]) => readValue(each, of, `${at}[${index}]`)))

/** Free hashes, such as metadata. A parameter missing in the table is passed on, and refused by its operation. */
const readTexts = (value: FormHash, at: string): Outcome<unknown> => {
  if (!at.endsWith("metadata")) return Result.succeed(value)
  const nested = Object.keys(value).find((key) => typeof value[key] !== "string")
  if (nested !== undefined) return fail(`Invalid string: {}`, `${at}[${nested}]`)
  return Result.succeed({ ...value })
}
