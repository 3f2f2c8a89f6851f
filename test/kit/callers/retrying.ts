/** Callers that come all at once, on a machine of any speed. */
import { Effect, Semaphore } from "effect"
import type { Reply } from "../Api.ts"

/** More of them are no matter of load. */
const retriesMax = 100

/**
 * A call that is refused for the load is sent again. Retries take turns, so each of them ends. `moment`: lets time pass
 * before a retry, where the service's clock stands and its own pauses would never end.
 */
export const makeRetrying = (moment: Effect.Effect<unknown> = Effect.void) =>
  Effect.map(Semaphore.make(1), (turn) => <R>(call: Effect.Effect<Reply, never, R>): Effect.Effect<Reply, never, R> => {
    const retry = Effect.repeat(Effect.andThen(moment, call), {
      until: ({ status }) => status !== 503,
      times: retriesMax
    })
    return Effect.flatMap(call, (reply) => (reply.status === 503 ? turn.withPermits(1)(retry) : Effect.succeed(reply)))
  })
