/** Which hosts are this machine itself, as far as their text tells. */

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** How this machine reaches a port that listens there, as a URL has it. */
export const reachable = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1"
  return host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host
}
