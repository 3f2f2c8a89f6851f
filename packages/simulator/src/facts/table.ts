/**
 * Stripe's published objects and parameters, as a table of names, types, required fields and enumerations.
 * `scripts/makeFacts.ts` makes it.
 */
import json from "./table.json" with { type: "json" }
import { type Term, termsOf } from "./expression.ts"

interface Table {
  readonly apiVersion: string
  readonly objects: Readonly<Record<string, string>>
  readonly operations: Readonly<Record<string, string>>
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const table: Table = json

/** The Stripe API version of the answers. */
export const apiVersion = table.apiVersion

export interface Field {
  readonly name: string
  readonly isRequired: boolean
  readonly terms: ReadonlyArray<Term>
}

const known = new Map<string, ReadonlyMap<string, Field>>()

/** The fields of a type. An unknown type is a bug of this program. */
export const fieldsOf = (type: string): ReadonlyMap<string, Field> => {
  const cached = known.get(type)
  if (cached !== undefined) return cached
  const fields = new Map(
    Object.entries(table.types[type]!).map(([key, expression]) => {
      const isOptional = key.endsWith("?")
      const name = isOptional ? key.slice(0, -1) : key
      return [name, { name, isRequired: !isOptional, terms: termsOf(expression) }] as const
    })
  )
  known.set(type, fields)
  return fields
}

/** The type of an object by its `object`; undefined if it is not simulated. */
export const typeOfObject = (object: string): string | undefined => table.objects[object]

/** The type of an operation's parameters, such as `POST /v1/refunds`. */
export const typeOfParameters = (operation: string): string => table.operations[operation]!
