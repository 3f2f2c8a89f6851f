/** The script of the pages for buyers, and their headers. Cards and wallets work without it, too. */
import { pageScript } from "../../shared/pages/pageScript.ts"
import { headers, policy } from "../../shared/pages/respond.ts"
import type { Shop } from "../../shared/pages/shop.ts"
import { accentOf } from "../../shared/pages/style.ts"
import * as cardTyping from "./browser/cardTyping.ts"
import * as following from "./browser/following.ts"
import * as printing from "./browser/printing.ts"
import * as sending from "./browser/sending.ts"

const { allowed, element } = pageScript(
  [cardTyping, following, printing, sending],
  [following.listen, following.begin, following.follow, printing.offerPrint]
)

export const script = element

const scripted = [`script-src ${allowed}`, "connect-src 'self'"]

/** For pages with the script, which may only call the page's own address. */
export const checkoutHeaders = { ...headers, "content-security-policy": policy(scripted) }

/** The same for a page in the colour of its shop. */
export const headersFor = (shop: Pick<Shop, "accentColor"> | undefined): typeof checkoutHeaders => {
  const accent = shop?.accentColor ? accentOf(shop.accentColor) : undefined
  if (accent === undefined) return checkoutHeaders
  return { ...checkoutHeaders, "content-security-policy": policy(scripted, [accent.source]) }
}
