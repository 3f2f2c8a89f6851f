/**
 * The shapes of the messages between runners, as JSON schemas, compared with those that were kept when their number was
 * given (`docs/released/messages.json`, docs/decisions/0262). `node scripts/messageShapes.ts --keep` keeps today's.
 */
import { readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { Schema } from "effect"
import { messages as disputes } from "../src/money/disputes/DisputeCommands.ts"
import { messages as links } from "../src/money/links/LinkCommands.ts"
import { messages as orders } from "../src/money/orders/OrderCommands.ts"
import { messages as wallets } from "../src/money/wallets/Wallets.ts"
import { shapes } from "../src/platform/cluster/messages.ts"

type Json = Readonly<Record<string, unknown>>

const folder = path.resolve(import.meta.dirname, "..")
const kept = path.join(folder, "docs/released/messages.json")

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Neither the order of an object's members nor a description is part of a message's shape. */
const essence = (value: unknown, of?: string): unknown =>
  Array.isArray(value)
    ? of === "required"
      ? value.toSorted()
      : value.map((each) => essence(each))
    : isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name, each]) => name !== "description" || typeof each !== "string")
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, each]) => [name, essence(each, name)])
        )
      : value

const shapeOf = (schema: Schema.Codec<unknown, unknown>) =>
  essence(Schema.toJsonSchemaDocument(Schema.toCodecJson(schema)))

/** The envelope around each message is the framework's own, so its version is a part of what a number stands for. */
const frameworkVersion: string = JSON.parse(
  readFileSync(path.join(folder, "node_modules/effect/package.json"), "utf8")
).version

export const today = () => ({
  number: shapes[0],
  framework: frameworkVersion,
  messages: Object.fromEntries(
    [orders, wallets, links, disputes].map(({ failure, name, payload, success }) => [
      name,
      { payload: shapeOf(payload), success: shapeOf(success), failure: shapeOf(failure) }
    ])
  )
})

export const keptShapes = (): Json => JSON.parse(readFileSync(kept, "utf8"))

/** One line for each change that a runner of the other version does not read. A field that may be left out is none. */
export const changesBetween = (before: unknown, after: unknown, at = "messages"): ReadonlyArray<string> => {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length
      ? before.flatMap((each, index) => changesBetween(each, after[index], `${at}[${index}]`))
      : [`${at} has ${after.length} parts instead of ${before.length}`]
  }
  if (!isObject(before) || !isObject(after)) {
    return before === after ? [] : [`${at} is ${JSON.stringify(after)} instead of ${JSON.stringify(before)}`]
  }
  const isOpen = /(^|\.)(properties|definitions|\$defs)$/.test(at)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const place = `${at}.${name}`
    if (!(name in after)) return [`${place} is gone`]
    if (name in before) return changesBetween(before[name], after[name], place)
    return isOpen ? [] : [`${place} is new`]
  })
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes("--keep")) writeFileSync(kept, `${JSON.stringify(today(), undefined, 1)}\n`)
}
