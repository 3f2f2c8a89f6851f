/** Why the service could not be started, for the test's output. */
import { Schema } from "effect"

export class StartFailure extends Schema.TaggedError<StartFailure>()("StartFailure", { message: Schema.String }) {}
