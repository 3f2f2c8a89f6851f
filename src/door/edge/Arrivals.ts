/**
 * Incoming requests, of which only the heads have been read. Probes begin at once. The others begin in fair turns:
 * each merchant's reads and writes, the operator's, and those of each address of the public are queues of their own.
 * The short path is tried first, and then the framework. The turns, and the choice of a connection to close, get their
 * clock as a parameter and use no sockets.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Effect, Metric } from "effect"
import { elapsedMillis } from "../../platform/runtime/realTime.ts"
import { Operators } from "../../access/operators/Operators.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { addressParty } from "../../shared/http/addressParty.ts"
import * as ClientAddress from "../../shared/http/clientAddress.ts"
import { isProbe, type PortKind } from "./routes.ts"
import { make as makeShopOf } from "./shopOf.ts"
import { ShortPath } from "./ShortPath.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { RenewedSet } from "../../platform/runtime/renewed.ts"

export interface Arrived extends IncomingMessage {
  /** How many requests of its queue waited behind it when it began. */
  behind?: number
  /** It came in at the operator's port (`routes.ts`). */
  isAtAdmin?: true
  /** The merchant whose own host it names (`shopOf.ts`). */
  shop?: string
}

/** A socket, with the answer that Node writes to it. */
interface Answering extends Socket {
  readonly _httpMessage?: ServerResponse | null
}

const bearer = /^bearer /i

const dropped = Metric.counter("coffer_http_connections_dropped_total", {
  description: "Idle connections that were closed because there were too many",
  incremental: true
})

/** Makes a server's requests begin in turn, and bounds its connections. */
export const make = Effect.gen(function* () {
  const merchants = yield* Merchants
  const shortPath = yield* ShortPath
  const operators = yield* Operators
  const clientAddress = yield* ClientAddress.make
  const isProxy = yield* ClientAddress.makeIsProxy
  const shopOf = yield* makeShopOf
  const { clientConnections } = yield* Settings
  const context = yield* Effect.context<never>()
  yield* Metric.update(dropped, 0)

  /** A cached key or operator's token names the party; otherwise the client's address does. */
  const partyOf = ({ headers, socket }: IncomingMessage): string => {
    const key = headers["x-api-key"]
    if (typeof key === "string" && merchants.byKey(key).isRecalled) return key
    const { authorization = "" } = headers
    if (bearer.test(authorization) && operators.byToken(authorization.replace(bearer, "")).isRecalled) return "operator"
    const forwarded = headers["x-forwarded-for"]
    return addressParty(clientAddress(socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join(",") : forwarded))
  }
  const lineOf = (request: IncomingMessage) =>
    `${request.method === "GET" || request.method === "HEAD" ? "reads" : "writes"} of ${partyOf(request)}`

  return (server: Server, portKind: PortKind): Server => {
    const queue = makeFairQueue({ later: setImmediate, millis: elapsedMillis })
    const emit = server.emit.bind(server) as (event: string, ...parameters: ReadonlyArray<unknown>) => boolean
    const connections = makeConnections(clientConnections, () => dropped.updateUnsafe(1, context))
    const entries = new WeakMap<Socket, Entry>()
    server.on("connection", (socket: Answering) => {
      queue.accepted()
      const peer = socket.remoteAddress ?? ""
      const address = isProxy(peer) ? undefined : addressParty(peer.replace(ClientAddress.mapped, ""))
      const isBusy = () => socket._httpMessage != null
      const entry = connections.opened(address, { isBusy, close: () => socket.destroy() })
      entries.set(socket, entry)
      socket.once("close", () => connections.closed(entry))
    })
    server.emit = (event: string, ...parameters: ReadonlyArray<unknown>) => {
      if (event !== "request") return emit(event, ...parameters)
      const [request, response] = parameters as [IncomingMessage, ServerResponse]
      const entry = entries.get(request.socket)
      if (entry !== undefined) connections.used(entry)
      const begin = (behind: number) => {
        // The client left while its request waited.
        if (response.destroyed) return
        if (behind > 0) (request as Arrived).behind = behind
        if (portKind === "admin") (request as Arrived).isAtAdmin = true
        const shop = portKind === "admin" ? undefined : shopOf(request)
        if (shop !== undefined) (request as Arrived).shop = shop
        // The short path serves only merchants' calls, which come neither to that port nor to a shop's host.
        const isPlain = portKind !== "admin" && shop === undefined
        if (!isPlain || !shortPath.take(request, response)) emit(event, ...parameters)
      }
      if (isProbe(request.url)) begin(0)
      else queue.enter(() => lineOf(request), begin)
      return true
    }
    return server
  }
})

// Turns --------------------------------------------------------------------------
// Requests that arrive faster than they can begin (docs/decisions/0014; silences: U12). A few of each turn of the event
// loop begin at once. The others wait in queues, which are served round robin, for a few milliseconds at a time: no
// party waits for thousands of requests of another.

export interface FairQueue {
  /**
   * Calls `begin` at once or when the turn of its queue has come, with the number of requests that wait behind it in
   * that queue.
   */
  readonly enter: (lineOf: () => string, begin: Begin) => void
  /** A connection was accepted, and there may be more: Node accepts one in each turn of the loop. */
  readonly accepted: () => void
}

type Begin = (behind: number) => void

/** In one turn of the loop, while no party waits. */
export const atOnceMax = 64
/** How many connections are accepted, one in each turn, before queues are served again. */
export const acceptsMax = 256
/** Queues are served this long before sockets are read again; longer if accepting took longer. */
export const sliceMillis = 10
const sliceMillisMax = 50
/** When this many wait, a new request begins at once. `Admission` counts its queue, and refuses it if that is long. */
export const waitingMax = 10_000

