/**
 * Breaking changes between two OpenAPI documents: removed operations, parameters, fields and values, and everything
 * that is newly required. Descriptions and examples are ignored (docs/versioning.md).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"

type Json = Readonly<Record<string, any>>
/** Whether the service receives or returns the value. */
type Direction = "taken" | "given"

const methods = ["get", "put", "post", "delete", "patch", "head", "options"] as const

/** One line for each, with its place. */
export const incompatibleChanges = (before: Json, after: Json): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [path, item] of Object.entries<Json>(before["paths"])) {
    for (const method of methods.filter((each) => item[each] !== undefined)) {
      const name = `${method.toUpperCase()} ${path}`
      const now = after["paths"][path]?.[method]
      if (now === undefined) found.push(`${name} is gone`)
      else operationChanges(item[method], now, name, new Comparison(before, after, found))
    }
  }
  return found
}

const operationChanges = (before: Json, after: Json, name: string, comparison: Comparison): void => {
  const { found } = comparison
  if (before["operationId"] !== after["operationId"]) {
    found.push(`${name}: its operationId ${before["operationId"]} is ${after["operationId"] ?? "gone"}`)
  }
  parameterChanges(before["parameters"] ?? [], after["parameters"] ?? [], name, comparison)
  const [body, bodyNow] = [before["requestBody"], after["requestBody"]]
  if (bodyNow?.required === true && body?.required !== true) found.push(`${name}: a body is required`)
  if (body !== undefined) contentChanges(body, bodyNow ?? {}, `${name} body`, "taken", comparison)
  for (const [status, answer] of Object.entries<Json>(before["responses"])) {
    const now = after["responses"][status]
    if (now !== undefined) contentChanges(answer, now, `${name} ${status}`, "given", comparison)
    // Removing an error that can no longer happen breaks no client.
    else if (/^[23]/.test(status)) found.push(`${name} ${status} is gone`)
  }
}

const parameterChanges = (
  before: ReadonlyArray<Json>,
  after: ReadonlyArray<Json>,
  name: string,
  { found, schema }: Comparison
): void => {
  const keyOf = (parameter: Json) => `${parameter["in"]} ${parameter["name"]}`
  const now = new Map(after.map((parameter) => [keyOf(parameter), parameter]))
  for (const parameter of before) {
    const same = now.get(keyOf(parameter))
    if (same === undefined) found.push(`${name} ${keyOf(parameter)} is gone`)
    else schema(parameter["schema"], same["schema"], `${name} ${keyOf(parameter)}`, "taken")
  }
  const known = new Map(before.map((parameter) => [keyOf(parameter), parameter]))
  for (const [key, parameter] of now) {
    if (parameter["required"] === true && known.get(key)?.["required"] !== true)
      found.push(`${name} ${key} is required`)
  }
}

const contentChanges = (
  before: Json,
  after: Json,
  place: string,
  direction: Direction,
  { found, schema }: Comparison
) => {
  for (const [type, { schema: shape }] of Object.entries<Json>(before["content"] ?? {})) {
    const now = after["content"]?.[type]
    if (now === undefined) found.push(`${place}: ${type} is gone`)
    else schema(shape, now.schema, place, direction)
  }
}

/** Bounds of accepted values: which of two is narrower. */
const bounds = [
  { name: "maxLength", isNarrower: (before: number, after: number) => after < before },
  { name: "maximum", isNarrower: (before: number, after: number) => after < before },
  { name: "maxItems", isNarrower: (before: number, after: number) => after < before },
  { name: "maxProperties", isNarrower: (before: number, after: number) => after < before },
  { name: "minLength", isNarrower: (before: number, after: number) => after > before },
  { name: "minimum", isNarrower: (before: number, after: number) => after > before },
  { name: "minItems", isNarrower: (before: number, after: number) => after > before }
] as const

class Comparison {
  readonly found: Array<string>
  readonly #before: Json
  readonly #after: Json
  /** Pairs of named schemas that were compared: a schema may hold itself. */
  readonly #seen = new Set<string>()

  constructor(before: Json, after: Json, found: Array<string>) {
    this.#before = before
    this.#after = after
    this.found = found
  }

