/**
 * The operator's proxy, through which all deliveries leave when `WEBHOOK_PROXY` is set (silences: W21). It is asked for
 * the address that we have checked and never for a name, so a name that changes its answer gains nothing: https by
 * CONNECT, with the name in TLS alone; http in the absolute form, with the name in `Host`.
 *
 * Also says whom a failure is charged to: the destination, or the proxy itself.
 */
import http from "node:http"
import { isIP, type Socket } from "node:net"
import type { Checked, Trip } from "./connections.ts"
import type { NotDeliveredReason } from "./Outbound.ts"

export interface EgressProxy {
  readonly hostname: string
  readonly port: number
  /** The headers that name us to the proxy. */
  readonly headers: Record<string, string>
  /** Milliseconds of Unix time. */
  readonly clock: () => number
  /** When it last opened a tunnel. */
  openedAt: number | undefined
}

/** `url` as the settings have checked it: `http://user:pass@host:port`. */
export const makeEgressProxy = (url: URL, clock: () => number): EgressProxy => {
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port === "" ? 80 : url.port),
    headers: user === ":" ? {} : { "Proxy-Authorization": `Basic ${Buffer.from(user).toString("base64")}` },
    clock,
    openedAt: undefined
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

/** A proxy that has opened a tunnel so lately works: what it cannot reach is to blame. In milliseconds. */
const lately = 60_000
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
    connect({ proxy, path: authority(addresses[index]!, checked.url), trip, signal }, (outcome) => {
      if (!(outcome instanceof ProxyTrouble)) return done(undefined, outcome)
      if (outcome.reason === "connect" && index + 1 < addresses.length) return next(index + 1)
      return done(outcome, undefined)
    })
  next(0)
}

interface Asking {
  readonly proxy: EgressProxy
  readonly path: string
  readonly trip: Trip
  readonly signal: AbortSignal
}

/** One CONNECT. `done` is called once. */
const connect = ({ path, proxy, signal, trip }: Asking, done: (outcome: Socket | ProxyTrouble) => void) => {
  trip.stage = "proxy"
  const { headers, hostname, port } = proxy
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
  client.once("socket", (socket) => socket.once("connect", () => (trip.stage = blamed(proxy))))
  client.once("connect", ({ statusCode = 0 }, socket, head) => {
    if (statusCode >= 200 && statusCode < 300 && head.length === 0) {
      proxy.openedAt = proxy.clock()
      return end(socket)
    }
    socket.destroy()
    return end(new ProxyTrouble(reasonOf(proxy, statusCode), `the proxy answered CONNECT with ${statusCode}`))
  })
  client.on("error", (error: NodeJS.ErrnoException) => end(new ProxyTrouble("proxy", error.code ?? error.name)))
  client.once("close", () => end(new ProxyTrouble("proxy", "ECONNRESET")))
  client.end()
}

/** A proxy's 403 is a rule of the operator's about the destination. Its 5xx may mean the destination or itself. */
const reasonOf = (proxy: EgressProxy, status: number): NotDeliveredReason => {
  if (status === 403) return "refused_address"
  return status >= 500 ? blamed(proxy) : "proxy"
}

/** Who is to blame when the proxy can be reached and does not get through. */
const blamed = ({ clock, openedAt }: EgressProxy): NotDeliveredReason =>
  openedAt !== undefined && clock() - openedAt <= lately ? "connect" : "proxy"

const authority = (address: string, { port, protocol }: URL): string =>
  `${isIP(address) === 6 ? `[${address}]` : address}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`