/** `later` calls back once at the end of this turn of the loop. */
export const makeFairQueue = (options: {
  readonly later: (turn: () => void) => unknown
  readonly millis: () => number
}): FairQueue => {
  const { later, millis } = options
  /** The queue whose turn it is comes first. */
  const lines = new Map<string, Array<Begin>>()
  /** Connections accepted since queues were served, and when that was. */
  let [accepts, pausedAt] = [0, 0]
  let [begun, waiting] = [0, 0]
  let [isPlanned, isAccepting] = [false, false]

  const plan = () => {
    if (!isPlanned) later(turn)
    isPlanned = true
  }

  const turn = () => {
    // While connections are accepted no request begins: turns stay short, and the system's accept queue empties.
    if (waiting > 0 && !(isAccepting && accepts < acceptsMax)) serve()
    isPlanned = false
    isAccepting = false
    begun = 0
    if (waiting > 0) plan()
    else accepts = 0
  }

  const serve = () => {
    const now = millis()
    const end = now + Math.min(sliceMillisMax, Math.max(sliceMillis, now - pausedAt))
    for (const [name, line] of lines) {
      lines.delete(name)
      const begin = line.shift()!
      waiting--
      if (line.length > 0) lines.set(name, line)
      begin(line.length)
      if (millis() >= end) break
    }
    accepts = 0
    pausedAt = millis()
  }

  const wait = (name: string, begin: Begin) => {
    if (waiting++ === 0) pausedAt = millis()
    const line = lines.get(name)
    if (line === undefined) lines.set(name, [begin])
    else line.push(begin)
  }

  return {
    enter: (lineOf, begin) => {
      plan()
      if (waiting === 0 && !isAccepting && begun++ < atOnceMax) return begin(0)
      const name = lineOf()
      if (waiting < waitingMax) wait(name, begin)
      else begin(lines.get(name)?.length ?? 0)
    },
    accepted: () => {
      plan()
      isAccepting = true
      accepts++
    }
  }
}

// Connections --------------------------------------------------------------------
// Which connections are closed when there are too many (docs/decisions/0014). A new connection is never refused: the
// address with most connections loses the one that has been idle for longest. Each connection of a trusted proxy counts
// as an address of its own, since a proxy carries many clients.

export interface Connection {
  readonly isBusy: () => boolean
  readonly close: () => void
}

interface Party {
  readonly address: string
  /** The most recently used connection comes last. */
  readonly connections: RenewedSet<Entry>
}

export interface Entry {
  readonly connection: Connection
  readonly party: Party
}

export interface Connections {
  /** `address`: undefined for a proxy's connection. */
  readonly opened: (address: string | undefined, connection: Connection) => Entry
  /** Notes a request on the connection. */
  readonly used: (entry: Entry) => void
  readonly closed: (entry: Entry) => void
}

/** The part of all connections that one address may have. Above it only its idle connections are closed. */
export const shareOfOne = 1 / 4

/** Calls `dropped` for each connection that is closed. */
export const makeConnections = (max: number, dropped: () => void): Connections => {
  const all = new RenewedSet<Entry>()
  const parties = new Map<string, Party>()
  /** Parties by how many connections they have, so that the largest is found at once. */
  const bySize: Array<Set<Party>> = []
  const ofOneMax = Math.ceil(max * shareOfOne)

  const moved = (party: Party, from: number) => {
    bySize[from]?.delete(party)
    const to = party.connections.size
    if (to > 0) (bySize[to] ??= new Set()).add(party)
    while (bySize.length > 0 && (bySize.at(-1)?.size ?? 0) === 0) bySize.pop()
  }

  const closed = (entry: Entry) => {
    if (!all.delete(entry)) return
    const { party } = entry
    party.connections.delete(entry)
    moved(party, party.connections.size + 1)
    if (party.connections.size === 0) parties.delete(party.address)
  }

  const drop = (entry: Entry) => {
    closed(entry)
    dropped()
    entry.connection.close()
  }

  const used = (entry: Entry) => {
    if (!all.has(entry)) return
    for (const order of [all, entry.party.connections]) {
      order.delete(entry)
      order.add(entry)
    }
  }

  /** The connection that has been idle for longest. Busy ones are moved to the end. */
  const idlest = (entries: RenewedSet<Entry>, newcomer: Entry): Entry | undefined => {
    for (let left = entries.size; left > 0; left--) {
      const [first] = entries
      if (first !== newcomer && first?.connection.isBusy() === false) return first
      if (first !== undefined) used(first)
    }
    return undefined
  }

  const busiest = (entries: RenewedSet<Entry>, newcomer: Entry): Entry | undefined => {
    for (const each of entries) if (each !== newcomer) return each
    return undefined
  }

  const makeRoom = (newcomer: Entry) => {
    const own = newcomer.party.connections
    if (own.size > ofOneMax) {
      const idle = idlest(own, newcomer)
      if (idle !== undefined) drop(idle)
    }
    if (all.size <= max) return
    const [largest] = bySize.at(-1)!
    const candidates = largest!.connections.size === 1 ? all : largest!.connections
    const victim = idlest(candidates, newcomer) ?? idlest(all, newcomer) ?? busiest(candidates, newcomer)
    if (victim !== undefined) drop(victim)
  }

  return {
    opened: (address, connection) => {
      const known = address === undefined ? undefined : parties.get(address)
      const party = known ?? { address: address ?? "", connections: new RenewedSet() }
      if (address !== undefined) parties.set(address, party)
      const entry = { connection, party }
      party.connections.add(entry)
      all.add(entry)
      moved(party, party.connections.size - 1)
      makeRoom(entry)
      return entry
    },
    used,
    closed
  }
}
