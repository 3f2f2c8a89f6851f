/**
 * A mail address as mail servers take it: a domain of another script in its ASCII form (IDNA). The part before the @
 * stays as it is, since only the receiving server may read it; where that is not ASCII, the mail needs SMTPUTF8.
 */
import { domainToASCII } from "node:url"

/** Undefined when what follows the @ is no domain. */
export const asciiAddress = (address: string): string | undefined => {
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  if (isAscii(domain)) return address
  const ascii = domainToASCII(domain)
  return ascii === "" ? undefined : address.slice(0, at + 1) + ascii
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
export const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)
