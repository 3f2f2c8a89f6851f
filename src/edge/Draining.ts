/** Whether this process is going: it finishes what it has, and asks for nothing new. */
import type { Server } from "node:http"
import { Context, Effect, Layer } from "effect"

export class Draining extends Context.Service<Draining, { now: boolean }>()("@coffer/edge/Draining") {}

export const layer = Layer.sync(Draining, () => ({ now: false }))

/** Set first when the service ends, so that load balancers and clients on kept connections hear of it. */
export const announced = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) =>
    Effect.addFinalizer(() =>
      Effect.sync(() => {
        draining.now = true
      })
    )
  )
)

/** What is in flight when the end is announced has this long to be answered. */
export const drainMillis = 3_000

/** A request that was on its way on an idle connection when the end was announced arrives within this time. */
const onItsWayMillis = 200

/**
 * The same server, which cuts off no request when it closes. Node by itself cuts idle connections at once, with the
 * requests that are on their way on them.
 */
export const closingGently = (server: Server): Server => {
  const closeIdle = server.closeIdleConnections.bind(server)
  // `close` calls it. What the kernel holds already is read before the callback of `setImmediate`.
  server.closeIdleConnections = () => void setTimeout(() => setImmediate(closeIdle), onItsWayMillis)
  return server
}
