/**
 * Connections to merchants' servers, kept for the next post (silences: W12, W20). A connection is kept under the host
 * and the addresses that were checked when it was made, and only a post whose own check found the same addresses gets
 * it. So the address that is written to is always one that was checked, also after a name has moved.
 *
 * What is in use is bounded by the places for posts (docs/decisions/0016), what is idle by the numbers below.
 */
import http from "node:http"
import https from "node:https"
import { isIP, type LookupFunction } from "node:net"
import type { Duplex } from "node:stream"
import { Duration, Effect, FiberHandle } from "effect"
import { absoluteForm, type EgressProxy, tunnelTo } from "./egressProxy.ts"
import type { NotDeliveredReason } from "./Outbound.ts"

/** One exchange, as far as it has come. */
export interface Trip {
  /** What has failed if it fails now. */
  stage: NotDeliveredReason
  /** Ends what is under way before there is a connection. */
  readonly cancelled: () => AbortSignal
}

export interface Checked {
  readonly url: URL
  /** All addresses of its host. They may be connected to. */
  readonly addresses: ReadonlyArray<string>
}

export interface PinnedOptions extends https.RequestOptions {
  readonly pinned?: Checked
  readonly trip?: Trip
}

/** How `node:http` and `node:https` are asked for a connection. */
export interface Connections {
  /** `fresh`: a connection of its own, which is closed after it. */
  readonly optionsFor: (checked: Checked, trip: Trip, fresh: boolean) => PinnedOptions
  /** Whether an answer to a post is the proxy's: 407, where it speaks http for us. */
  readonly isProxysOwn: (url: URL, status: number | undefined) => boolean
}

/** Idle connections to one host, and to all hosts. One more is closed. */
const idleMax = { perHost: 8, all: 512 }
/**
 * A connection that is idle for two rounds is closed. That is less than the 30 seconds to a redelivery, and less than
 * most servers wait.
 */
const idleRound = Duration.seconds(10)

export const makeConnections = Effect.fnUntraced(function* (proxy: EgressProxy | undefined) {
  const run = yield* FiberHandle.makeRuntime<never>()
  const idle = makeIdle((rounds) => run(rounds, { onlyIfMissing: true }))
  const kept = makeAgents({ keepAlive: true, maxFreeSockets: idleMax.perHost, timeout: idleLimit }, proxy, idle)
  const fresh = makeAgents({ keepAlive: false }, proxy, idle)
  yield* Effect.addFinalizer(() => Effect.sync(() => [...kept, ...fresh].forEach((agent) => agent.destroy())))

  const connections: Connections = {
    optionsFor: (checked, trip, isFresh) => {
      const [plain, secure] = isFresh ? fresh : kept
      const { addresses, url } = checked
      if (proxy !== undefined) trip.stage = "proxy"
      if (url.protocol === "https:") return { agent: secure, pinned: checked, trip, lookup: pinnedTo(addresses) }
      return proxy === undefined
        ? { agent: plain, pinned: checked, trip, lookup: pinnedTo(addresses) }
        : { agent: plain, trip, ...absoluteForm(proxy, checked) }
    },
    isProxysOwn: (url, status) => proxy !== undefined && url.protocol === "http:" && status === 407
  }
  return connections
})

/** Real time, for Node: it heeds a server's own limit (`Keep-Alive: timeout=5`) only where it is below one of ours. */
const idleLimit = 2 * Duration.toMillis(idleRound)

const makeAgents = (options: https.AgentOptions, proxy: EgressProxy | undefined, idle: Idle) => {
  const secure = new https.Agent(options)
  if (proxy !== undefined) secure.createConnection = tunnelTo(proxy)
  return [pinned(new http.Agent(options), idle), pinned(secure, idle)] as const
}

interface Idle {
  /** False when there is no room for one more. */
  readonly add: (socket: Duplex) => boolean
  readonly remove: (socket: Duplex) => void
}

/** `start`: runs the rounds until nothing is idle any more. */
const makeIdle = (start: (rounds: Effect.Effect<void>) => void): Idle => {
  /** Whether it was idle in the round before, too. */
  const sockets = new Map<Duplex, boolean>()
  const known = new WeakSet<Duplex>()

  const rounds = Effect.gen(function* () {
    while (sockets.size > 0) {
      yield* Effect.sleep(idleRound)
      for (const [socket, wasIdle] of sockets) {
        if (wasIdle) socket.destroy()
        else sockets.set(socket, true)
      }
    }
  })
  return {
    add: (socket) => {
      if (sockets.size >= idleMax.all) return false
      sockets.set(socket, false)
      if (!known.has(socket)) socket.once("close", () => sockets.delete(socket))
      known.add(socket)
      start(rounds)
      return true
    },
    remove: (socket) => sockets.delete(socket)
  }
}

/** Keeps connections by the addresses that were checked, and says what is idle. */
const pinned = <Agent extends http.Agent>(agent: Agent, idle: Idle): Agent => {
  const getName = agent.getName.bind(agent)
  const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean
  const reuseSocket = agent.reuseSocket.bind(agent)
  return Object.assign(agent, {
    getName: (options: PinnedOptions = {}) =>
      `${getName(options)} ${options.pinned?.addresses.toSorted().join(" ") ?? ""}`,
    keepSocketAlive: (socket: Duplex) => keepSocketAlive(socket) && idle.add(socket),
    reuseSocket: (socket: Duplex, request: http.ClientRequest) => {
      idle.remove(socket)
      reuseSocket(socket, request)
    }
  })
}

/** A look-up that returns the checked addresses. Asking DNS again would let the answer change (DNS rebinding). */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_hostname, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
