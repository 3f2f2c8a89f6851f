/** The page of an object, by its number, and the target of a search. */
import { ask } from "../api/acts.ts"
import type { InAccount } from "../api/session.ts"

const pages: ReadonlyArray<readonly [prefix: string, page: string]> = [
  ["TRD_", "orders"],
  ["rfd_", "refunds"],
  ["dsp_", "disputes"],
  ["plink_", "links"],
  ["evt_", "events"],
  ["dlv_", "deliveries"],
  ["whe_", "webhooks"],
  ["req_", "logs"],
  ["pyt_", "payouts"],
  ["LED_", "ledger"]
]

/** The page of the object behind the account's address; undefined for a number that has none. */
export const pageOf = (number: string): string | undefined => {
  const found = pages.find(([prefix]) => number.startsWith(prefix))
  return found === undefined ? undefined : `/${found[1]}/${encodeURIComponent(number)}`
}

/** The address of the timeline step about an object: `refund`, `dispute`, `ledger`, `event` or `delivery`. */
export const stepOf = (tradeNo: string, kind: string, id: string): string =>
  `/orders/${encodeURIComponent(tradeNo)}#${encodeURIComponent(`${kind}-${id}`)}`

/**
 * A number leads to its object, an e-mail to the orders of the buyer, `key=value` to the orders with that metadata, and
 * everything else to the order with that number of the merchant.
 */
const placeOf = (text: string): string => {
  const page = pageOf(text)
  if (page !== undefined) return page
  if (text.includes("@")) return `/orders?${new URLSearchParams({ receipt_email: text })}`
  const [, key, value] = /^([^=]{1,40})=(.+)$/.exec(text) ?? []
  if (key !== undefined) return `/orders?${new URLSearchParams({ [`metadata[${key}]`]: value! })}`
  return `/orders?${new URLSearchParams({ out_trade_no: text })}`
}

/** The merchant's own numbers, escaped for an address. */
const ownNumber = /^[\w.-]*\w[\w.-]*$/

/** The same, but leads directly to the object if an order or a refund has this merchant number. */
export const findPlace = async ({ api }: InAccount, text: string): Promise<string> => {
  const place = placeOf(text)
  if (!place.startsWith("/orders?out_trade_no=") || !ownNumber.test(text)) return place
  const params = { ref: text }
  const order = await ask(
    api,
    api.use((client) => client.orders.get({ params }))
  )
  if ("done" in order) return `/orders/${order.done.data.trade_no}`
  const refund = await ask(
    api,
    api.use((client) => client.refunds.get({ params }))
  )
  return "done" in refund ? `/refunds/${refund.done.data.refund_no}` : place
}
