/** 400 `invalid_request`: the parameter by its name on the wire, and what is wrong with it (spec: Errors). */
import { Schema } from "effect"

export class InvalidField extends Schema.TaggedError<InvalidField>()("InvalidField", {
  param: Schema.String,
  problem: Schema.String
}) {}
