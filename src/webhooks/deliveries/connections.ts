/**
 * Connections to merchants' servers: how they are opened, kept for the next post, and closed (silences: W12, W20, W21).
 * `Outbound` posts on them.
 *
 * A socket is opened straight to one of the addresses that were checked, or through the operator's proxy. The name is
 * never looked up again, since its answer may have changed (DNS rebinding). In TLS the server has to have the
 * certificate of the URL's name, whichever address it is at.
 *
 * A connection is kept under the host and the addresses that were checked when it was made, and only a post whose own
 * check found the same addresses gets it. So the address that is written to is always one that was checked, also after
 * a name has moved. Each connection is a client of undici with one socket. The places for posts bound how many are in
 * use (docs/decisions/0016), and the numbers below how many are idle.
 */
import net, { isIP, type LookupFunction, type Socket } from "node:net"
import tls, { type TLSSocket } from "node:tls"
import { Duration, Effect, FiberHandle } from "effect"
import Client from "undici/lib/dispatcher/client.js"
import { absoluteForm, hostnameOf, portOf, tunnelTo, type Checked, type EgressProxy, type Trip } from "./egressProxy.ts"

interface Connection {
  readonly client: Client
  /** After an answer: kept for the next post, or closed if there is no room or the server wants it closed. */
  readonly release: () => void
  /** Closes it at once. */
  readonly close: () => void
}

interface Taken {
  readonly connection: Connection
  /** Whether it was kept from another post. */
  readonly isKept: boolean
}

/** The way to a destination: its own server, or a proxy that speaks http for us. */
interface Way {
  /** The merchant whose connections may be used. */
  readonly key: string
  readonly origin: string
  readonly path: string
  readonly headers: Record<string, string>
}

export interface Connections {
  readonly wayTo: (checked: Checked, headers: Record<string, string>) => Way
  /** `fresh`: a connection of its own, which is closed after it. */
  readonly take: (way: Way, checked: Checked, trip: Trip, fresh: boolean) => Taken
  /** Whether an answer to a post is the proxy's: 407, where it speaks http for us. */
  readonly isProxysOwn: (url: URL, status: number) => boolean
}

/** Idle connections to one host. One more is closed. */
const idleMaxPerHost = 64
/** Idle connections to all hosts. For one more the one that has been idle for longest is closed. */
const idleMax = 512
/**
 * A connection that is idle for two rounds is closed. That is less than the 30 seconds to a redelivery, and less than
 * most servers wait.
 */
const idleRound = Duration.seconds(10)
/** Real time, for undici: it heeds a server's own limit (`Keep-Alive: timeout=5`) only where it is below ours. */
const idleLimit = 2 * Duration.toMillis(idleRound)

/** The limits in time are those of the exchange (`Outbound`), which run on Effect's clock. */
const clientOptions: Client.Options = {
  headersTimeout: 0,
  bodyTimeout: 0,
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: idleLimit,
  keepAliveMaxTimeout: idleLimit,
  // A post may be in transit when the server's timeout ends.
  keepAliveTimeoutThreshold: 1_000
}

export const makeConnections = Effect.fnUntraced(function* (proxy: EgressProxy | undefined) {
  const run = yield* FiberHandle.makeRuntime<never>()
  const idle = makeIdle((rounds) => run(rounds, { onlyIfMissing: true }))
  const dial = makeDial(proxy)
  const opened = new Set<Connection>()
  yield* Effect.addFinalizer(() => Effect.sync(() => opened.forEach(({ close }) => close())))
  const isForwarded = ({ protocol }: URL) => proxy !== undefined && protocol === "http:"

  const open = (way: Way, checked: Checked, trip: Trip, fresh: boolean): Connection => {
    let socket: Socket | undefined
    const cancel = new AbortController()
    const client = new Client(way.origin, {
      ...clientOptions,
      connect: (_, done) =>
        dial({ way, checked, trip, signal: cancel.signal }, (error, made) => {
          if (made === undefined) return done(error!, null)
          // It has this one socket: a client would open the next one by itself.
          socket = made.once("close", connection.close)
          return done(null, made)
        })
    })
    const connection: Connection = {
      client,
      release: () => {
        if (fresh || socket?.destroyed !== false || !idle.add(way.key, connection)) connection.close()
      },
      close: () => {
        idle.remove(way.key, connection)
        if (!opened.delete(connection)) return
        cancel.abort()
        client.destroy(null, () => {})
      }
    }
    opened.add(connection)
    return connection
  }

  const connections: Connections = {
    wayTo: (checked, headers) => {
      const { url } = checked
      if (proxy !== undefined && isForwarded(url)) return { key: "proxy", ...absoluteForm(proxy, checked, headers) }
      return { key: keyOf(checked), origin: url.origin, path: url.pathname + url.search, headers }
    },
    take: (way, checked, trip, fresh) => {
      const kept = fresh ? undefined : idle.take(way.key)
      if (kept === undefined) trip.stage = proxy === undefined ? "connect" : "proxy"
      else trip.stage = "protocol"
      return { connection: kept ?? open(way, checked, trip, fresh), isKept: kept !== undefined }
    },
    isProxysOwn: (url, status) => isForwarded(url) && status === 407
  }
  return connections
})

/** Addresses may come in any order. */
const keyOf = ({ addresses, url }: Checked): string =>
  addresses.length === 1 ? `${url.origin} ${addresses[0]}` : `${url.origin} ${addresses.toSorted().join(" ")}`

/** `start`: runs the rounds until nothing is idle any more. */
const makeIdle = (start: (rounds: Effect.Effect<void>) => void) => {
  /** By key, the one that was used last at the end. */
  const places = new Map<string, Array<Connection>>()
  /** Whether it was idle in the round before, too. The one that has been idle for longest comes first. */
  const rested = new Map<Connection, boolean>()

  const rounds = Effect.gen(function* () {
    while (rested.size > 0) {
      yield* Effect.sleep(idleRound)
      for (const [connection, wasIdle] of rested) {
        if (wasIdle) connection.close()
        else rested.set(connection, true)
      }
    }
  })
  return {
    /** False when there is no room for one more. */
    add: (key: string, connection: Connection): boolean => {
      if ((places.get(key)?.length ?? 0) >= idleMaxPerHost) return false
      if (rested.size >= idleMax) rested.keys().next().value!.close()
      const there = places.get(key) ?? []
      if (there.push(connection) === 1) places.set(key, there)
      rested.set(connection, false)
      start(rounds)
      return true
    },
    take: (key: string): Connection | undefined => {
      const there = places.get(key)
      const connection = there?.pop()
      if (there?.length === 0) places.delete(key)
      if (connection !== undefined) rested.delete(connection)
      return connection
    },
    remove: (key: string, connection: Connection) => {
      if (!rested.delete(connection)) return
      const left = places.get(key)!.filter((other) => other !== connection)
      if (left.length === 0) places.delete(key)
      else places.set(key, left)
    }
  }
}

interface Dialling {
  readonly way: Way
  readonly checked: Checked
  readonly trip: Trip
  readonly signal: AbortSignal
}

type Done = (error: Error | undefined, socket: Socket | undefined) => void

/** Sessions of TLS that are remembered, so that the next handshake is shorter. */
const sessionsMax = 100

const makeDial = (proxy: EgressProxy | undefined) => {
  const sessions = new Map<string, Buffer>()

  /** `over`: a tunnel, or undefined to connect. */
  const secure = ({ checked, way }: Dialling, over?: Socket): TLSSocket => {
    const { addresses, url } = checked
    const host = hostnameOf(url)
    const session = sessions.get(way.key)
    const socket = tls.connect({
      ...(over === undefined ? { port: portOf(url), lookup: pinnedTo(addresses) } : { socket: over }),
      ...(session === undefined ? {} : { session }),
      host,
      servername: isIP(host) === 0 ? host : "",
      ALPNProtocols: ["http/1.1"]
    })
    return socket.on("session", (fresh: Buffer) => {
      // A server hands out two at a time: the second is in the first one's place.
      if (sessions.size >= sessionsMax && !sessions.has(way.key)) sessions.delete(sessions.keys().next().value!)
      sessions.set(way.key, fresh)
    })
  }

  return (dialling: Dialling, done: Done): void => {
    const { checked, signal, trip, way } = dialling
    const isTls = checked.url.protocol === "https:"
    if (!isTls) {
      const to = new URL(way.origin)
      // The proxy is the operator's, so its name is looked up as any other.
      const straight = proxy === undefined ? { lookup: pinnedTo(checked.addresses) } : {}
      return follow(net.connect({ host: hostnameOf(to), port: portOf(to), ...straight }), dialling, done)
    }
    if (proxy === undefined) return follow(secure(dialling), dialling, done)
    return tunnelTo(proxy, checked, trip, signal, (error, tunnel) => {
      if (tunnel === undefined) return done(error, undefined)
      trip.stage = "tls"
      return follow(secure(dialling, tunnel), dialling, done)
    })
  }
}

/** Reports the stage of the connection, and calls `done` once. */
const follow = (socket: Socket | TLSSocket, { checked, signal, trip }: Dialling, done: Done): void => {
  const isTls = checked.url.protocol === "https:"
  let isDone = false
  const end: Done = (error, made) => {
    if (isDone) return
    isDone = true
    done(error, made)
  }
  socket.setNoDelay(true)
  socket.once("connect", () => (trip.stage = isTls ? "tls" : "protocol"))
  socket.once(isTls ? "secureConnect" : "connect", () => {
    trip.stage = "protocol"
    end(undefined, socket)
  })
  // `on`, not `once`: an error without a listener ends the process.
  socket.on("error", (error) => end(error, undefined))
  socket.once("close", () => end(new Error("closed"), undefined))
  signal.addEventListener("abort", () => socket.destroy(), { once: true })
}

/** A look-up that returns the checked addresses. */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_hostname, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
