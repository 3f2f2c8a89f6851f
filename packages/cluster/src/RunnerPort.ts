/**
 * The port on which other runners reach this one. The cluster gets a connection once its other end has proved that it
 * is a runner. Until then a connection has three seconds, and few places are kept for those that prove themselves.
 */
import type { Socket } from "node:net"
import { createServer, type Server, type TLSSocket } from "node:tls"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Cause, Duration, Effect, Layer, Queue, Schedule } from "effect"
import { NetAddress } from "effect/net"
import { Socket as EffectSocket, SocketServer } from "effect/socket"
import { codeOf, type Note, noteBroken, type Reason, reasonOf } from "./refusedPeers.ts"
import { isForCalls, type RunnerTls } from "./RunnerTls.ts"
import type { Place } from "./ThisRunner.ts"

/** How long a connection may take to prove that it is a runner. */
export const handshakePatience = Duration.seconds(3)
/** Connections that may be proving themselves at once. With one more, the oldest of them is closed. */
export const unprovenMax = 64
/**
 * A stop cuts the connections that are still open after so long. Until then other runners read what was written to
 * them. Without a limit Node waits for a runner that reads nothing, and for a connection that was taken just before the
 * stop and that nothing closes.
 */
const farewellMillis = 300
/** How often certificates are read again, so that new ones are used without a stop. */
const renewalInterval = Duration.minutes(1)

/** Takes the connections for direct calls (`DirectCalls.ts`). */
export interface TakesCalls {
  readonly accept: (socket: TLSSocket) => void
  /** Ends all of them. */
  readonly hangUp: () => void
}

/** `left` is called when a runner that had proved itself is no longer connected. */
export const layer = (at: Place, tls: RunnerTls, calls: TakesCalls, note: Note, left: () => void = () => {}) =>
  Layer.effect(
    SocketServer.SocketServer,
    Effect.gen(function* () {
      const proven = yield* Queue.unbounded<TLSSocket>()
      const server = createServer({ ...tls.listening, noDelay: true })
      const open = openConnections(server)
      const closeUnproven = guard(server, tls, note, (peer) => {
        peer.once("close", left)
        if (isForCalls(peer)) calls.accept(peer)
        else Queue.offerUnsafe(proven, peer)
      })
      const address = yield* Effect.acquireRelease(listen(server, at), () =>
        Effect.andThen(Queue.clear(proven), (unanswered) =>
          Effect.callback<void>((resume) => {
            closeUnproven()
            calls.hangUp()
            for (const peer of unanswered) peer.destroy()
            const cut = setTimeout(() => open.forEach((socket) => socket.destroy()), farewellMillis)
            server.close(() => {
              clearTimeout(cut)
              resume(Effect.void)
            })
          })
        )
      )
      if (tls.renewed !== undefined) yield* Effect.forkScoped(renewCertificates(server, tls.renewed))
      return SocketServer.SocketServer.of({
        address,
        run: (handler) =>
          Queue.take(proven).pipe(
            Effect.flatMap((peer) => Effect.forkScoped(answerRunner(peer, handler))),
            Effect.forever,
            Effect.scoped
          )
      })
    })
  )

const listen = (server: Server, at: Place) =>
  Effect.callback<NetAddress.SocketAddress, SocketServer.SocketServerError>((resume) => {
    // Later ones concern a single connection that could not be accepted.
    server.on("error", (cause) => {
      const reason = new SocketServer.SocketServerOpenError({ cause })
      resume(Effect.fail(new SocketServer.SocketServerError({ reason })))
    })
    // Also where a parent shares other ports among its children.
    server.listen({ ...at, exclusive: true }, () => {
      const bound = server.address()
      if (bound === null || typeof bound === "string") return resume(Effect.die(new Error("no address")))
      resume(Effect.succeed(NetAddress.inetAddressFromIpStringUnsafe(bound.address, bound.port)))
    })
  })

/** The connections that are open at any moment. */
const openConnections = (server: Server): ReadonlySet<Socket> => {
  const open = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  return open
}

interface Unproven {
  readonly from: string
  readonly socket: Socket
  readonly deadline: NodeJS.Timeout
}

/** Watches over connections that have proved nothing yet. Returns what closes them. */
const guard = (server: Server, tls: RunnerTls, note: Note, admit: (peer: TLSSocket) => void) => {
  const unproven = new Map<string, Unproven>()

  const forget = ({ deadline, from }: Unproven) => {
    clearTimeout(deadline)
    unproven.delete(from)
  }
  const refuse = (one: Unproven | undefined, reason: Reason, code?: string) => {
    // It is forgotten: it was refused for another reason just before, or it has proved itself.
    if (one === undefined || unproven.get(one.from) !== one) return
    forget(one)
    one.socket.destroy()
    note({ side: "incoming", reason, address: one.from, code })
  }

  server
    .on("connection", (socket: Socket) => {
      const from = fromOf(socket)
      const deadline = setTimeout(() => refuse(one, "deadline"), Duration.toMillis(handshakePatience))
      const one: Unproven = { from, socket, deadline }
      unproven.set(from, one)
      socket.once("close", () => refuse(one, "hung_up"))
      if (unproven.size > unprovenMax) refuse(unproven.values().next().value, "crowded")
    })
    .on("tlsClientError", (error, peer) => {
      // A peer that hung up has no address any more. The `close` event of its socket reports it.
      refuse(unproven.get(fromOf(peer)), reasonOf(codeOf(error)), codeOf(error))
      peer.destroy()
    })
    .on("secureConnection", (peer) => {
      const one = unproven.get(fromOf(peer))
      if (one === undefined) return void peer.destroy()
      const objection = tls.objection(peer)
      if (objection !== undefined) return refuse(one, reasonOf(objection), objection)
      forget(one)
      // Each write that waits for `drain` adds listeners, so there is no limit on their number.
      peer.setMaxListeners(0)
      noteBroken(peer, { side: "incoming", address: one.from }, note)
      admit(peer.pause())
    })

  return () => {
    for (const one of unproven.values()) {
      forget(one)
      one.socket.destroy()
    }
  }
}

const fromOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress}:${remotePort}`

/** Answers one runner until it or we go. */
const answerRunner = <R, E, A>(peer: TLSSocket, handler: (socket: EffectSocket.Socket) => Effect.Effect<A, E, R>) =>
  NodeSocket.fromDuplex(
    Effect.acquireRelease(
      // It may have closed while it waited for its turn.
      Effect.suspend(() => (peer.closed ? Effect.fail(gone) : Effect.succeed(peer))),
      () => Effect.sync(() => peer.destroySoon())
    )
  ).pipe(
    Effect.flatMap(handler),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logInfo("a connection of another runner broke", cause)
    )
  )

const gone = new EffectSocket.SocketError({ reason: new EffectSocket.SocketCloseError({ code: 1000 }) })

/** Connections that are open keep what they began with. */
const renewCertificates = (server: Server, renewed: NonNullable<RunnerTls["renewed"]>) =>
  renewed.pipe(
    Effect.tap((context) => Effect.sync(() => server.setSecureContext(context))),
    Effect.catchTags({
      BadCertificates: ({ message }) => Effect.logWarning(`the runner's certificates stay as they were: ${message}`)
    }),
    Effect.schedule(Schedule.spaced(renewalInterval))
  )
