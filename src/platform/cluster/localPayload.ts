/**
 * The payload of a message to the owner of an object. One that stays in this process is not checked, since the compiler
 * and the edge have checked its values already: another check cost more than the decision itself
 * (docs/performance-notes.md). A message from another runner is decoded like all external input.
 */
import { Schema, SchemaTransformation } from "effect"

export const localPayload = <Message>(wire: Schema.Codec<Message, unknown>) =>
  Schema.declare<Message>((_): _ is Message => true, {
    toCodecJson: () => Schema.link<Message>()(wire, SchemaTransformation.passthrough())
  })
