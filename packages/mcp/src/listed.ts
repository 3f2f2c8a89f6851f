/**
 * A tool as clients list it. Models read the list in each session, so it says each thing once: what every list takes is
 * in the server's instructions, and lengths, patterns and longer explanations are in the reference (`docs_read`), where
 * a refusal leads. The whole schema stays the one by which arguments are checked.
 */
import { isRecord } from "./json.ts"
import { isOfSandbox, isRead, type Tool } from "./Tool.ts"

/** Characters of a tool's description, if it has more than one sentence. */
const descriptionLength = 56

export const listedOf = (tool: Tool) => ({
  name: tool.name,
  description: shortened(`${tool.title}. ${tool.description}`, descriptionLength),
  // What a number in the path is of, the tool's name says.
  inputSchema: { type: "object", ...properties(tool.inputSchema, 0, tool.pathArguments) },
  annotations: annotationsOf(tool)
})

/** Only adds data. */
const additive = /^(testHelpers_.*|.*_(sendReceipt|resend)|(orders|paymentLinks|reports|webhookEndpoints)_create)$/

/** Clients show these hints of a tool, and decide by them. */
const annotationsOf = (tool: Tool) => ({
  readOnlyHint: isRead(tool),
  destructiveHint: !isRead(tool) && !additive.test(tool.name),
  // Repeating the call has no further effect.
  idempotentHint: true,
  openWorldHint: !isRead(tool) && !isOfSandbox(tool)
})

/** Arguments of many tools; the instructions explain them. */
const common: ReadonlySet<string> = new Set([
  "limit",
  "starting_after",
  "ending_before",
  "created_gt",
  "created_gte",
  "created_lt",
  "created_lte",
  "currency",
  "idempotency_key",
  "metadata",
  "sort",
  "time_zone",
  "wait"
])

const properties = ({ properties: all, required }: Shape, depth: number, clear: ReadonlyArray<string> = []) => ({
  ...(all === undefined
    ? {}
    : {
        properties: Object.fromEntries(
          Object.entries(all).map(([name, field]) => [
            name,
            shown(field, depth + 1, common.has(name) || clear.includes(name))
          ])
        )
      }),
  ...(required === undefined ? {} : { required })
})

interface Shape {
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: ReadonlyArray<string>
}

/** What a model needs to write a value: its type, its words, and a sentence. */
const shown = (schema: unknown, depth: number, isCommon: boolean): unknown => {
  if (!isRecord(schema)) return schema
  const { anyOf, default: preset, description, enum: words, items, maximum, type } = schema
  // Within an object the names say enough.
  const sentence = isCommon || depth > 1 || typeof description !== "string" ? "" : shortened(description, 0)
  return {
    // Words show that it is a text.
    ...(type === undefined || words !== undefined ? {} : { type }),
    ...(words === undefined ? {} : { enum: words }),
    ...(preset === undefined || isCommon ? {} : { default: preset }),
    // Of a number that has to be small.
    ...(typeof maximum === "number" && maximum <= 100 && !isCommon ? { maximum } : {}),
    ...(sentence === "" ? {} : { description: sentence }),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((each) => shown(each, depth, isCommon)) } : {}),
    ...(items === undefined ? {} : { items: shown(items, depth, isCommon) }),
    ...properties(schema as Shape, depth)
  }
}

/** Characters of a sentence, if it has parts of which the first is enough. */
const sentenceLength = 60

/** The first sentence, and those after it that fit. */
const shortened = (text: string, length: number): string => {
  const [first = "", ...others] = text.split(/(?<=[.!?])\s+(?=[A-Z`])/)
  let short = first.length > sentenceLength ? first.replace(/(?<=.{20})([;:]|, one line) .*$/, ".") : first
  for (const sentence of others) {
    if (short.length + sentence.length >= length) break
    short += ` ${sentence}`
  }
  return short
}