  readonly schema = (before: Json | undefined, after: Json | undefined, place: string, direction: Direction): void => {
    if (before === undefined || after === undefined) return
    const pair = `${direction} ${before["$ref"]} ${after["$ref"]}`
    if (before["$ref"] !== undefined && after["$ref"] !== undefined) {
      if (this.#seen.has(pair)) return
      this.#seen.add(pair)
    }
    const [olds, news] = [variantsOf(before, this.#before), variantsOf(after, this.#after)]
    const isNullNow = news.some((each) => kindOf(each) === "null") && !olds.some((each) => kindOf(each) === "null")
    if (direction === "given" && isNullNow) this.found.push(`${place} may be null`)
    for (const old of olds) {
      const same = news.filter((each) => kindOf(each) === kindOf(old))
      if (same.length === 0) this.found.push(`${place}: ${kindOf(old)} is gone`)
      else this.#variant(old, joined(same), place, direction)
    }
  }

  #variant(before: Json, after: Json, place: string, direction: Direction): void {
    const { found } = this
    const [values, valuesNow] = [valuesOf(before), valuesOf(after)]
    for (const value of values ?? []) {
      if (valuesNow !== undefined && !valuesNow.includes(value)) found.push(`${place}: the value ${value} is gone`)
    }
    if (direction === "taken" && values === undefined && valuesNow !== undefined) {
      found.push(`${place}: only ${valuesNow.join(", ")} are taken`)
    }
    if (before["format"] !== after["format"]) {
      found.push(`${place}: its format ${before["format"] ?? "none"} is ${after["format"] ?? "none"}`)
    }
    if (direction === "taken") this.#bounds(before, after, place)
    this.#fields(before, after, place, direction)
    this.schema(before["items"], after["items"], `${place}[]`, direction)
    const [more, moreNow] = [before["additionalProperties"], after["additionalProperties"]]
    if (typeof more === "object" && typeof moreNow === "object") this.schema(more, moreNow, `${place}.*`, direction)
    else if (direction === "taken" && more !== false && moreNow === false)
      found.push(`${place}: other fields are refused`)
  }

  #bounds(before: Json, after: Json, place: string): void {
    for (const { isNarrower, name } of bounds) {
      const [bound, now] = [before[name], after[name]]
      if (now !== undefined && (bound === undefined || isNarrower(bound, now))) {
        this.found.push(`${place}: its ${name} ${bound ?? "none"} is ${now}`)
      }
    }
    if (after["pattern"] !== undefined && before["pattern"] !== after["pattern"]) {
      this.found.push(`${place}: its pattern ${before["pattern"] ?? "none"} is ${after["pattern"]}`)
    }
  }

  #fields(before: Json, after: Json, place: string, direction: Direction): void {
    const [fields, fieldsNow]: ReadonlyArray<Json> = [before["properties"] ?? {}, after["properties"] ?? {}]
    const [required, requiredNow] = [new Set(before["required"]), new Set(after["required"])]
    for (const [name, field] of Object.entries<Json>(fields!)) {
      const at = `${place} ${name}`
      if (!Object.hasOwn(fieldsNow!, name)) this.found.push(`${at} is gone`)
      else this.schema(field, fieldsNow![name], at, direction)
      if (direction === "given" && required.has(name) && Object.hasOwn(fieldsNow!, name) && !requiredNow.has(name)) {
        this.found.push(`${at} may be missing`)
      }
    }
    if (direction === "taken") {
      for (const name of requiredNow) if (!required.has(name)) this.found.push(`${place} ${name} is required`)
    }
  }
}

/** A schema as its alternatives, with names looked up and parts joined. */
const variantsOf = (schema: Json, document: Json): ReadonlyArray<Json> => {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema
  if ($ref !== undefined) {
    const name = String($ref).replace("#/components/schemas/", "")
    return variantsOf(document["components"].schemas[name], document)
  }
  if (allOf !== undefined) {
    // Each part has one alternative, or says only more about a value.
    const parts = (allOf as ReadonlyArray<Json>).map((part) => variantsOf(part, document))
    return variantsOf([own, ...parts.map((each) => joined(each))].reduce(merged), document)
  }
  const alternatives: ReadonlyArray<Json> | undefined = anyOf ?? oneOf
  if (alternatives !== undefined) return alternatives.flatMap((each) => variantsOf(each, document))
  if (Array.isArray(own["type"])) return own["type"].map((type) => ({ ...own, type }))
  return [own]
}

const merged = (one: Json, other: Json): Json => ({
  ...one,
  ...other,
  ...(one["properties"] === undefined && other["properties"] === undefined
    ? {}
    : { properties: { ...one["properties"], ...other["properties"] } }),
  ...(one["required"] === undefined && other["required"] === undefined
    ? {}
    : { required: [...(one["required"] ?? []), ...(other["required"] ?? [])] })
})

