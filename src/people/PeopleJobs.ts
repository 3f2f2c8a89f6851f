/** Removes sign-in links and sessions that have expired. */
import { DateTime, Effect, Layer, Option } from "effect"
import { Workers } from "../platform/jobs/Workers.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { SignIn } from "./SignIn.ts"

/** Rows of each kind that one statement removes, so that none holds locks for long. */
const batchMax = 1_000
const every = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const signIn = yield* SignIn
    yield* workers.supervise(() => ({
      name: "expired sessions",
      tidies: true,
      run: Effect.flatMap(currentTime, (now) => signIn.dropExpired(now, batchMax)),
      next: Effect.map(currentTime, (now) => Option.some(DateTime.addDuration(now, every)))
    }))
  })
)
