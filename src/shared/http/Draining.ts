/** Whether this process is shutting down: it finishes open requests, and asks clients to send new ones elsewhere. */
import { Context, Effect, Layer } from "effect"

export class Draining extends Context.Service<Draining, { now: boolean }>()("@coffer/http/Draining") {}

export const layer = Layer.sync(Draining, () => ({ now: false }))

/** Sets `now` as the first step of a shutdown, so that load balancers and clients on open connections notice it. */
export const announced = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) =>
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        draining.now = true
      })
    )
  )
)
