/** The ports of a world and the connections between them. A port without a listener refuses. */
import type { Server } from "node:net"
import type { SecureContextOptions, TlsOptions } from "node:tls"
import { machinery } from "./owners.ts"
import type { World } from "./World.ts"
import { WorldSocket } from "./WorldSocket.ts"

export interface Address {
  readonly port?: number | string | undefined
  readonly host?: string | undefined
  readonly ALPNProtocols?: TlsOptions["ALPNProtocols"]
}

/** What happens to bytes from one runner to another: they come late, or the connection breaks before or after them. */
export type Fate = { readonly kind: "late" | "lost" | "repeated"; readonly millis: number }

/** A server of the service while a world has its port. */
export interface Listener {
  readonly server: Server
  readonly owner: number
  readonly secure: (SecureContextOptions & TlsOptions) | undefined
  /** Those that it has accepted, until they are closed. */
  readonly connections: Set<WorldSocket>
  /** Set once it listens no longer: runs when its last connection is closed. */
  whenLeft?: () => void
}

const portsMin = 50_000

export class Network {
  readonly servers = new Map<number, Listener>()
  /** The target of a connection to Postgres. */
  postgres: { readonly port: number; readonly accept: (socket: WorldSocket) => void } | undefined
  /** Asked for each write from one runner to another. */
  fateOf: (from: number, to: number) => Fate | undefined = () => undefined
  private readonly open = new Set<WorldSocket>()
  private readonly world: World
  private ports = portsMin
  private pairs = 0

  constructor(world: World) {
    this.world = world
  }

  listen(listener: Listener, port: number | undefined): number {
    const own = port === undefined || port === 0 ? this.ports++ : port
    this.servers.set(own, listener)
    this.world.task(() => listener.server.emit("listening"))
    return own
  }

  /** As Node does, it waits until the connections of the server are closed. */
  close(port: number, done: (() => void) | undefined) {
    const listener = this.servers.get(port)
    this.servers.delete(port)
    const whenLeft = () =>
      this.world.task(() => {
        listener?.server.emit("close")
        done?.()
      })
    if (listener === undefined || listener.connections.size === 0) return whenLeft()
    listener.whenLeft = whenLeft
  }

  dial(to: Address, connected?: () => void): WorldSocket {
    const [near, far] = this.pair()
    near.connecting = true
    if (connected !== undefined) near.once("connect", connected)
    this.world.lane(near, () => this.reach(near, far, to), near.owner)
    return near
  }

  /** Notifies the peers of a process that has ended. */
  cutOff(runner: number) {
    for (const [port, { owner }] of this.servers) if (owner === runner) this.servers.delete(port)
    for (const socket of this.open) {
      if (socket.owner !== runner) continue
      this.open.delete(socket)
      const { peer } = socket
      this.world.lane(
        socket,
        () => {
          if (peer.destroyed) return
          peer.wasKilled = true
          peer.whenPeerCloses()
          peer.reset()
        },
        peer.owner
      )
    }
  }

  private pair(): readonly [WorldSocket, WorldSocket] {
    const near = new WorldSocket(this.world)
    const far = new WorldSocket(this.world)
    near.peer = far
    far.peer = near
    far.isTaken = false
    near.localPort = far.remotePort = 20_000 + ++this.pairs
    near.owner = this.world.who
    far.owner = machinery
    for (const socket of [near, far]) {
      this.open.add(socket)
      socket.once("close", () => this.open.delete(socket))
    }
    return [near, far]
  }

  private reach(near: WorldSocket, far: WorldSocket, to: Address) {
    if (near.destroyed) return
    const port = Number(to.port)
    near.connecting = false
    near.remotePort = far.localPort = port
    const connect = () => {
      near.emit("connect")
      near.emit("ready")
    }
    if (port === this.postgres?.port) {
      far.isTaken = true
      this.postgres.accept(far)
      return connect()
    }
    const listener = this.servers.get(port)
    if (listener === undefined) {
      this.world.note(`refused ${to.host}:${port}`)
      const message = `connect ECONNREFUSED ${to.host}:${port}`
      near.destroy(Object.assign(new Error(message), { code: "ECONNREFUSED" }))
      return
    }
    far.owner = listener.owner
    this.world.lane(far, () => this.accept(listener, near, far, to), far.owner)
    connect()
  }

  /** Of TLS only the choice of a protocol is simulated. */
  private accept(listener: Listener, near: WorldSocket, far: WorldSocket, to: Address) {
    if (far.destroyed) return
    const { connections, secure, server } = listener
    far.isTaken = true
    connections.add(far)
    far.once("close", () => {
      connections.delete(far)
      if (connections.size === 0) listener.whenLeft?.()
    })
    server.emit("connection", far)
    if (secure === undefined) return
    // As Node has it, a connection that breaks before it is secure is the server's to hear of, and nobody else's.
    const broke = (error: Error) => server.emit("tlsClientError", error, far)
    far.on("error", broke)
    const common = protocolsOf(secure).find((name) => protocolsOf(to).includes(name)) ?? false
    const secured = { alpnProtocol: common, authorized: true, encrypted: true }
    Object.assign(far, secured)
    this.world.lane(
      far,
      () => {
        if (far.destroyed) return
        far.off("error", broke)
        server.emit("secureConnection", far)
      },
      far.owner
    )
    this.world.lane(
      near,
      () => {
        if (near.destroyed) return
        Object.assign(near, secured)
        near.emit("secureConnect")
      },
      near.owner
    )
  }
}

const protocolsOf = ({ ALPNProtocols }: Pick<TlsOptions, "ALPNProtocols">): ReadonlyArray<string> =>
  Array.isArray(ALPNProtocols) ? ALPNProtocols : []
