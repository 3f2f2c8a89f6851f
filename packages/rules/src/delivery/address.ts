/**
 * Which Internet addresses a merchant may have us call. Everything except ordinary public unicast is refused, so that a
 * merchant's URL cannot reach our own network, this machine or a cloud's metadata service.
 *
 * It checks text only: a name that looks public may still resolve to a private address, so the connecting code calls
 * {@link isPublicAddress} again for the resolved addresses (spec: Webhook endpoints; silences: W12).
 */
import { urlLengthMax } from "@coffer/model/Limits"
import ipaddr from "ipaddr.js"

/** Whether this IPv4 or IPv6 address, in its usual notation, is public unicast. */
export const isPublicAddress = (text: string): boolean => {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return isPublicIPv4(ipaddr.IPv4.parse(text))
  // An address with a zone (`fe80::1%eth0`) is only meaningful on one machine. The library takes any dotted tail for a
  // mapped address (`::8.8.8.8`), unlike the operating system.
  if (!ipaddr.IPv6.isValid(text) || text.includes("%")) return false
  if (text.includes(".") && !isMappedForm(text)) return false
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? isPublicIPv4(address.toIPv4Address()) : isPublicIPv6(address)
}

/** The library accepts leading zeros in the tail (`::ffff:08.8.8.8`), which some parsers read as octal. */
const isMappedForm = (text: string): boolean =>
  /^::ffff:/i.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text.slice("::ffff:".length))

const isPublicIPv4 = (address: ipaddr.IPv4): boolean =>
  address.range() === "unicast" && !cloudServices.some(([block, bits]) => address.match(block, bits))

/**
 * Services that clouds offer to their own machines at addresses that look public. Other clouds' are
 * link-local (169.254.0.0/16), shared (100.64.0.0/10, Alibaba's), reserved (192.0.0.0/24, Oracle's old ones) or unique
 * local (fd00::/8), which are not public anyway.
 */
const cloudServices = [
  // Azure's wire server: DHCP, DNS, health probes and the guest agent's certificates and settings.
  "168.63.129.16/32",
  // IBM Cloud's service endpoints.
  "161.26.0.0/16",
  "166.8.0.0/14",
  // Google's APIs for machines without a public address.
  "199.36.153.4/30",
  "199.36.153.8/30",
  // Tencent's name servers for its machines.
  "183.60.82.98/32",
  "183.60.83.19/32"
].map((block) => ipaddr.IPv4.parseCIDR(block))

/** The only block of public unicast addresses (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parse("2000::")

// The library calls everything unknown "unicast", including `::127.0.0.1`; the block excludes that. 6to4 and Teredo,
// which embed an IPv4 address inside the block, are separate ranges, and ISATAP may use any prefix. They are refused
// whatever they embed.
const isPublicIPv6 = (address: ipaddr.IPv6): boolean =>
  address.range() === "unicast" && address.match(globalUnicast, 3) && !isIsatap(address)

/** An interface identifier of 0000:5efe or 0200:5efe (the u bit), then the IPv4 address (RFC 5214, 6.1). */
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => (parts[4]! & ~0x0200) === 0 && parts[5] === 0x5efe

/** Whether this may be a live webhook endpoint: an https URL whose host looks public. */
export const isPublicHttpsUrl = (text: string): boolean => {
  const url = parseHttpUrl(text)
  return url !== null && url.protocol === "https:" && isPublicHost(url.hostname)
}

/** An http or https URL whose host looks public. */
export const isPublicHttpUrl = (text: string): boolean => {
  const url = parseHttpUrl(text)
  return url !== null && isPublicHost(url.hostname)
}

/** Whether this may be a sandbox webhook endpoint: any http or https URL. */
export const isHttpUrl = (text: string): boolean => parseHttpUrl(text) !== null

/**
 * The WHATWG parser corrects its input: it drops white space, turns `\` into `/` and adds missing slashes. A corrected
 * URL is not the one that was reviewed, so the outer form is checked first; `@` would be user-info. A placeholder
 * (`{TRADE_NO}`) in the host would send the buyer to another host for every order.
 */
const outerForm = /^https?:\/\/[^/?#\\@{}\s\p{Cc}]+(?:[/?#][^\s\p{Cc}]*)?$/iu

const parseHttpUrl = (text: string): URL | null => {
  const url = text.length <= urlLengthMax && outerForm.test(text) ? URL.parse(text) : null
  return url === null || /[{}]/.test(url.host) ? null : url
}

/** Whether there are braces before the path. */
export const hasBracesInHost = (text: string): boolean => /^[^/]*\/\/[^/?#]*[{}]/.test(text)

/** Names that resolve to this machine or this network (RFC 6761, RFC 6762, ICANN's `internal`). */
const localTopLabels: ReadonlySet<string> = new Set(["localhost", "local", "internal"])

/** `hostname` as the URL parser wrote it: lower case, and every spelling of an IPv4 address in four decimal parts. */
const isPublicHost = (hostname: string): boolean => {
  if (hostname.startsWith("[")) return isPublicAddress(hostname.slice(1, -1))
  if (ipaddr.IPv4.isValidFourPartDecimal(hostname)) return isPublicAddress(hostname)
  const labels = hostname.replace(/\.$/, "").split(".")
  return labels.length > 1 && labels.every((label) => label !== "") && !localTopLabels.has(labels.at(-1) ?? "")
}
