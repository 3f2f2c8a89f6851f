/**
 * Where the buyer goes after paying: the merchant's `return_url` with the order's numbers filled in (spec: Orders).
 * Whatever is not http or https is nowhere at all: a `javascript:` address must never become a link.
 */
import { isHttpUrl } from "@coffer/rules/delivery/address"
import type { Order } from "@coffer/rules/order/Order"

export interface ReturnAddress {
  readonly href: string
  /** As the buyer should know it: `shop.example`. */
  readonly host: string
}

export const returnAddress = (
  order: Pick<Order, "returnUrl" | "tradeNo" | "outTradeNo">
): ReturnAddress | undefined => {
  if (order.returnUrl === null || !isHttpUrl(order.returnUrl)) return undefined
  // Filled in at once, so that a number which looks like a placeholder stays as it is.
  const filled = order.returnUrl.replace(/\{(TRADE_NO|OUT_TRADE_NO)\}/g, (_, name) =>
    encodeURIComponent(name === "TRADE_NO" ? order.tradeNo : order.outTradeNo)
  )
  const url = URL.parse(filled)
  return url !== null && /^https?:$/.test(url.protocol) ? { href: url.href, host: url.host } : undefined
}
