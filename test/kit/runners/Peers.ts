/**
 * Runner ports and connections to them without a cluster or a database: what is answered, what is refused, and what the
 * log and the metric say of it.
 */
import { createHash } from "node:crypto"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import { Context, Effect, Exit, Layer, Logger, Metric, Redacted, Schema } from "effect"
import { RunnerAddress, Runners } from "effect/cluster"
import { Rpc, RpcClient, RpcGroup, RpcSerialization, RpcServer } from "effect/rpc"
import { make as makeNote } from "@coffer/cluster/refusedPeers"
import * as RunnerDialler from "@coffer/cluster/RunnerDialler"
import * as RunnerPort from "@coffer/cluster/RunnerPort"
import { ofSecrets, type RunnerTls } from "@coffer/cluster/RunnerTls"
import type { Place } from "@coffer/cluster/ThisRunner"
import { freePort } from "../Service.ts"
import { application } from "./thisRunner.ts"

const Echo = RpcGroup.make(Rpc.make("Echo", { payload: { text: Schema.String }, success: Schema.String }))

/** A value of `SECRET_KEY`. */
export const keyNamed = (name: string) => Redacted.make(createHash("sha256").update(name).digest("base64"))

export const localPlace = Effect.map(freePort, (port): Place => ({ host: "127.0.0.1", port }))

export const takesNoCalls = { accept: (socket: TLSSocket) => void socket.destroy(), hangUp: () => undefined }

/** One end's log and its counts. */
export const witnessed = Effect.gen(function* () {
  const log: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel === "Warn") log.push(String(Array.isArray(message) ? message[0] : message))
  })
  const registry = Context.make(Metric.MetricRegistry, new Map())
  const context = Context.add(registry, Logger.CurrentLoggers, new Set([logger]))
  const note = yield* Effect.provideContext(makeNote(application.application), context)
  /** Those above zero, as `<side> <reason>`. */
  const refused = () =>
    Object.fromEntries(
      Metric.snapshotUnsafe(registry)
        .filter(({ id }) => id === "coffer_runner_connections_refused_total")
        .map(({ attributes, state }) => [
          `${attributes?.["side"]} ${attributes?.["reason"]}`,
          Number((state as { count: number }).count)
        ])
        .filter(([, count]) => count !== 0)
    )
  return { log, note, refused, loggers: Layer.succeed(Logger.CurrentLoggers, new Set([logger])) }
})

/** A runner port with scripted answers. */
export const portOf = Effect.fnUntraced(function* (tls: RunnerTls, at: Place) {
  const { log, loggers, note, refused } = yield* witnessed
  const received: Array<string> = []
  const handlers = Echo.toLayer({ Echo: ({ text }) => Effect.sync(() => (received.push(text), `heard ${text}`)) })
  yield* Layer.build(
    RpcServer.layer(Echo).pipe(
      Layer.provide(handlers),
      Layer.provide(RpcServer.layerProtocolSocketServer),
      Layer.provide(RunnerPort.layer(at, tls, takesNoCalls, note)),
      Layer.provide(RpcSerialization.layerSchemaBinary()),
      Layer.provide(loggers)
    )
  )
  return { at, log, refused, received }
})

/** A runner that calls others. Its messages do not arrive where the connection is refused. */
export const callerWith = Effect.fnUntraced(function* (tls: RunnerTls) {
  const { log, note, refused } = yield* witnessed
  return { log, refused, call: calling(RunnerDialler.layer(tls, note)) }
})

/** `undefined` when the call came to nothing. */
export const calling =
  (dialler: Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization>) =>
  ({ host, port }: Place, text: string) =>
    Effect.gen(function* () {
      const { make } = yield* Runners.RpcClientProtocol
      const protocol = yield* make(RunnerAddress.make(host, port))
      const client = yield* Effect.provideService(RpcClient.make(Echo), RpcClient.Protocol, protocol)
      return yield* client.Echo({ text })
    }).pipe(
      Effect.scoped,
      Effect.provide(dialler.pipe(Layer.provide(RpcSerialization.layerSchemaBinary()))),
      Effect.exit,
      Effect.map((exit) => (Exit.isSuccess(exit) ? exit.value : undefined))
    )

/** How a runner at this place proves itself that has these values of `SECRET_KEY`, the newest first. */
export const keyed = (own: Place, ...names: ReadonlyArray<string>) => ofSecrets(application, own, names.map(keyNamed))

/** A listener of the test's own, for the length of the scope. */
export const listening = (server: Server, place?: Place) =>
  Effect.acquireRelease(
    Effect.callback<Place>((resume) => {
      server.listen({ host: "127.0.0.1", port: 0, ...place }, () =>
        resume(Effect.succeed({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }))
      )
    }),
    () => Effect.sync(() => void server.close())
  )

/** An eavesdropper on the way to a runner port, who keeps what runners send and may change a byte of it. */
export const tap = Effect.fnUntraced(function* (at: Place, to: Place) {
  const sockets = new Set<Socket>()
  const tapped = { sent: [] as Array<Buffer>, change: (bytes: Buffer) => bytes }
  const server = createServer((near) => {
    const far = connect(to)
    for (const socket of [near, far]) sockets.add(socket.on("error", () => undefined))
    near.on("data", (bytes: Buffer) => {
      tapped.sent.push(bytes)
      far.write(tapped.change(bytes))
    })
    far.on("data", (bytes: Buffer) => near.write(bytes))
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  yield* listening(server, at)
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
  return tapped
})

/** A bare connection, and what comes of it. */
export const knocking = (to: Place) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly socket: Socket; readonly closed: Effect.Effect<Buffer> }>((resume) => {
      const socket = connect(to)
      const heard: Array<Buffer> = []
      const closed = new Promise<Buffer>((resolve) => {
        socket.on("data", (bytes: Buffer) => heard.push(bytes))
        socket.on("error", () => undefined)
        socket.on("close", () => resolve(Buffer.concat(heard)))
      })
      socket.once("connect", () => resume(Effect.succeed({ socket, closed: Effect.promise(() => closed) })))
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )
