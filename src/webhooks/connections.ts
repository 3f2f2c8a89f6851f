/**
 * Connections to merchants' servers, kept for the next post (silences: W12, W20). A connection is kept under the host
 * and the addresses that were checked when it was made, and only a post whose own check found the same addresses gets
 * it. So the address that is written to is always one that was checked, also after a name has moved.
 *
 * Each is a client of undici with one socket, which we open. What is in use is bounded by the places for posts
 * (docs/decisions/0053), what is idle by the numbers below.
 */
import type { Socket } from "node:net"
import { Duration, Effect, FiberHandle } from "effect"
import { Client } from "undici"
import { makeDial } from "./dial.ts"
import { absoluteForm, type EgressProxy } from "./egressProxy.ts"
import type { NotDeliveredReason } from "./Outbound.ts"

/** One exchange, as far as it has come. */
export interface Trip {
  /** What has failed if it fails now. */
  stage: NotDeliveredReason
}

export interface Checked {
  readonly url: URL
  /** All addresses of its host. They may be connected to. */
  readonly addresses: ReadonlyArray<string>
}

export interface Connection {
  readonly client: Client
  /** After an answer: back to its place, or closed when there is no room or its server keeps none. */
  readonly release: () => void
  /** Ends it, whatever it does. */
  readonly close: () => void
}

export interface Taken {
  readonly connection: Connection
  /** Whether it was kept from another post. */
  readonly isKept: boolean
}

/** The way to a destination: its own server, or a proxy that speaks http for us. */
export interface Way {
  /** Whose connections may be used. */
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
  // A post may be on its way when the server's time ends.
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
