/** The page of an object, by its number, and the target of a search. */

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
 * A number leads to its object, a whole address to the orders of the buyer, `key=value` to the orders with that
 * metadata, and everything else to what a search finds by it.
 */
export const placeOf = (text: string): string => {
  const page = pageOf(text)
  if (page !== undefined) return page
  if (/^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text)) return `/orders?${new URLSearchParams({ receipt_email: text })}`
  const [, key, value] = /^([^=]{1,40})=(.+)$/.exec(text) ?? []
  if (key !== undefined) return `/orders?${new URLSearchParams({ [`metadata[${key}]`]: value! })}`
  return `/search?${new URLSearchParams({ text })}`
}
