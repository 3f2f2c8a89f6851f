/**
 * The address of the client: the other end of the connection or, behind our own proxies, the address that they report
 * in `X-Forwarded-For` (silences: U3). Proxies append on the right. Entries that a client writes there itself are
 * further left, and are never read.
 */
import { Effect, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { BadSetting, Settings } from "../../platform/runtime/Settings.ts"

/** `peer`: the other end of the socket. `forwarded`: the header, if any. Returns "" when the peer has left. */
export type ClientAddress = (peer: string | undefined, forwarded: string | undefined) => string

export const make = Effect.flatMap(Settings, ({ trustedProxies }) => Effect.map(parseProxies(trustedProxies), behind))

/** Parses TRUSTED_PROXIES. */
export const parseProxies = Effect.fnUntraced(function* (trustedProxies: string) {
  const networks: Array<IpNetwork.IpNetwork> = []
  for (const entry of trustedProxies.split(/[\s,]+/).filter((text) => text !== "")) {
    const network = networkOf(entry)
    if (Result.isFailure(network)) {
      return yield* new BadSetting({
        message: `TRUSTED_PROXIES: ${entry} is not an IP address or a range like 10.0.0.0/8 or fd00::/8.`
      })
    }
    networks.push(network.success)
  }
  return networks
})

const networkOf = (entry: string) => {
  if (entry.includes("/")) return IpNetwork.fromString(entry)
  return Result.flatMap(NetAddress.ipFromString(entry), (address) =>
    IpNetwork.fromAddress(NetAddress.toCanonical(address), NetAddress.isIpv4Address(address) ? 32 : 128)
  )
}

/** Whether the other end of a connection is one of our own proxies. */
export const makeIsProxy = Effect.flatMap(Settings, ({ trustedProxies }) =>
  Effect.map(parseProxies(trustedProxies), (proxies) => (peer: string) => {
    const address = proxies.length === 0 ? undefined : addressOf(peer)
    return address !== undefined && isIn(proxies, address)
  })
)

const isIn = (networks: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  networks.some((network) => IpNetwork.contains(network, address))

export const behind = (proxies: ReadonlyArray<IpNetwork.IpNetwork>): ClientAddress => {
  const isTrusted = (address: NetAddress.IpAddress) => isIn(proxies, address)

  return (peer, forwarded) => {
    // The usual case needs no parsing, since Node formats an address in one way only.
    if (proxies.length === 0) return (peer ?? "").replace(mapped, "")
    const near = addressOf(peer ?? "")
    if (near === undefined) return peer ?? ""
    if (forwarded === undefined || !isTrusted(near)) return NetAddress.formatIp(near)
    let client = near
    // Walks from the right, where our own proxies write, to the first address that is not one of them.
    for (let end = forwarded.length; end >= 0;) {
      const start = forwarded.lastIndexOf(",", end - 1) + 1
      const hop = addressOf(forwarded.slice(start, end).trim())
      // Our proxies write addresses only: this entry and all entries left of it cannot be trusted.
      if (hop === undefined) break
      client = hop
      if (!isTrusted(hop)) break
      end = start - 1
    }
    return NetAddress.formatIp(client)
  }
}

/** Prefixes an IPv4 address at an IPv6 socket. */
export const mapped = /^::ffff:(?=[\d.]+$)/

/** With or without a port: some proxies add the client's. */
const addressOf = (text: string): NetAddress.IpAddress | undefined => {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text
  const address = NetAddress.ipFromString(bare)
  if (Result.isSuccess(address)) return NetAddress.toCanonical(address.success)
  const withPort = NetAddress.inetAddressFromString(text)
  return Result.isSuccess(withPort) ? NetAddress.toCanonical(withPort.success.address) : undefined
}
