/** Why the service could not be started, for the person who runs the tests. */
import { Schema } from "effect"

export class StartFailure extends Schema.TaggedError<StartFailure>()("StartFailure", { message: Schema.String }) {}
