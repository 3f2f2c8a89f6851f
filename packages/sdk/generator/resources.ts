/** Writes the client's methods: a class for each group of operations, and the class that holds them. */
import { camel, type Json, type Operation, pascal } from "./operations.ts"
import { bodyTypeOf, comment, cursorOf, notByHand, queryTypeOf, typeOf } from "./types.ts"

export const resourcesOf = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const tree = treeOf(operations)
  const classes = [...tree].flatMap(([name, node]) => classesOf([name], node, document))
  const body = classes.join("\n\n")
  return [
    `/** The methods of the merchant API. ${notByHand} */`,
    `import type { Call } from "../Call.ts"`,
    `import { path } from "../encode.ts"`,
    `import type { FollowOptions } from "../follow.ts"`,
    `import type { List } from "../List.ts"`,
    `import type { CallOptions, Upload, WriteOptions } from "../options.ts"`,
    `import type { Transport } from "../Transport.ts"`,
    `import type {\n${importsIn(body, operations)}\n} from "./types.ts"`,
    "",
    body,
    "",
    holderOf("Resources", "The merchant API: one property for each kind of object.", [...tree.keys()], [])
  ].join("\n")
}

/** A group contains operations or groups. */
export interface Group {
  readonly operations: Array<Operation>
  readonly groups: Map<string, Group>
}

export const treeOf = (operations: ReadonlyArray<Operation>): Map<string, Group> => {
  const root: Group = { operations: [], groups: new Map() }
  for (const operation of operations) {
    let group = root
    for (const name of operation.place.slice(0, -1)) {
      const inner: Group = group.groups.get(name) ?? { operations: [], groups: new Map() }
      group.groups.set(name, inner)
      group = inner
    }
    group.operations.push(operation)
  }
  return root.groups
}

const classesOf = (place: ReadonlyArray<string>, { groups, operations }: Group, document: Json): Array<string> => [
  ...[...groups].flatMap(([name, group]) => classesOf([...place, name], group, document)),
  groups.size > 0
    ? holderOf(className(place), aboutGroup(place), [...groups.keys()], place)
    : classOf(place, operations, document)
]

const holderOf = (name: string, about: string, groups: ReadonlyArray<string>, place: ReadonlyArray<string>) =>
  [
    `${comment(about)}export class ${name} {`,
    ...groups.map((group) => `  readonly ${group}: ${className([...place, group])}`),
    "",
    "  constructor(transport: Transport) {",
    ...groups.map((group) => `    this.${group} = new ${className([...place, group])}(transport)`),
    "  }",
    "}"
  ].join("\n")

export const aboutGroup = (place: ReadonlyArray<string>) => `The methods of \`coffer.${place.join(".")}\`.`

/** Avoids names of objects: `Balance` is the answer's type. */
export const className = (place: ReadonlyArray<string>) => `${pascal(place)}Api`

const classOf = (place: ReadonlyArray<string>, operations: ReadonlyArray<Operation>, document: Json) =>
  [
    `${comment(aboutGroup(place))}export class ${className(place)} {`,
    "  readonly #transport: Transport",
    "",
    "  constructor(transport: Transport) {",
    "    this.#transport = transport",
    "  }",
    "",
    operations.flatMap((operation) => methodsOf(operation, document)).join("\n\n"),
    "}"
  ].join("\n")

const methodsOf = (operation: Operation, document: Json): ReadonlyArray<string> => [
  ...(isFollowed(operation) ? [followMethod(operation, document)] : []),
  operation.isList ? listMethod(operation, document) : operation.isFile ? fileMethod(operation) : callMethod(operation),
  ...operation.texts.map((type) => textMethod(operation, type))
]

const about = ({ description, summary }: Operation) => comment(`${summary}. ${description}`, "  ")

const parametersOf = ({ pathParameters }: Operation) =>
  pathParameters.map(({ name, schema }) => `${camel(name)}: ${typeOf(schema)}, `).join("")

const pathOf = ({ path }: Operation) =>
  `path\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${${camel(name)}}`)}\``

const callMethod = (operation: Operation): string => {
  const { method, place, query, takesIdempotencyKey } = operation
  const [bodyParameter, bodyField] = bodyOf(operation)
  const queryParameter = query.length === 0 ? "" : `query: ${queryTypeOf(operation)}${ifLeftOut(operation)}, `
  const parameters = `${parametersOf(operation)}${bodyParameter}${queryParameter}`
  const options = takesIdempotencyKey ? "WriteOptions" : "CallOptions"
  const fields = `method: "${method}", path: ${pathOf(operation)}${bodyField}${query.length === 0 ? "" : ", query"}`
  const kept = isKeyed(operation) ? ", isKeyed: true" : ""
  return [
    `${about(operation)}  ${place.at(-1)!}(${parameters}options: ${options} = {}): Call<${typeOf(operation.data)}> {`,
    `    return this.#transport.call({ ${fields}${kept} }, options)`,
    "  }"
  ].join("\n")
}

/** A write that its key makes idempotent. */
export const isKeyed = ({ isUpload, method }: Operation): boolean => method !== "GET" && !isUpload

/** A query without required parameters is optional. */
const ifLeftOut = ({ query }: Operation) => (query.some(({ required }) => required) ? "" : " = {}")

