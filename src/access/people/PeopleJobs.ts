/** Removes sign-in links and sessions that have expired. */
import { Effect, Layer } from "effect"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { SignIn } from "./SignIn.ts"

/** Rows of each kind that one statement removes, so that none holds locks for long. */
const batchMax = 1_000

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const signIn = yield* SignIn
    yield* supervise(() => hourly("expired sessions", (now) => signIn.dropExpired(now, batchMax)))
  })
)
