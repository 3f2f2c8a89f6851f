/**
 * Writes the parameters and answers of operations as Python types: a `TypedDict` for each object, an alias for the
 * rest.
 */
import { type Json, nameOf, type Operation, pascal } from "../../sdk/generator/operations.ts"
import { followLeaves, isFollowed, pageFields } from "../../sdk/generator/resources.ts"
import { bodyTypeOf, errorCodesIn, queryTypeOf, ranges, reached } from "../../sdk/generator/types.ts"

/** A sent sequence may be of any type; a received one is a list. */
type Way = "sent" | "received"

interface Field {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly about: string | undefined
}

/** Classes come before the aliases that use them. */
interface Declared {
  readonly classes: Array<string>
  readonly aliases: Array<string>
}

export const pythonTypesOf = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const schemas: Json = document["components"].schemas
  const bodies = operations.flatMap(({ body }) => (body === undefined ? [] : [body]))
  const sent = new Set(bodies.flatMap((body) => (body["$ref"] === undefined ? [] : [nameOf(body)])))
  const declared: Declared = { classes: [], aliases: [] }
  for (const name of reached([...bodies, ...operations.map(({ data }) => data)], schemas)) {
    declare(name, schemas[name], sent.has(name) ? "sent" : "received", declared)
  }
  for (const operation of operations) {
    const { body, summary } = operation
    if (body !== undefined && body["$ref"] === undefined) {
      declare(bodyTypeOf(operation), { description: `${summary}.`, ...body }, "sent", declared)
    }
    declared.classes.push(...queriesOf(operation))
  }
  const constants = [
    alias(
      "EventType",
      "Everything that an event may tell of.",
      literal(Object.keys(schemas["Event"].discriminator.mapping))
    ),
    alias("ErrorCode", "The `error` of a refusal: a program branches on it.", literal(errorCodesIn(schemas))),
    alias(
      "Moment",
      "A moment: ISO 8601 in UTC, seconds of Unix time, or a datetime with a time zone.",
      "Union[str, int, float, datetime]"
    ),
    ...Object.entries(rangeNames).map(([type, name]) => rangeOf(name, type))
  ]
  return [
    docstring(`The parameters and answers of operations. ${notByHand}`),
    "from __future__ import annotations",
    "",
    "from collections.abc import Mapping, Sequence",
    "from datetime import datetime",
    "from typing import Any, Literal, NotRequired, TypedDict, Union",
    "",
    "",
    [...constants, ...declared.classes, ...declared.aliases].join("\n\n\n")
  ].join("\n")
}

export const notByHand = "Written by `npm run sdk` from the contract: do not edit."

/** The type of a parameter or an answer. Nested objects are declared with the types. */
export const pythonTypeOf = (schema: Json): string => typed(schema, "received", "", { classes: [], aliases: [] })

export const docstring = (text: string, indent = ""): string =>
  `${indent}"""${text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"')}"""`

const literal = (words: ReadonlyArray<unknown>) => `Literal[${words.map(constantOf).join(", ")}]`

const constantOf = (value: unknown) => (value === true ? "True" : value === false ? "False" : JSON.stringify(value))

const alias = (name: string, about: string | undefined, type: string) =>
  `${name} = ${type}${about === undefined ? "" : `\n${docstring(about)}`}`

const declare = (name: string, schema: Json, way: Way, declared: Declared): void => {
  if (schema["properties"] !== undefined) declared.classes.push(objectOf(name, schema, way, declared))
  else declared.aliases.push(alias(name, schema["description"], typed(schema, way, name, declared)))
}

const objectOf = (name: string, schema: Json, way: Way, declared: Declared): string => {
  const required: ReadonlyArray<string> = schema["required"] ?? []
  const fields = Object.entries<Json>(schema["properties"]).map(([field, inner]) => ({
    name: field,
    type: typed(inner, way, name + pascal(field.split("_")), declared),
    isRequired: required.includes(field),
    about: inner["description"]
  }))
  return dictOf(name, schema["description"], fields)
}

/** A field named like a keyword needs the functional form. */
const dictOf = (name: string, about: string | undefined, fields: ReadonlyArray<Field>): string => {
  const typeIn = ({ isRequired, type }: Field) => (isRequired ? type : `NotRequired[${type}]`)
  const aboutType = about === undefined ? [] : [about]
  if (!fields.some((field) => keywords.has(field.name))) {
    return [
      `class ${name}(TypedDict):`,
      ...aboutType.map((text) => `${docstring(text, "    ")}\n`),
      ...fields.flatMap((field) => [
        `    ${field.name}: ${typeIn(field)}`,
        ...(field.about === undefined ? [] : [docstring(field.about, "    ")])
      ])
    ].join("\n")
  }
  return [
    `${name} = TypedDict(`,
    `    "${name}",`,
    "    {",
    ...fields.flatMap((field) => [
      ...(field.about === undefined ? [] : [`        # ${field.about}`]),
      `        "${field.name}": ${field.isRequired ? quoted(field.type) : `NotRequired[${quoted(field.type)}]`},`
    ]),
    "    },",
    ")",
    ...aboutType.map((text) => docstring(text))
  ].join("\n")
}

