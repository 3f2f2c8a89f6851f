/**
 * Requests that a client sends on one connection before the first of them is answered. Each begins when those before it
 * are answered, so it may count on what they did (RFC 9112, 9.3.2; silences: G27).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Requests that may wait on a connection. Node begins all that it reads at once, and in 64 kB there are thousands. A
 * connection with more of them is cut.
 */
const waitingMax = 100

/** A request has come, in Node's words. */
const arrivals = new Set(["request", "checkContinue", "checkExpectation"])

type Emit = (event: string, ...given: ReadonlyArray<unknown>) => boolean

/** The same server, which hears of a request in a turn of the event loop of its own, once it may begin. */
export const inOrder = (server: Server): Server => {
  const emit: Emit = server.emit.bind(server)
  const waiting = new WeakMap<Socket, number>()
  const wait = (socket: Socket, more: 1 | -1) => {
    const count = (waiting.get(socket) ?? 0) + more
    waiting.set(socket, count)
    if (count > waitingMax) socket.destroy()
  }

  const arrive: Emit = (event, ...given) => {
    if (!arrivals.has(event)) return emit(event, ...given)
    const [request, response] = given as [IncomingMessage, ServerResponse]
    request.on("error", ignored)
    if (response.socket !== null) return emit(event, ...given)
    const { socket } = request
    wait(socket, 1)
    response.once("socket", () => {
      wait(socket, -1)
      setImmediate(() => socket.writable && emit(event, ...given))
    })
    return true
  }
  server.emit = arrive
  return server
}

/** A reader listens for errors of a body only while it reads. An error without a listener would end the process. */
const ignored = () => undefined
