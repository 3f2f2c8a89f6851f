/** What does not decode becomes 400 `invalid_request`, and `param` names the first offending field (spec: Errors). */
import { Decoding } from "@coffer/contract/Caller"
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { refuseField } from "./replies.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(Decoding, (error) => {
  // A reply that does not fit its own schema is our bug, not the caller's.
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.fail(error)
  const [first] = format(error.cause.issue).issues
  const param = (first?.path ?? [])
    .map((segment) => String(typeof segment === "object" ? segment.key : segment))
    .join(".")
  const problem = first?.message ?? "is not valid"
  return refuseField(param, problem)
})
