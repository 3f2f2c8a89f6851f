/** A setting that stops the start. The message is for the person who set it. */
import { Schema } from "effect"

export class BadSetting extends Schema.TaggedError<BadSetting>()("BadSetting", { message: Schema.String }) {}
