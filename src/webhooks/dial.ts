/**
 * Opens the sockets to merchants' servers: straight to one of the addresses that were checked, or through the
 * operator's proxy (silences: W12, W21). The name is never looked up again, since its answer may have changed (DNS
 * rebinding). In TLS the server has to have the certificate of the URL's name, whichever address it is at.
 */
import net, { isIP, type LookupFunction, type Socket } from "node:net"
import tls, { type TLSSocket } from "node:tls"
import type { Checked, Trip, Way } from "./connections.ts"
import { type EgressProxy, tunnelTo } from "./egressProxy.ts"

export interface Dialling {
  readonly way: Way
  readonly checked: Checked
  readonly trip: Trip
  readonly signal: AbortSignal
}

type Done = (error: Error | undefined, socket: Socket | undefined) => void

/** Sessions of TLS that are remembered, so that the next handshake is shorter. */
const sessionsMax = 100

export const makeDial = (proxy: EgressProxy | undefined) => {
  const sessions = new Map<string, Buffer>()

  /** `over`: a tunnel, or undefined to connect. */
  const secure = ({ checked, way }: Dialling, over?: Socket): TLSSocket => {
    const { addresses, url } = checked
    const host = hostOf(url)
    const session = sessions.get(way.key)
    const socket = tls.connect({
      ...(over === undefined ? { port: portOf(url), lookup: pinnedTo(addresses) } : { socket: over }),
      ...(session === undefined ? {} : { session }),
      host,
      servername: isIP(host) === 0 ? host : "",
      ALPNProtocols: ["http/1.1"]
    })
    return socket.on("session", (fresh: Buffer) => {
      if (sessions.size >= sessionsMax) sessions.delete(sessions.keys().next().value!)
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
      return follow(net.connect({ host: hostOf(to), port: portOf(to), ...straight }), dialling, done)
    }
    if (proxy === undefined) return follow(secure(dialling), dialling, done)
    return tunnelTo(proxy, checked, trip, signal, (error, tunnel) => {
      if (tunnel === undefined) return done(error, undefined)
      trip.stage = "tls"
      return follow(secure(dialling, tunnel), dialling, done)
    })
  }
}

/** Says how far the connection has come, and calls `done` once. */
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

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1")
const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

/** A look-up that returns the checked addresses. */
const pinnedTo =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_hostname, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (all === true) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
