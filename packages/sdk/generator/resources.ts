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

/** A group holds operations, or groups that do. */
interface Group {
  readonly operations: Array<Operation>
  readonly groups: Map<string, Group>
}

const treeOf = (operations: ReadonlyArray<Operation>): Map<string, Group> => {
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

const aboutGroup = (place: ReadonlyArray<string>) => `The methods of \`coffer.${place.join(".")}\`.`

/** Objects have names of their own: a `Balance` is what is answered. */
const className = (place: ReadonlyArray<string>) => `${pascal(place)}Api`

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
  operation.isList ? listMethod(operation, document) : operation.isFile ? fileMethod(operation) : callMethod(operation),
  ...operation.texts.map((type) => textMethod(operation, type))
]

const about = ({ description, summary }: Operation) => comment(`${summary}. ${description}`, "  ")

const parametersOf = ({ pathParameters }: Operation) =>
  pathParameters.map(({ name, schema }) => `${camel(name)}: ${typeOf(schema)}, `).join("")

const pathOf = ({ path }: Operation) =>
  `path\`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${${camel(name)}}`)}\``

const callMethod = (operation: Operation): string => {
  const { isUpload, method, place, query, takesIdempotencyKey } = operation
  const [bodyParameter, bodyField] = bodyOf(operation)
  const queryParameter = query.length === 0 ? "" : `query: ${queryTypeOf(operation)}${ifLeftOut(operation)}, `
  const parameters = `${parametersOf(operation)}${bodyParameter}${queryParameter}`
  const options = takesIdempotencyKey ? "WriteOptions" : "CallOptions"
  const fields = `method: "${method}", path: ${pathOf(operation)}${bodyField}${query.length === 0 ? "" : ", query"}`
  const kept = method === "GET" || isUpload ? "" : ", isKeyed: true"
  return [
    `${about(operation)}  ${place.at(-1)!}(${parameters}options: ${options} = {}): Call<${typeOf(operation.data)}> {`,
    `    return this.#transport.call({ ${fields}${kept} }, options)`,
    "  }"
  ].join("\n")
}

/** A query of which nothing is needed may be left out. */
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

/** By media type: the method's name, and the `format` that asks for it. */
const formats: Readonly<Record<string, readonly [name: string, format: string, about: string]>> = {
  "text/csv": ["csv", "csv", "The same as a CSV file of at most 10,000 rows"],
  "image/svg+xml": ["qrCode", "svg", "A QR code of the same, as an SVG picture"]
}

const textMethod = (operation: Operation, type: string): string => {
  const [word, format, words] = formats[type]!
  const isReport = !operation.isList && operation.query.length > 0
  // Several reports stand on one class, and none of them is cut off.
  const name = isReport ? `${operation.place.at(-1)!}Csv` : word
  const description = isReport ? "The same as a CSV file" : words
  const left = operation.isList
    ? `Omit<${queryTypeOf(operation)}, "limit" | "starting_after" | "ending_before">`
    : isReport
      ? queryTypeOf(operation)
      : ""
  const query = left === "" ? "" : `query: ${left}${ifLeftOut(operation)}, `
  const sent = left === "" ? `{ format: "${format}" }` : `{ ...query, format: "${format}" }`
  return [
    `${comment(`${description}.`, "  ")}  ${name}(` +
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
