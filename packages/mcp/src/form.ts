/**
 * Validates a live write's arguments before a person is asked, so that a confirmed call is not refused by the API. In
 * the sandbox only the API validates, with better messages.
 */
import { Result, Schema, SchemaIssue, SchemaRepresentation } from "effect"
import type { Arguments } from "./calls.ts"
import type { Tool } from "./Tool.ts"

/** Arguments that the API only requires with a live key, which no schema says. */
const requiredInLive: Readonly<Record<string, ReadonlyArray<string>>> = { refunds_create: ["out_refund_no"] }

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first problem, with the argument's name. */
export const misfitOf = ({ inputSchema, name }: Tool, args: Arguments): string | undefined => {
  const missing = requiredInLive[name]?.find((each) => args[each] === undefined)
  if (missing !== undefined) return `The argument ${missing} is required with a live key.`
  const schema = SchemaRepresentation.fromJsonSchemaDocument({
    dialect: "draft-2020-12",
    schema: inputSchema as never,
    definitions: {}
  })
  const read = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(args)
  if (Result.isSuccess(read)) return undefined
  const [first] = format(read.failure.issue).issues
  const place = (first?.path ?? []).map((each) => (typeof each === "object" ? each.key : each)).join(".")
  return `The argument ${place} does not fit: ${first?.message ?? "it has another form"}.`
}
