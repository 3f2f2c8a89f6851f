/**
 * The allowlist of a merchant's key: single IPv4 addresses, IPv4 ranges in CIDR form, and single IPv6 addresses, with
 * commas or white space between them. An empty list allows every address (spec: Authentication, 4; silences: U3).
 * Spellings of one address are equal, and an IPv4-mapped IPv6 address is IPv4.
 */
import { Result } from "effect"
import ipaddr from "ipaddr.js"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** All addresses that share the first `bits` bits with this one. */
export interface AllowedRange {
  readonly address: Address
  readonly bits: number
}
export type Allowlist = ReadonlyArray<AllowedRange>

/** Fails with the first invalid entry, as it was written. */
export const parseAllowlist = (text: string): Result.Result<Allowlist, string> => {
  const ranges: Array<AllowedRange> = []
  for (const entry of text.split(/[\s,]+/)) {
    if (entry === "") continue
    const range = rangeOf(entry)
    if (range === undefined) return Result.fail(entry)
    ranges.push(range)
  }
  return Result.succeed(ranges)
}

/** Whether a call from this address is allowed. A text that is not an address is only allowed by an empty list. */
export const isAllowed = (allowlist: Allowlist, from: string): boolean => {
  if (allowlist.length === 0) return true
  const caller = addressOf(from)
  return caller !== undefined && allowlist.some((range) => includes(range, caller))
}

const includes = ({ address, bits }: AllowedRange, caller: Address): boolean =>
  caller.kind() === address.kind() && caller.match(address, bits)

const rangeOf = (entry: string): AllowedRange | undefined => {
  const slash = entry.indexOf("/")
  if (slash >= 0) return cidrOf(entry.slice(0, slash), entry.slice(slash + 1))
  const address = addressOf(entry)
  return address === undefined ? undefined : { address, bits: address.kind() === "ipv4" ? 32 : 128 }
}

/** For IPv4 only: an IPv6 address is allowed exactly or not at all. */
const cidrOf = (address: string, bits: string): AllowedRange | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(address) && prefixForm.test(bits)
    ? { address: ipaddr.IPv4.parse(address), bits: Number(bits) }
    : undefined

const prefixForm = /^(?:\d|[12]\d|3[0-2])$/

const addressOf = (text: string): Address | undefined => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  // An address with a zone (`fe80::1%eth0`) is only meaningful on one machine.
  if (text.includes("%")) return undefined
  const plain = withoutDottedTail(text)
  if (!ipaddr.IPv6.isValid(plain)) return undefined
  const address = ipaddr.IPv6.parse(plain)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** `::ffff:10.0.0.1` is `::ffff:a00:1`. The library takes every dotted tail for a mapped address (`::8.8.8.8`). */
const withoutDottedTail = (text: string): string => {
  const start = text.lastIndexOf(":") + 1
  const tail = text.slice(start)
  if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) return text
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).octets
  return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
