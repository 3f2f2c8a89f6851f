/**
 * The shop whose own host a request names (docs/decisions/0201). A shop's host only restricts: its requests get this
 * shop's pages and nothing else. So all possible hosts of a request count: `Host`, the host of an absolute address, and
 * the one that our own proxy reports. A request to PUBLIC_URL's host costs three comparisons.
 */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { Settings } from "../../platform/runtime/Settings.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import * as ClientAddress from "../../shared/http/clientAddress.ts"

type Request = Pick<IncomingMessage, "headers" | "url"> & {
  readonly socket: Pick<IncomingMessage["socket"], "remoteAddress">
}

/** Returns the merchant's number; "" if two shops are named; undefined if none is. */
export const make = Effect.gen(function* () {
  const { isEmpty, merchantAt } = yield* ShopHosts
  const { publicUrl } = yield* Settings
  const isProxy = yield* ClientAddress.makeIsProxy
  const publicHost = new URL(publicUrl).host

  return ({ headers, socket, url = "" }: Request): string | undefined => {
    if (isEmpty()) return undefined
    const { host } = headers
    const forwarded = headers["x-forwarded-host"]
    const isWhole = !url.startsWith("/")
    if (host === publicHost && forwarded === undefined && !isWhole) return undefined
    const shops = new Set<string>()
    const note = (named: string | undefined) => {
      const shop = named === undefined ? undefined : merchantAt(bare(named))
      if (shop !== undefined) shops.add(shop)
    }
    note(host)
    if (isWhole) note(URL.parse(url)?.host)
    // The nearest proxy writes the last entry.
    if (forwarded !== undefined && isProxy(socket.remoteAddress ?? ""))
      note(String(forwarded).split(",").at(-1)?.trim())
    const [shop] = shops
    return shops.size > 1 ? "" : shop
  }
})

/** A host in lower case, without its port and trailing dot. */
const bare = (host: string): string => host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase()