/** Python keywords that are, or might become, fields of the contract. */
const keywords: ReadonlySet<string> = new Set(["from", "class", "in", "is", "import", "global", "return", "pass", "as"])

const quoted = (type: string) => `'${type}'`

const typed = (schema: Json, way: Way, name: string, declared: Declared): string => {
  const { additionalProperties, anyOf, items, oneOf, properties, type } = schema
  if (schema["$ref"] !== undefined) return nameOf(schema)
  if (schema["enum"] !== undefined) return literal(schema["enum"])
  const choices: ReadonlyArray<Json> | undefined = anyOf ?? oneOf
  if (choices !== undefined) {
    const objects = choices.filter((each) => each["properties"] !== undefined)
    const types = choices.map((each) =>
      typed(each, way, objects.length > 1 ? `${name}${objects.indexOf(each) + 1}` : name, declared)
    )
    return `Union[${types.join(", ")}]`
  }
  if (type === "array") return `${way === "sent" ? "Sequence" : "list"}[${typed(items, way, name, declared)}]`
  if (properties !== undefined) {
    declared.classes.push(objectOf(name, schema, way, declared))
    return name
  }
  if (typeof additionalProperties === "object") {
    const values = typed(additionalProperties, way, name, declared)
    return `${way === "sent" ? "Mapping" : "dict"}[str, ${values}]`
  }
  return words[type] ?? "Any"
}

const words: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None"
}

/** By the type of their ends, as the SDK names it. */
const rangeNames: Readonly<Record<string, string>> = { Moment: "MomentRange", number: "AmountRange" }

const rangeOf = (name: string, type: string) =>
  dictOf(
    name,
    "Both ends are included; one of them is enough.",
    ["gte", "lte"].map((end) => ({
      name: end,
      type: type === "number" ? "int" : type,
      isRequired: false,
      about: undefined
    }))
  )

export const csvQueryTypeOf = (operation: Operation) => queryTypeOf(operation).replace(/ListQuery$|Query$/, "CsvQuery")
export const followQueryTypeOf = (operation: Operation) =>
  queryTypeOf(operation).replace(/ListQuery$|Query$/, "FollowQuery")

/** The query of an operation, of its file, and of its follower. */
const queriesOf = (operation: Operation): ReadonlyArray<string> => {
  const { isList, place, query, texts } = operation
  if (query.length === 0) return []
  const fields = queryFieldsOf(query)
  const without = (left: ReadonlyArray<string>) => fields.filter(({ name }) => !left.includes(name))
  const about = `The query of \`${place.join(".")}\``
  const after: Field = {
    name: "after",
    type: "Union[str, None]",
    isRequired: false,
    about: "The id of the newest that you have handled. None: from the first one on. Left out: from now on."
  }
  return [
    dictOf(queryTypeOf(operation), `${about}.`, fields),
    ...(isList && texts.length > 0
      ? [dictOf(csvQueryTypeOf(operation), `${about} as a file.`, without(pageFields))]
      : []),
    ...(isFollowed(operation)
      ? [dictOf(followQueryTypeOf(operation), `${about} that is followed.`, [...without(followLeaves), after])]
      : [])
  ]
}

/** `created[gte]` and `created[lte]` are one field. A parameter that is None is not sent. */
const queryFieldsOf = (query: Operation["query"]): ReadonlyArray<Field> =>
  query.flatMap((parameter) => {
    const { description, name, required, schema } = parameter
    const [field = "", end] = String(name).split(/[[\]]/)
    if (end === undefined) {
      const type = queryType(schema)
      return [
        { name, type: required ? type : `Union[${type}, None]`, isRequired: required === true, about: description }
      ]
    }
    if (parameter !== query.find((each) => String(each["name"]).startsWith(`${field}[`))) return []
    const [type, about] = ranges[field]!
    return [{ name: field, type: `Union[${rangeNames[type]}, None]`, isRequired: false, about }]
  })

const queryType = (schema: Json): string => {
  const nothing: Declared = { classes: [], aliases: [] }
  if (schema["type"] !== "array") return typed(schema, "sent", "", nothing)
  const one = typed(schema["items"], "sent", "", nothing)
  return `Union[${one}, Sequence[${one}]]`
}