const bodyOf = (operation: Operation): readonly [parameter: string, field: string] => {
  if (operation.isUpload) return ["file: Upload, ", ", upload: file"]
  if (operation.body === undefined) return ["", ""]
  return [`body: ${bodyTypeOf(operation)}${operation.isBodyOptional ? " = {}" : ""}, `, ", body"]
}

const fileMethod = (operation: Operation): string => {
  const [bodyParameter, bodyField] = bodyOf(operation)
  const { isBinary, method, place } = operation
  const called = `${about(operation)}  ${place.at(-1)!}(${parametersOf(operation)}${bodyParameter}`
  return isBinary
    ? [
        `${called}options: CallOptions = {}): Call<Uint8Array> {`,
        `    return this.#transport.call({ method: "${method}", path: ${pathOf(operation)}${bodyField}, ` +
          "isKeyed: true, isBinary: true }, options)",
        "  }"
      ].join("\n")
    : [
        `${called}options: CallOptions = {}): Call<string> {`,
        `    return this.#transport.text(${pathOf(operation)}, {}, options)`,
        "  }"
      ].join("\n")
}

const listMethod = (operation: Operation, document: Json): string =>
  [
    `${about(operation)}  ${operation.place.at(-1)!}(` +
      `${parametersOf(operation)}query: ${queryTypeOf(operation)} = {}, options: CallOptions = {}` +
      `): List<${typeOf(operation.data)}> {`,
    `    return this.#transport.list(${pathOf(operation)}, "${cursorOf(operation, document)}", query, options)`,
    "  }"
  ].join("\n")

/** A list that supports long polling. */
export const isFollowed = ({ isList, query }: Operation): boolean => isList && query.some(({ name }) => name === "wait")

export const followed =
  "Each of them once and oldest first, as it happens, until the program stops reading. It begins behind `after`, the " +
  "id of the newest that you have handled; with the first where that is null, else with what happens from now on. It " +
  "goes on after a lost connection."

/** Query fields of a list that a follower does not accept. */
export const followLeaves: ReadonlyArray<string> = ["limit", "starting_after", "ending_before", "created", "wait"]

const followMethod = (operation: Operation, document: Json): string => {
  const left = followLeaves.map((name) => `"${name}"`).join(" | ")
  const query = `Omit<${queryTypeOf(operation)}, ${left}> & { readonly after?: string | null | undefined }`
  return [
    `${comment(followed, "  ")}  follow(${parametersOf(operation)}query: ${query} = {}, ` +
      `options: FollowOptions = {}): AsyncGenerator<${typeOf(operation.data)}, void, undefined> {`,
    `    return this.#transport.follow(${pathOf(operation)}, "${cursorOf(operation, document)}", query, options)`,
    "  }"
  ].join("\n")
}

/** By media type: the method's name, and its `format`. */
const formats: Readonly<Record<string, readonly [name: string, format: string, about: string]>> = {
  "text/csv": ["csv", "csv", "The same as a CSV file of at most 10,000 rows"],
  "image/svg+xml": ["qrCode", "svg", "A QR code of the same, as an SVG picture"]
}

/** Another format of an operation's answer, as a separate method. */
export interface TextForm {
  readonly name: string
  readonly format: string
  readonly about: string
  /** The query fields that it accepts: all, the filters, or none. */
  readonly query: "all" | "filters" | "none"
}

export const textFormOf = ({ isList, place, query }: Operation, type: string): TextForm => {
  const [word, format, words] = formats[type]!
  const isReport = !isList && query.length > 0
  // Several reports share a class, and none of them is truncated.
  return isReport
    ? { name: `${place.at(-1)!}Csv`, format, about: "The same as a CSV file.", query: "all" }
    : { name: word, format, about: `${words}.`, query: isList ? "filters" : "none" }
}

/** The paging fields of a list's query. */
export const pageFields: ReadonlyArray<string> = ["limit", "starting_after", "ending_before"]

const textMethod = (operation: Operation, type: string): string => {
  const form = textFormOf(operation, type)
  const left =
    form.query === "filters"
      ? `Omit<${queryTypeOf(operation)}, ${pageFields.map((name) => `"${name}"`).join(" | ")}>`
      : form.query === "all"
        ? queryTypeOf(operation)
        : ""
  const query = left === "" ? "" : `query: ${left}${ifLeftOut(operation)}, `
  const sent = left === "" ? `{ format: "${form.format}" }` : `{ ...query, format: "${form.format}" }`
  return [
    `${comment(form.about, "  ")}  ${form.name}(` +
      `${parametersOf(operation)}${query}options: CallOptions = {}): Call<string> {`,
    `    return this.#transport.text(${pathOf(operation)}, ${sent}, options)`,
    "  }"
  ].join("\n")
}

const importsIn = (body: string, operations: ReadonlyArray<Operation>): string => {
  const names = operations.flatMap((operation) => [
    ...(operation.isFile ? [] : [typeOf(operation.data)]),
    ...(operation.body === undefined ? [] : [bodyTypeOf(operation)]),
    ...(operation.query.length === 0 ? [] : [queryTypeOf(operation)])
  ])
  return [...new Set(names)]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    .toSorted()
    .map((name) => `  ${name}`)
    .join(",\n")
}
