/** A setting that the service cannot start with. The message names it and says what it should look like. */
import { Schema } from "effect"

export class BadSetting extends Schema.TaggedError<BadSetting>()("BadSetting", { message: Schema.String }) {}
