/** Whether this process is shutting down: it finishes open requests, and asks clients to send new ones elsewhere. */
import type { Server } from "node:http"
import { Context, Effect, Layer } from "effect"

export class Draining extends Context.Service<Draining, { now: boolean }>()("@coffer/edge/Draining") {}

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

/** Requests that are open when the shutdown begins have this long to be answered. */
export const drainMillis = 3_000

/** A request that was in transit on an idle connection when the shutdown began arrives within this time. */
const transitMillis = 200

/**
 * Makes the server close idle connections a little later. Node would close them at once, and lose the requests that are
 * in transit on them.
 */
export const closingGently = (server: Server): Server => {
  const closeIdle = server.closeIdleConnections.bind(server)
  // `close` calls this. What the kernel has received by then is read before the callback of `setImmediate` runs.
  server.closeIdleConnections = () => void setTimeout(() => setImmediate(closeIdle), transitMillis)
  return server
}