/** Alternatives of one kind: a value of any of them. */
const joined = (alternatives: ReadonlyArray<Json>): Json => {
  const [first = {}, ...others] = alternatives
  if (others.length === 0) return first
  const anyOf = (parts: ReadonlyArray<Json>): Json => (parts.length === 1 ? parts[0]! : { anyOf: parts })
  const values = alternatives.map(valuesOf)
  const fields = new Set(alternatives.flatMap((each) => Object.keys(each["properties"] ?? {})))
  const properties = [...fields].map((name) => {
    return [name, anyOf(alternatives.flatMap((each) => each["properties"]?.[name] ?? []))] as const
  })
  const items = alternatives.flatMap((each) => each["items"] ?? [])
  const { const: _, enum: __, ...rest } = first
  return {
    ...rest,
    ...(values.every((each) => each !== undefined) ? { enum: values.flat() } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(items.length > 0 ? { items: anyOf(items) } : {}),
    required: (first["required"] ?? []).filter((name: string) =>
      others.every((each) => (each["required"] ?? []).includes(name))
    )
  }
}

/** Alternatives are told apart by it: `object` names the kind of an object, as `type` does that of an event. */
const kindOf = ({ const: constant, enum: values, properties, type }: Json): string => {
  const named = ["object", "type"].flatMap((name) => {
    const own = properties?.[name]
    const only = own?.const ?? (own?.enum?.length === 1 ? own.enum[0] : undefined)
    return only === undefined ? [] : [String(only)]
  })
  if (named.length > 0) return named.join(" ")
  const sample = constant ?? values?.[0]
  return type ?? (sample === undefined ? "anything" : typeof sample)
}

const valuesOf = ({ const: constant, enum: values }: Json): ReadonlyArray<unknown> | undefined =>
  constant === undefined ? values : [constant]

// The command ---------------------------------------------------------------------

const released = path.resolve(import.meta.dirname, "../docs/released")
const documents = ["openapi.json", "openapi-operator.json"] as const
const read = (file: string): Json => {
  const document = JSON.parse(readFileSync(file, "utf8"))
  return withoutReferences(document, document["components"] ?? {})
}

/** With shared parameters, headers and refusals where they are used. References to schemas stay. */
const withoutReferences = (node: any, components: Json): any => {
  if (Array.isArray(node)) return node.map((each) => withoutReferences(each, components))
  if (typeof node !== "object" || node === null) return node
  const [, kind = "", name = ""] = /^#\/components\/(parameters|headers|responses)\/(.+)$/.exec(node["$ref"]) ?? []
  if (kind !== "") return withoutReferences(components[kind][name], components)
  return Object.fromEntries(Object.entries(node).map(([key, each]) => [key, withoutReferences(each, components)]))
}

/** A version that may contain breaking changes: the next major one, and before 1.0 the next minor one. */
export const mayBreak = (before: string, after: string): boolean => {
  const [major = 0, minor = 0] = before.split(".").map(Number)
  const [majorNow = 0, minorNow = 0] = after.split(".").map(Number)
  return majorNow > major || (majorNow === 0 && minorNow > minor)
}

/** The contract alone: no texts for people, and no answers that refuse. `of`: the field that holds it. */
export const contractOf = (value: unknown, of = ""): unknown => {
  if (Array.isArray(value)) return value.map((each) => contractOf(each))
  if (typeof value !== "object" || value === null) return value
  const isKept = (name: string): boolean =>
    of === "responses"
      ? /^[23]/.test(name)
      : // A field may be called so.
        of === "properties" || of === "schemas" || !/^(description|summary|examples?|title|x-.*)$/.test(name)
  const isOfNames = of === "properties" || of === "schemas"
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isKept(name))
      .map(([name, each]) => [name, contractOf(each, isOfNames ? "" : name)])
  )
}

/** JSON with one line for each operation and each schema, so that a release shows in git what it changed. */
const linePerEntry = (document: Json): string =>
  `${JSON.stringify(document, undefined, 1).replaceAll(/\n {4,}|\n {3}(?=[}\]])/g, "")}\n`

/** The documents that `npm run openapi` has made, beside those that are kept. `--keep` keeps these, for a release. */
const main = (isKept: boolean): void => {
  const versionNow = read(path.resolve("package.json"))["version"]
  for (const name of documents) {
    const now = { ...(contractOf(read(path.resolve(name))) as Json), version: versionNow }
    const file = path.join(released, name)
    if (isKept) {
      mkdirSync(released, { recursive: true })
      writeFileSync(file, linePerEntry(now))
      continue
    }
    const before = read(file)
    const found = mayBreak(before["version"], versionNow) ? [] : incompatibleChanges(before, now)
    if (found.length === 0) continue
    console.error(`${name} takes away what ${before["version"]} has (docs/versioning.md):\n${found.join("\n")}`)
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv[2] === "--keep")
