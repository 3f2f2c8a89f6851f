/**
 * Makes `src/facts/table.json`: the names, types, required fields and enumerations of Stripe's objects and parameters,
 * read from the declarations of the installed `stripe` package, which Stripe generates from its OpenAPI document. No
 * descriptions are copied. `node packages/simulator/scripts/makeFacts.ts`, at the repository's root.
 */
import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import type { Node } from "typescript/unstable/ast"
import { API, type Symbol as Sym, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync"

const root = path.resolve(import.meta.dirname, "../../..")
const from = (file: string) => readFileSync(path.join(root, "node_modules/stripe", file), "utf8").trim()
const rootsFile = path.join(import.meta.dirname, "../src/facts/roots.ts")
const tableFile = path.join(import.meta.dirname, "../src/facts/table.json")

/** The supported payment methods. The shapes of other methods are omitted: `{}`, any hash. */
const methodsKept = new Set(["card", "alipay", "wechat_pay", "card_present", "link"])

const api = new API({ cwd: root })
const project = api.updateSnapshot({ openProjects: [path.join(root, "tsconfig.json")] }).getProjects()[0]!
const checker = project.checker

const propertiesOf = (type: Type) =>
  [...checker.getPropertiesOfType(type)].toSorted((a, b) => (a.name < b.name ? -1 : 1))
const typeOf = (property: Sym) => checker.getTypeOfSymbol(property)!
const rootsOf = (name: string): ReadonlyArray<readonly [string, Type]> => {
  const source = project.program.getSourceFile(rootsFile)!
  const named = source.statements.map((each) => (each as unknown as { name?: Node & { text: string } }).name)
  const symbol = checker.getSymbolAtLocation(named.find((each) => each?.text === name)!)!
  return propertiesOf(checker.getDeclaredTypeOfSymbol(symbol)).map((property) => [property.name, typeOf(property)])
}

/** `Refund.DestinationDetails`. Modules are not part of the name. */
const nameOf = (symbol: Sym): string => {
  const parent = symbol.getParent()
  return parent === undefined || parent.name.startsWith('"') ? symbol.name : `${nameOf(parent)}.${symbol.name}`
}

const types: Record<string, Record<string, string>> = {}
const objects = Object.fromEntries(rootsOf("Objects"))
const simulated = new Set(Object.values(objects).map((type) => type.id))

/** A top-level object, which others reference by its id. */
const isResource = (type: Type) => {
  const names = new Set(checker.getPropertiesOfType(type).map(({ name }) => name))
  return names.has("id") && (names.has("object") || names.has("deleted"))
}

const alternativesOf = (type: Type): ReadonlyArray<Type> => (type.isUnionType() ? type.getTypes() : [type])

const details = alternativesOf(typeOf(checker.getPropertyOfType(objects.charge!, "payment_method_details")!))
const methodNames = new Set(
  details.flatMap((each) => (each.isObjectType() ? checker.getPropertiesOfType(each).map(({ name }) => name) : []))
)
methodNames.delete("type")

const expressionOf = (type: Type): string => {
  const all = alternativesOf(type).filter((each) => (each.flags & TypeFlags.Undefined) === 0)
  const hashes = all.filter((each) => each.isObjectType() && !checker.isArrayType(each) && !isResource(each))
  // A hash with one of several shapes, such as an event's data, becomes any hash.
  const terms = all.map((each) => (hashes.length > 1 && hashes.includes(each) ? "{}" : termOf(each)))
  return [...new Set(terms)].toSorted((a, b) => (a < b ? -1 : 1)).join("|")
}

const termOf = (type: Type): string => {
  if ((type.flags & TypeFlags.Null) !== 0) return "null"
  if (type.isStringLiteralType()) return `=${type.value}`
  if ((type.flags & TypeFlags.BooleanLike) !== 0) return "boolean"
  if ((type.flags & TypeFlags.NumberLike) !== 0) return "number"
  if ((type.flags & TypeFlags.String) !== 0) return "string"
  // An enumeration that Stripe declares open: other values may appear.
  if (type.isIntersectionType()) return "*"
  if (checker.isArrayType(type)) return `[${expressionOf(checker.getTypeArguments(type as never)[0]!)}]`
  const symbol = type.getSymbol()
  if (symbol === undefined || !type.isObjectType()) return "{}"
  if (isResource(type)) return simulated.has(type.id) ? `@${nameOf(symbol)}` : "~"
  if (symbol.name === "ApiList") return `list:${expressionOf(checker.getTypeArguments(type as never)[0]!)}`
  if (["Uint8Array", "FileData", "Buffer"].includes(symbol.name)) return "file"
  if (checker.getPropertiesOfType(type).length === 0) return "{}"
  return `@${describe(nameOf(symbol), type)}`
}

const describe = (name: string, type: Type): string => {
  if (types[name] !== undefined) return name
  const fields: Record<string, string> = (types[name] = {})
  const isAboutMethods = checker.getPropertiesOfType(type).filter((each) => methodNames.has(each.name)).length > 5
  for (const property of propertiesOf(type)) {
    const isOptional = (property.flags & SymbolFlags.Optional) !== 0
    const isLeftOut = isAboutMethods && methodNames.has(property.name) && !methodsKept.has(property.name)
    fields[isOptional ? `${property.name}?` : property.name] = isLeftOut ? "{}" : expressionOf(typeOf(property))
  }
  return name
}

const describeRoot = (type: Type, fallback: string) =>
  describe(type.getSymbol() === undefined ? fallback : nameOf(type.getSymbol()!), type)

const objectNames = Object.fromEntries(Object.entries(objects).map(([name, type]) => [name, describeRoot(type, name)]))
const operations = Object.fromEntries(rootsOf("Parameters").map(([name, type]) => [name, describeRoot(type, name)]))
api.close()

const apiVersion = /ApiVersion = "([^"]+)"/.exec(from("cjs/apiVersion.d.ts"))![1]
const lines = (record: Record<string, unknown>) =>
  Object.entries(record)
    .map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(",\n")

writeFileSync(
  tableFile,
  `{
  "apiVersion": "${apiVersion}",
  "openapiVersion": "${from("OPENAPI_VERSION")}",
  "stripePackage": "${from("VERSION")}",
  "objects": {
${lines(objectNames)}
  },
  "operations": {
${lines(operations)}
  },
  "types": {
${lines(types)}
  }
}
`
)
