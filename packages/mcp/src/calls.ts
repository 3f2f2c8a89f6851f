/**
 * The call that a tool's arguments make. A call that is not idempotent, such as a refund, has an idempotency key
 * derived from its arguments. So a retry after a lost answer takes effect once, on any runner. A call that sets an
 * object may be repeated later, and must set it again: its key is new each time.
 */
import { Result } from "effect"
import { hashOf, isRecord } from "./json.ts"
import { isRead, type Tool } from "./Tool.ts"

export type Arguments = Readonly<Record<string, unknown>>

export interface ApiCall {
  readonly method: Tool["method"]
  /** Without the version, with the query. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string
}

export interface ApiAnswer {
  /** 0 when no answer came. */
  readonly status: number
  /** The parsed body. */
  readonly body: unknown
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

export const noAnswer: ApiAnswer = { status: 0, body: undefined, headers: {} }

const [pageSize, pageSizeMax] = [10, 25]
/** The API's own limit for the length of an object's number. */
const refLengthMax = 128

/** A failure names the invalid argument. `occasion`: a text that is unique to this call. */
export const callOf = (tool: Tool, args: Arguments, occasion: string): Result.Result<ApiCall, string> => {
  const { properties, required = [] } = tool.inputSchema
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined) return Result.fail(`Unknown argument ${unknown.slice(0, 64)}. ${takenBy(tool)}`)
  const missing = required.find((name) => args[name] === undefined)
  if (missing !== undefined) return Result.fail(`The argument ${missing} is required. ${takenBy(tool)}`)
  const { limit } = tool.queryArguments["limit"] === undefined ? {} : args
  if (limit !== undefined && !isPageSize(limit)) {
    return Result.fail(`The argument limit must be a whole number from 1 to ${pageSizeMax}.`)
  }
  const path = pathOf(tool, args)
  if (path === undefined) return Result.fail("A number in the path must be a text of 1 to 128 characters.")
  const query = queryOf(tool, args)
  if (query === undefined) return Result.fail("An argument of the query must be a text, a number, or true or false.")
  const bodyNames = tool.bodyArguments.filter((name) => args[name] !== undefined)
  const withQuery = query.size === 0 ? path : `${path}?${query.toString()}`
  if (isRead(tool)) return Result.succeed({ method: tool.method, path: withQuery })
  const call: ApiCall = {
    method: tool.method,
    path: withQuery,
    ...(tool.method === "POST" ? { body: Object.fromEntries(bodyNames.map((name) => [name, args[name]])) } : {})
  }
  return Result.succeed(tool.takesIdempotencyKey ? { ...call, idempotencyKey: keyOf(tool, args, occasion) } : call)
}

const takenBy = ({ inputSchema: { properties, required = [] }, name }: Tool): string => {
  const names = Object.keys(properties).map((each) => (required.includes(each) ? `${each} (required)` : each))
  return names.length === 0 ? `${name} takes no arguments.` : `${name} takes ${names.join(", ")}.`
}

const isPageSize = (value: unknown): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= pageSizeMax

/** Names by which answers call the number that a tool calls `ref`. */
const numbers: ReadonlyArray<readonly [path: string, ...names: ReadonlyArray<string>]> = [
  ["/orders/{ref}", "trade_no", "out_trade_no"],
  ["/refunds/{ref}", "refund_no", "out_refund_no"],
  ["/disputes/{ref}", "dispute_no", "processor_dispute_id"]
]

/** Models write `trade_no` for `ref`, as the order does. */
export const withNumber = ({ inputSchema, path }: Tool, args: Arguments): Arguments => {
  if (args["ref"] !== undefined && args["ref"] !== null) return args
  const [, ...names] = numbers.find(([begins]) => path.includes(begins)) ?? [""]
  const name = names.find((each) => typeof args[each] === "string" && !Object.hasOwn(inputSchema.properties, each))
  if (name === undefined) return args
  const { [name]: ref, ...others } = args
  return { ...others, ref }
}

const pathOf = ({ path, pathArguments }: Tool, args: Arguments): string | undefined => {
  const refs = pathArguments.map((name) => args[name])
  if (!refs.every(isRef)) return undefined
  return pathArguments.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(String(args[name]))), path)
}

/** A client that parses URLs as browsers do would treat a dot as a parent folder. */
export const isRef = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= refLengthMax && !/^\.{1,2}$/.test(value)

const queryOf = ({ queryArguments }: Tool, args: Arguments): URLSearchParams | undefined => {
  const query = new URLSearchParams()
  for (const [argument, name] of Object.entries(queryArguments)) {
    const value = argument === "limit" ? (args[argument] ?? pageSize) : args[argument]
    if (value === undefined) continue
    if (isRecord(value)) {
      for (const [key, each] of Object.entries(value)) {
        if (!isPlain(each)) return undefined
        query.append(`${name}[${key}]`, String(each))
      }
    } else if (isPlain(value)) query.append(name, String(value))
    else return undefined
  }
  return query
}

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value)

/** With the model's own key the arguments are not part of it: a different call with the same key is refused. */
const keyOf = ({ name, repeat }: Tool, { idempotency_key: own, ...rest }: Arguments, occasion: string): string =>
  `mcp-${hashOf(repeat === "sets" ? [name, "at", occasion] : own === undefined ? [name, rest] : [name, "own", own])}`

// Null ---------------------------------------------------------------------------

/** Models write null for omitted arguments. Where null has its own meaning, the schema accepts it. */
export const withoutNulls = ({ inputSchema }: Pick<Tool, "inputSchema">, args: Arguments): Arguments =>
  leftOut(inputSchema, args) as Arguments

const leftOut = (schema: unknown, value: unknown): unknown => {
  if (!isRecord(value)) return value
  const fields = Object.entries(value)
    .map(([name, each]) => [name, each, fieldOf(schema, name)] as const)
    .filter(([, each, field]) => each !== null || field === undefined || takesNull(field))
  return Object.fromEntries(fields.map(([name, each, field]) => [name, leftOut(field, each)]))
}

/** Undefined for an unknown one. */
const fieldOf = (schema: unknown, name: string): unknown =>
  alternativesOf(schema)
    .flatMap(({ additionalProperties, properties }) => [
      isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    ])
    .find(isRecord)

const takesNull = (schema: unknown): boolean => alternativesOf(schema).some(({ type }) => type === "null")

const alternativesOf = (schema: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  !isRecord(schema) ? [] : Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : [schema]
