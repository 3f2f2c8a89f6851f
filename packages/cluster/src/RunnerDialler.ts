/** Connections from this runner to others. One that does not prove that it is a runner gets nothing. */
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Deferred, Effect, Exit, Layer, type Scope } from "effect"
import { Runners } from "effect/cluster"
import { RpcClient, RpcSerialization } from "effect/rpc"
import { Socket } from "effect/socket"
import { codeOf, type Note, noteBroken, type Reason, reasonOf } from "./refusedPeers.ts"
import { handshakePatience } from "./RunnerPort.ts"
import { type RunnerTls, withoutProtocol } from "./RunnerTls.ts"
import { addressOf, type Place } from "./ThisRunner.ts"

/** `left` is called when a connection to a runner that had proved itself has ended. */
export const layer = (tls: RunnerTls, note: Note, left: () => void = () => {}) =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const serialization = yield* RpcSerialization.RpcSerialization
      return Runners.RpcClientProtocol.of({
        codecFor: serialization.codecFor,
        make: ({ host, port }) =>
          Effect.flatMap(
            NodeSocket.fromDuplex(dial(tls.dialling({ host, port }), { host, port }, note, left)),
            (socket) =>
              RpcClient.makeProtocolSocket().pipe(
                Effect.provideService(Socket.Socket, socket),
                Effect.provideService(RpcSerialization.RpcSerialization, serialization)
              )
          )
      })
    })
  )

/** Closes in time, whatever the other end does. */
export const dial = (
  how: ConnectionOptions,
  { host, port }: Place,
  note: Note,
  left: () => void = () => {}
): Effect.Effect<TLSSocket, Socket.SocketError, Scope.Scope> => {
  const to = { ...how, host, port }
  return Effect.gen(function* () {
    const dialled = yield* Effect.acquireRelease(
      Effect.sync(() => connectTo(to, note, left)),
      ({ hangUp }) => Effect.sync(hangUp)
    )
    return yield* Effect.timeoutOrElse(Deferred.await(dialled.secured), {
      duration: handshakePatience,
      orElse: () => {
        dialled.refuse("deadline")
        return Effect.fail(openError("Timeout", new Error("no TLS connection in time")))
      }
    })
  })
}

/**
 * In one synchronous block: a fiber may be held up between any two of its steps, and an `error` that comes before its
 * listener would end the process.
 */
const connectTo = (to: ConnectionOptions & Place, note: Note, left: () => void) => {
  const address = addressOf(to)
  const secured = Deferred.makeUnsafe<TLSSocket, Socket.SocketError>()
  let [reached, isSecure] = [false, false]
  const refuse = (reason: Reason, code?: string) => {
    if (reached) note({ side: "outgoing", reason, address, code })
  }
  const fail = (error: Error) => Deferred.doneUnsafe(secured, Exit.fail(openError("Unknown", error)))
  const failed = (error: NodeJS.ErrnoException) => {
    refuse(codeOf(error) === "ECONNRESET" ? "hung_up" : reasonOf(codeOf(error)), codeOf(error))
    fail(error)
  }
  // Each write that waits for `drain` adds listeners, so there is no limit on their number.
  const peer = connect(to).setNoDelay(true).setMaxListeners(0).on("error", failed)
  peer.once("connect", () => (reached = true))
  peer.once("secureConnect", () => {
    const objection = withoutProtocol(peer)
    if (objection !== undefined) {
      refuse("version", objection)
      return fail(new Error(objection))
    }
    isSecure = true
    peer.once("close", left)
    noteBroken(peer, { side: "outgoing", address }, note).off("error", failed)
    return Deferred.doneUnsafe(secured, Exit.succeed(peer))
  })
  return { secured, refuse, hangUp: () => void (isSecure ? peer.destroySoon() : peer.destroy()) }
}

const openError = (kind: "Unknown" | "Timeout", cause: Error) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind, cause }) })
