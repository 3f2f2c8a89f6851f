/**
 * The call that a tool's arguments make. A write has an idempotency key that follows from its arguments, so a call that
 * is repeated because its answer was lost is done once, by whichever runner answers it.
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

const pageSize = 10
/** As the API's own: so many characters of an object's number, and no more. */
const refLengthMax = 128

/** A failure says which argument is wrong. */
export const callOf = (tool: Tool, args: Arguments): Result.Result<ApiCall, string> => {
  const { properties, required = [] } = tool.inputSchema
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined) return Result.fail(`There is no argument ${unknown.slice(0, 64)}.`)
  const missing = required.find((name) => args[name] === undefined)
  if (missing !== undefined) return Result.fail(`The argument ${missing} is required.`)
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
  return Result.succeed(tool.takesIdempotencyKey ? { ...call, idempotencyKey: keyOf(tool, args) } : call)
}

const pathOf = ({ path, pathArguments }: Tool, args: Arguments): string | undefined => {
  const refs = pathArguments.map((name) => args[name])
  if (!refs.every(isRef)) return undefined
  return pathArguments.reduce((text, name) => text.replace(`{${name}}`, encodeURIComponent(String(args[name]))), path)
}

/** A client that reads addresses as browsers do would leave the folder for a dot. */
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

/** With a text of the model's own the arguments do not count: another call under the same text is refused. */
const keyOf = ({ name }: Tool, { idempotency_key: own, ...rest }: Arguments): string =>
  `mcp-${hashOf(own === undefined ? [name, rest] : [name, "own", own])}`
