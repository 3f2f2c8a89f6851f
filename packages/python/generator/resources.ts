/**
 * Writes the methods of the Python package: for each group of operations a synchronous class, and one for `asyncio`.
 */
import { type Json, type Operation } from "../../sdk/generator/operations.ts"
import {
  aboutGroup,
  className,
  followed,
  type Group,
  isFollowed,
  isKeyed,
  textFormOf,
  treeOf
} from "../../sdk/generator/resources.ts"
import { bodyTypeOf, cursorOf, queryTypeOf } from "../../sdk/generator/types.ts"
import { csvQueryTypeOf, docstring, followQueryTypeOf, notByHand, pythonTypeOf } from "./types.ts"

/** One of the two families of classes. */
interface Family {
  /** Before the name of a class. */
  readonly prefix: string
  readonly transport: string
  readonly list: string
  readonly follower: string
  readonly def: string
  readonly wait: string
}

const families: ReadonlyArray<Family> = [
  { prefix: "", transport: "Transport", list: "List", follower: "Iterator", def: "def", wait: "" },
  {
    prefix: "Async",
    transport: "AsyncTransport",
    list: "AsyncList",
    follower: "AsyncIterator",
    def: "async def",
    wait: "await "
  }
]

export const pythonResourcesOf = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const tree = treeOf(operations)
  const classes = families.flatMap((family) => [
    ...[...tree].flatMap(([name, node]) => classesOf([name], node, document, family)),
    holderOf("Resources", "The merchant API: one attribute for each kind of object.", [...tree.keys()], [], family)
  ])
  const body = classes.join("\n\n\n")
  return [
    docstring(`The methods of the merchant API. ${notByHand}`),
    "from __future__ import annotations",
    "",
    "from collections.abc import AsyncIterator, Iterator",
    "from typing import Literal, Unpack, cast",
    "",
    "from ._calls import CallOptions, FollowOptions, Request, Upload, WriteOptions, path",
    "from ._pages import AsyncList, List",
    "from ._transport import AsyncTransport, Transport",
    `from .types import (\n${importsIn(body, operations)},\n)`,
    "",
    "",
    body
  ].join("\n")
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const classesOf = (
  place: ReadonlyArray<string>,
  { groups, operations }: Group,
  document: Json,
  family: Family
): Array<string> => [
  ...[...groups].flatMap(([name, group]) => classesOf([...place, name], group, document, family)),
  groups.size > 0
    ? holderOf(className(place), aboutOf(place), [...groups.keys()], place, family)
    : classOf(place, operations, document, family)
]

const aboutOf = (place: ReadonlyArray<string>) => aboutGroup(place.map(snake))

const headOf = (name: string, about: string, { prefix, transport }: Family) => [
  `class ${prefix}${name}:`,
  docstring(about, "    "),
  "",
  `    def __init__(self, transport: ${transport}) -> None:`
]

const holderOf = (
  name: string,
  about: string,
  groups: ReadonlyArray<string>,
  place: ReadonlyArray<string>,
  family: Family
) =>
  [
    ...headOf(name, about, family),
    ...groups.map(
      (group) => `        self.${snake(group)} = ${family.prefix}${className([...place, group])}(transport)`
    )
  ].join("\n")

const classOf = (place: ReadonlyArray<string>, operations: ReadonlyArray<Operation>, document: Json, family: Family) =>
  [
    ...headOf(className(place), aboutOf(place), family),
    "        self._transport = transport",
    "",
    operations.flatMap((operation) => methodsOf(operation, document, family)).join("\n\n")
  ].join("\n")

const methodsOf = (operation: Operation, document: Json, family: Family): ReadonlyArray<string> => [
  ...(isFollowed(operation) ? [followMethod(operation, document, family)] : []),
  operation.isList ? listMethod(operation, document, family) : callMethod(operation, family),
  ...operation.texts.map((type) => textMethod(operation, type, family))
]

/** The parameters of the path, each with a comma. */
const parametersOf = ({ pathParameters }: Operation) =>
  pathParameters.map(({ name, schema }) => `${name}: ${pythonTypeOf(schema)}, `).join("")

const pathOf = ({ path, pathParameters }: Operation) =>
  `path("${path.replace(/\{\w+\}/g, "{}")}"${pathParameters.map(({ name }) => `, ${name}`).join("")})`

const aboutMethod = ({ description, summary }: Operation) => docstring(`${summary}. ${description}`, "        ")

