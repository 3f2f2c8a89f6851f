/** Validates an answer against Stripe's published form: every field is known, none is missing, each has its type. */
import { jsonText } from "../json.ts"
import type { Term } from "./expression.ts"
import { fieldsOf, typeOfObject } from "./table.ts"

/** The problems of an answer; empty if it is valid. */
export const checkAnswer = (answer: unknown): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const object = (answer as { readonly object?: unknown }).object
  if (object === "list") checkList(answer, "", problems)
  else if ((answer as { readonly deleted?: unknown }).deleted === true) return []
  else checkObject(answer, "", problems)
  return problems
}

type Problems = Array<string>

const checkList = (value: unknown, path: string, problems: Problems) => {
  const { data, has_more, url } = value as { data?: unknown; has_more?: unknown; url?: unknown }
  if (!Array.isArray(data) || typeof has_more !== "boolean" || typeof url !== "string") {
    problems.push(`${path}: is no list`)
    return
  }
  for (const [index, each] of data.entries()) checkObject(each, `${path}[${index}]`, problems)
}

/** Its type follows from its `object`. */
const checkObject = (value: unknown, path: string, problems: Problems) => {
  const type = typeOfObject(String((value as { readonly object?: unknown }).object))
  if (type === undefined) problems.push(`${path}: is no object that Stripe has here`)
  else checkFields(value as object, type, path, problems)
}

const checkFields = (value: object, type: string, path: string, problems: Problems) => {
  const fields = fieldsOf(type)
  for (const [name, each] of Object.entries(value)) {
    const field = fields.get(name)
    const at = path === "" ? name : `${path}.${name}`
    if (field === undefined) problems.push(`${at}: ${type} has no such field`)
    else if (each === undefined ? field.isRequired : !field.terms.some((term) => fits(each, term, at, problems))) {
      problems.push(`${at}: ${jsonText(each)} is not what ${type} has here`)
    }
  }
  for (const field of fields.values()) {
    if (field.isRequired && !(field.name in value))
      problems.push(`${path}: ${type} has ${field.name}, which is missing`)
  }
}

/** A matching hash or list reports its inner problems. */
const fits = (value: unknown, term: Term, path: string, problems: Problems): boolean => {
  switch (term.is) {
    case "null":
      return value === null
    case "string":
    case "number":
    case "boolean":
      return typeof value === term.is
    case "literal":
      return value === term.value
    case "hash":
      return isHash(value)
    case "unsimulated":
    case "file":
      return false
    case "type": {
      if (!isHash(value)) return false
      const object = (value as { readonly object?: unknown }).object
      // Several kinds of objects are possible, such as in an expanded source.
      if (typeof object === "string" && typeOfObject(object) !== term.name) return false
      checkFields(value, term.name, path, problems)
      return true
    }
    case "array":
      return (
        Array.isArray(value) &&
        value.every((each, index) => term.of.some((of) => fits(each, of, `${path}[${index}]`, problems)))
      )
    case "list":
      if (!isHash(value)) return false
      checkList(value, path, problems)
      return true
  }
}

const isHash = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value)
