/** Whether this process is going: it finishes what it has, and asks for nothing new. */
import type { Server } from "node:http"
import { Context, Layer } from "effect"

export class Draining extends Context.Service<Draining, { now: boolean }>()("@coffer/http/Draining") {}

export const layer = Layer.sync(Draining, () => ({ now: false }))

/** What is in flight when the end is announced has this long to be answered. */
export const drainMillis = 3_000

/** A request that was on its way on an idle connection when the end was announced arrives within this time. */
const onItsWayMillis = 200

/** What was refused after the drain time has this long to be sent. */
const lastWordMillis = 300

/**
 * The same server, which closes in time and cuts off nobody who is served. Node by itself cuts idle connections at
 * once, with requests that are on their way. It waits for ever for connections that have sent nothing yet, or half a
 * request.
 */
export const closingInTime = (server: Server): Server => {
  const close = server.close.bind(server)
  const closeIdle = server.closeIdleConnections.bind(server)
  // `close` calls it. What the kernel holds already is read before the callback of `setImmediate`.
  server.closeIdleConnections = () => void setTimeout(() => setImmediate(closeIdle), onItsWayMillis)
  server.close = (done) => {
    const cut = setTimeout(() => server.closeAllConnections(), drainMillis + lastWordMillis)
    return close((error) => {
      clearTimeout(cut)
      done?.(error)
    })
  }
  return server
}
