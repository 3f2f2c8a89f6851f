/** The operators' page of an object, by a search result or by its number. */
import type { FoundResource } from "@coffer/contract/Lookup"
import { ofAccount, ofOrder } from "./operator.tsx"

const within = (found: FoundResource, page: string, filter?: string): string =>
  `${ofAccount(found.merchant_id, found.mode ?? "live")}/${page}${
    filter === undefined ? "" : `?${new URLSearchParams({ [filter]: found.id })}`
  }`

export const pageOfFound = (found: FoundResource): string => {
  switch (found.kind) {
    case "merchant":
      return ofAccount(found.merchant_id, "live")
    case "order":
      return ofOrder(found.merchant_id, found.mode ?? "live", found.id)
    case "payout":
      return `/operator/payouts/${found.id}`
    case "webhook_delivery":
      return `/operator/deliveries/${found.id}`
    case "refund":
      return within(found, "refunds")
    case "dispute":
      return within(found, "disputes")
    case "payment_link":
      return within(found, "links")
    case "balance_transaction":
      return within(found, "ledger")
    case "event":
      return within(found, "events")
    case "webhook_endpoint":
      return within(found, "endpoints")
    case "api_log":
      return within(found, "logs", "request_id")
  }
}

/** The objects that have pages of their own are reached without a search. */
export const placeOf = (text: string): string => {
  if (/^mer_\w{26}$/.test(text)) return ofAccount(text, "live")
  if (/^pyt_\w+$/.test(text)) return `/operator/payouts/${text}`
  if (/^dlv_\w+$/.test(text)) return `/operator/deliveries/${text}`
  return `/operator/search?${new URLSearchParams({ number: text })}`
}