const answerOf = ({ data, isBinary, isFile }: Operation) => (isBinary ? "bytes" : isFile ? "str" : pythonTypeOf(data))

const callMethod = (operation: Operation, { def, wait }: Family): string => {
  const { isBinary, isFile, method, place, query, takesIdempotencyKey } = operation
  const [bodyParameter, bodyField] = bodyOf(operation)
  const isLeftOut = !query.some(({ required }) => required)
  const queryParameter = query.length === 0 ? "" : `query: ${queryTypeOf(operation)}${isLeftOut ? " = {}" : ""}, `
  const fields = [
    `"${method}", ${pathOf(operation)}`,
    ...(query.length === 0 ? [] : ["query=query"]),
    ...bodyField,
    ...(isKeyed(operation) ? ["is_keyed=True"] : []),
    ...(isBinary ? ['form="bytes"'] : isFile ? ['form="text"'] : [])
  ].join(", ")
  const options = takesIdempotencyKey ? "WriteOptions" : "CallOptions"
  const answer = answerOf(operation)
  return [
    `    ${def} ${snake(place.at(-1)!)}(self, ${parametersOf(operation)}${bodyParameter}${queryParameter}` +
      `**options: Unpack[${options}]) -> ${answer}:`,
    aboutMethod(operation),
    `        return cast(${JSON.stringify(answer)}, ${wait}self._transport.call(Request(${fields}), options))`
  ].join("\n")
}

const bodyOf = (operation: Operation): readonly [parameter: string, field: ReadonlyArray<string>] => {
  if (operation.isUpload) return ["file: Upload, ", ["upload=file"]]
  if (operation.body === undefined) return ["", []]
  return [`body: ${bodyTypeOf(operation)}${operation.isBodyOptional ? " = {}" : ""}, `, ["body=body"]]
}

const listMethod = (operation: Operation, document: Json, { list, prefix }: Family): string => {
  const name = snake(operation.place.at(-1)!)
  const type = `${list}[${pythonTypeOf(operation.data)}]`
  return [
    `    def ${name}(self, ${parametersOf(operation)}query: ${queryTypeOf(operation)} = {}, ` +
      `**options: Unpack[CallOptions]) -> ${type}:`,
    aboutMethod(operation),
    `        return ${prefix}List(self._transport, ${pathOf(operation)}, "${cursorOf(operation, document)}", ` +
      "query, options)"
  ].join("\n")
}

const followMethod = (operation: Operation, document: Json, { follower }: Family): string =>
  [
    `    def follow(self, ${parametersOf(operation)}query: ${followQueryTypeOf(operation)} = {}, ` +
      `**options: Unpack[FollowOptions]) -> ${follower}[${pythonTypeOf(operation.data)}]:`,
    docstring(followed, "        "),
    `        return self._transport.follow(${pathOf(operation)}, "${cursorOf(operation, document)}", query, options)`
  ].join("\n")

const textMethod = (operation: Operation, type: string, { def, wait }: Family): string => {
  const form = textFormOf(operation, type)
  const isLeftOut = !operation.query.some(({ required }) => required)
  const queryType = form.query === "filters" ? csvQueryTypeOf(operation) : queryTypeOf(operation)
  const query = form.query === "none" ? "" : `query: ${queryType}${isLeftOut ? " = {}" : ""}, `
  const sent = form.query === "none" ? `{"format": "${form.format}"}` : `{**query, "format": "${form.format}"}`
  return [
    `    ${def} ${snake(form.name)}(self, ${parametersOf(operation)}${query}**options: Unpack[CallOptions]) -> str:`,
    docstring(form.about, "        "),
    `        return cast("str", ${wait}self._transport.call(` +
      `Request("GET", ${pathOf(operation)}, query=${sent}, form="text"), options))`
  ].join("\n")
}

const importsIn = (body: string, operations: ReadonlyArray<Operation>): string => {
  const names = operations.flatMap((operation) => [
    ...(operation.isFile ? [] : [pythonTypeOf(operation.data)]),
    ...(operation.body === undefined ? [] : [bodyTypeOf(operation)]),
    ...(operation.query.length === 0
      ? []
      : [queryTypeOf(operation), csvQueryTypeOf(operation), followQueryTypeOf(operation)])
  ])
  return [...new Set(names)]
    .filter((name) => new RegExp(`\\b${name}\\b`).test(body))
    .toSorted()
    .map((name) => `    ${name}`)
    .join(",\n")
}
