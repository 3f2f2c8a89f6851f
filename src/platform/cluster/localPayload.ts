/**
 * What actors are told. A message that stays in this process was built from values that the compiler and the edge have
 * checked, so it is taken as it is: to check all of it again cost more than to decide (docs/performance-notes.md). One
 * from another runner is decoded like anything that comes from outside.
 */
import { Schema, SchemaTransformation } from "effect"

export const localPayload = <const Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const wire = Schema.Struct(fields)
  type Message = typeof wire.Type
  return Schema.declare<Message>((_): _ is Message => true, {
    toCodecJson: () => Schema.link<Message>()(wire, SchemaTransformation.passthrough())
  })
}
