/**
 * The operator's proxy for calls to Stripe (`STRIPE_PROXY`, silences: S34): Node's own agent opens a tunnel by CONNECT
 * and speaks TLS with Stripe through it. Tunnels are kept for the next call, as connections without a proxy are.
 */
import https from "node:https"
import { Redacted } from "effect"

/** How long the proxy may take to be reached, and how long to open a tunnel. */
const tunnelMillis = 5_000

/** No connection came about through the proxy, so nothing was sent. `message` holds no secret. */
export class NoTunnel extends Error {}

/** `proxy` as the settings have checked it: `http://user:pass@host:port`. */
export const makeTunnelAgent = (proxy: Redacted.Redacted): https.Agent =>
  new TunnelAgent({ keepAlive: true, proxyEnv: { HTTPS_PROXY: Redacted.value(proxy) } })

type Made = (error: Error | null, socket?: any) => void

class TunnelAgent extends https.Agent {
  override createConnection(options: https.RequestOptions, made?: Made) {
    // Without a limit of its own a proxy that never answers would never be given up. Once the connection is made, the
    // limits of the call hold.
    const limited = { ...options, timeout: tunnelMillis }
    return super.createConnection(limited, (error: Error | null, socket?: any) =>
      made?.(error == null ? error : new NoTunnel(reasonOf(error)), socket)
    )
  }
}

const reasonOf = (error: NodeJS.ErrnoException & { readonly statusCode?: number }): string => {
  if (error.statusCode !== undefined) return `it answered CONNECT with ${error.statusCode}`
  // The message of another failure of a tunnel is a sentence of Node's without addresses.
  return error.code === "ERR_PROXY_TUNNEL" ? error.message : (error.code ?? error.name)
}
