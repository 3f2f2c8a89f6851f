/**
 * A machine answers at several names for itself: `localhost`, `127.0.0.1`, `[::1]`. A browser's cookies, its passkeys
 * and the links of mails belong to one of them, that of PUBLIC_URL, so a page that is opened at another redirects
 * there. Pure.
 */

const isOwn = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** The right address of the page; undefined if it may be shown here. `host`: the request's host. */
export const placeElsewhere = (publicUrl: string, host: string | undefined, target: string): string | undefined => {
  const right = new URL(publicUrl)
  const current = URL.parse(`${right.protocol}//${host ?? ""}`)
  // Another port belongs to a proxy before the service, which sends this name for every address.
  if (current === null || current.host === right.host || current.port !== right.port) return undefined
  if (!isOwn(current.hostname) || !isOwn(right.hostname)) return undefined
  return `${right.origin}${target}`
}
