/**
 * The party of an address, for requests without a key. The holder of one IPv6 address has all of its /64, so that is
 * one party (silences: U3).
 */
import { identity } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { Result } from "effect"
import { memoize } from "@coffer/model/memoize"

const prefixLength = 64
/** Addresses that are remembered. */
const addressesMax = 10_000

const networkOf = memoize(addressesMax, identity<string>, (address) =>
  Result.match(
    Result.flatMap(NetAddress.ipFromString(address), (ip) => IpNetwork.fromAddress(ip, prefixLength)),
    { onSuccess: IpNetwork.format, onFailure: () => address }
  )
)

/** `address` is the client's, in the form that `clientAddress.ts` gives it. */
export const addressParty = (address: string): string => (address.includes(":") ? networkOf(address) : address)
