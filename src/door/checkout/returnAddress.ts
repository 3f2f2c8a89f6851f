/**
 * Where the buyer goes after paying: the merchant's `return_url` with the order's numbers filled in (spec: Orders).
 * Only http and https addresses are used, since a `javascript:` address must never become a link.
 */
import { isHttpUrl } from "@coffer/rules/delivery/address"
import type { Order } from "@coffer/rules/order/Order"

export const returnAddress = (order: Pick<Order, "returnUrl" | "tradeNo" | "outTradeNo">): string | undefined => {
  if (order.returnUrl === null || !isHttpUrl(order.returnUrl)) return undefined
  // In one pass, so that an order number that looks like a placeholder is not replaced.
  const filled = order.returnUrl.replace(/\{(TRADE_NO|OUT_TRADE_NO)\}/g, (_, name) =>
    encodeURIComponent(name === "TRADE_NO" ? order.tradeNo : order.outTradeNo)
  )
  const url = URL.parse(filled)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined
}
