/** 400 `invalid_request`: the parameter's name on the wire, and the problem (spec: Errors). */
import { Schema } from "effect"

export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  param: Schema.String,
  problem: Schema.String
}) {}
