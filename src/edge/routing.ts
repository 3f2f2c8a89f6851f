/** How addresses are read, on the short path and by the framework's router. */

/**
 * The address as routes know it: `{web_url}/api/v1/...` becomes `{base_url}/v1/...` (silences: G8). A `;` is encoded,
 * because the router would end the path there, although it is an ordinary character in a segment (RFC 3986, 3.3).
 */
export const routed = (url: string): string =>
  url.replace(/^\/api(?=\/v1(\/|\?|$))/, "").replace(/^[^?#;]*;[^?#]*/, (path) => path.replaceAll(";", "%3B"))

/** The address without its query. */
export const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query < 0 ? url : url.slice(0, query)
}

/** How the process is: asked by machines that decide by the answer, so it never waits and is never refused. */
export const isProbe = (url = ""): boolean => /^\/(healthz|readyz|metrics)(\?|$)/.test(url)

/** No path ends so: a parameter without a character names nothing (silences: G15). */
export const endsInSlash = (path: string): boolean => path.length > 1 && path.endsWith("/")

/**
 * What a `Host` may say: `uri-host [":" port]`, or nothing (RFC 9110, 7.2). Several lines of it come joined by a comma
 * and a space, which no host has.
 */
const host = /^(\[[\w.:%~-]+\]|([\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(:\d*)?$/i
export const isHost = (value: string): boolean => host.test(value)

/** Of an address that is not UTF-8 in percent-encoding (silences: G22). */
export const undecodable = "The address must be percent-encoded UTF-8."

export const routerConfig = {
  /** An order number of 128 characters has up to 1,536 when percent-encoded. */
  maxParamLength: 2_048,
  /** Paths are case-sensitive. Lower-casing would also shift parameters, since `İ` becomes two characters. */
  caseSensitive: true,
  /** Each thing has one address, because idempotency keys and logs use the path. */
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}
