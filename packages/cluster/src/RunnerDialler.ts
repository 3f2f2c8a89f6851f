/** Connections from this runner to others. One that does not prove that it is a runner gets nothing. */
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Effect, Layer, type Scope } from "effect"
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

/** Ends in time, whatever the other end does. */
export const dial = (
  how: ConnectionOptions,
  { host, port }: Place,
  note: Note,
  left: () => void = () => {}
): Effect.Effect<TLSSocket, Socket.SocketError, Scope.Scope> => {
  const address = addressOf({ host, port })
  return Effect.gen(function* () {
    let [reached, isSecure] = [false, false]
    const peer = yield* Effect.acquireRelease(
      // Each write that waits for `drain` adds listeners, so there is no limit on their number.
      Effect.sync(() =>
        connect({ ...how, host, port })
          .setNoDelay(true)
          .setMaxListeners(0)
      ),
      (each) => Effect.sync(() => (isSecure ? each.destroySoon() : each.destroy()))
    )
    peer.once("connect", () => (reached = true))
    const refuse = (reason: Reason, code?: string) => note({ side: "outgoing", reason, address, code })
    const secured = Effect.callback<TLSSocket, Socket.SocketError>((resume) => {
      const failed = (error: NodeJS.ErrnoException) => {
        if (reached) refuse(codeOf(error) === "ECONNRESET" ? "hung_up" : reasonOf(codeOf(error)), codeOf(error))
        resume(Effect.fail(openError("Unknown", error)))
      }
      peer.once("error", failed)
      peer.once("secureConnect", () => {
        const objection = withoutProtocol(peer)
        if (objection !== undefined) {
          refuse("version", objection)
          return resume(Effect.fail(openError("Unknown", new Error(objection))))
        }
        isSecure = true
        peer.once("close", left)
        noteBroken(peer.off("error", failed), { side: "outgoing", address }, note)
        resume(Effect.succeed(peer))
      })
    })
    return yield* Effect.timeoutOrElse(secured, {
      duration: handshakePatience,
      orElse: () => {
        if (reached) refuse("deadline")
        return Effect.fail(openError("Timeout", new Error("no TLS connection in time")))
      }
    })
  })
}

const openError = (kind: "Unknown" | "Timeout", cause: Error) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind, cause }) })
