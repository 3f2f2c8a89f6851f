/**
 * The operator's proxy to merchants' servers: a tunnel for https, the proxy itself as the server for http, and whether
 * a failure is the proxy's or the destination's.
 */
import http from "node:http"
import { isIP, type Socket } from "node:net"

/** `proxy`: the operator's proxy failed, and the destination has no part in it. */
export type NotDeliveredReason = "timeout" | "refused_address" | "dns" | "connect" | "tls" | "protocol" | "proxy"

/** The state of one exchange. */
export interface Trip {
  /** The reason if it fails at this stage. */
  stage: NotDeliveredReason
}

export interface Checked {
  readonly url: URL
  /** All addresses of its host. They may be connected to. */
  readonly addresses: ReadonlyArray<string>
}

export const hostnameOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1")
export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

export interface EgressProxy {
  readonly hostname: string
  readonly port: number
  /** The headers that name us to the proxy. */
  readonly headers: Record<string, string>
  /** Milliseconds of Unix time. */
  readonly clock: () => number
  /** When it last opened a tunnel. */
  openedAt: number | undefined
  /** The hosts that it last failed to reach, each once: the latest first. None once a tunnel is open. */
  unreached: ReadonlyArray<{ readonly host: string; readonly at: number }>
}

/** `url` as the settings have checked it: `http://user:pass@host:port`. */
export const makeEgressProxy = (url: URL, clock: () => number): EgressProxy => {
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    hostname: hostnameOf(url),
    port: portOf(url),
    headers: user === ":" ? {} : { "Proxy-Authorization": `Basic ${Buffer.from(user).toString("base64")}` },
    clock,
    openedAt: undefined,
    unreached: []
  }
}

/** No connection came about. `message` is a sentence of ours, or a code. */
export class ProxyTrouble extends Error {
  readonly reason: NotDeliveredReason
  constructor(reason: NotDeliveredReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** A proxy that has opened a tunnel within this time works: a failure is the destination's. In milliseconds. */
const lately = 60_000
/** A proxy without an open tunnel is to blame once it has failed with two hosts within this time. */
const suspectedFor = 600_000
/** Addresses of one host that the proxy is asked for, at most. */
const addressesMax = 4

/** For http the proxy is the server that is spoken to. */
export const absoluteForm = (proxy: EgressProxy, { addresses, url }: Checked, headers: Record<string, string>) => ({
  origin: `http://${isIP(proxy.hostname) === 6 ? `[${proxy.hostname}]` : proxy.hostname}:${proxy.port}`,
  path: `http://${authority(addresses[0]!, url)}${url.pathname}${url.search}`,
  headers: { ...headers, ...proxy.headers, Host: url.host }
})

/** A tunnel to the first address that the proxy can reach. `done` is called once. */
export const tunnelTo = (
  proxy: EgressProxy,
  checked: Checked,
  trip: Trip,
  signal: AbortSignal,
  done: (error: ProxyTrouble | undefined, tunnel: Socket | undefined) => void
): void => {
  // Some proxies have no IPv6.
  const addresses = checked.addresses.toSorted((a, b) => isIP(a) - isIP(b)).slice(0, addressesMax)
  const next = (index: number) =>
    connect({ proxy, url: checked.url, path: authority(addresses[index]!, checked.url), trip, signal }, (outcome) => {
      if (!(outcome instanceof ProxyTrouble)) return done(undefined, outcome)
      if (outcome.reason === "connect" && index + 1 < addresses.length) return next(index + 1)
      return done(outcome, undefined)
    })
  next(0)
}

interface Asking {
  readonly proxy: EgressProxy
  readonly url: URL
  readonly path: string
  readonly trip: Trip
  readonly signal: AbortSignal
}

/** One CONNECT. `done` is called once. */
const connect = ({ path, proxy, signal, trip, url }: Asking, done: (outcome: Socket | ProxyTrouble) => void) => {
  trip.stage = "proxy"
  const { headers, hostname, port } = proxy
  const host = hostnameOf(url)
  const client = http.request({
    hostname,
    port,
    path,
    method: "CONNECT",
    headers: { ...headers, Host: path },
    agent: false,
    signal
  })
  let ended = false
  const end = (outcome: Socket | ProxyTrouble) => {
    if (ended) return
    ended = true
    done(outcome)
  }
  client.on("error", (error: NodeJS.ErrnoException) => end(new ProxyTrouble("proxy", error.code ?? error.name)))
  client.once("socket", (socket) =>
    socket.once("connect", () => {
      trip.stage = blame(proxy, host)
      signal.addEventListener("abort", () => ended || noteUnreached(proxy, host), { once: true })
    })
  )
  client.once("connect", ({ statusCode = 0 }, socket, head) => {
    if (statusCode >= 200 && statusCode < 300 && head.length === 0) {
      proxy.openedAt = proxy.clock()
      proxy.unreached = []
      return end(socket)
    }
    socket.destroy()
    if (statusCode >= 500) noteUnreached(proxy, host)
    return end(new ProxyTrouble(reasonOf(proxy, host, statusCode), `the proxy returned ${statusCode} to CONNECT`))
  })
  client.once("close", () => end(new ProxyTrouble("proxy", "ECONNRESET")))
  client.end()
}

/** A proxy's 403 is a rule of the operator's about the destination. Its 5xx may mean the destination or itself. */
const reasonOf = (proxy: EgressProxy, host: string, status: number): NotDeliveredReason => {
  if (status === 403) return "refused_address"
  return status >= 500 ? blame(proxy, host) : "proxy"
}

/** The reason if the proxy answers but does not reach the host: one host says nothing about the proxy. */
const blame = ({ clock, openedAt, unreached }: EgressProxy, host: string): NotDeliveredReason => {
  const now = clock()
  if (openedAt !== undefined && now - openedAt <= lately) return "connect"
  return unreached.some((other) => other.host !== host && now - other.at <= suspectedFor) ? "proxy" : "connect"
}

const noteUnreached = (proxy: EgressProxy, host: string): void => {
  const others = proxy.unreached.filter((other) => other.host !== host)
  proxy.unreached = [{ host, at: proxy.clock() }, ...others].slice(0, 2)
}

const authority = (address: string, url: URL): string =>
  `${isIP(address) === 6 ? `[${address}]` : address}:${portOf(url)}`
