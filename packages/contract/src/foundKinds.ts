/** What a search finds. A file of its own, so that a merchant's first page loads no list of operators. */

/** The object in which a number was found. */
export const foundKinds = [
  "merchant",
  "order",
  "refund",
  "dispute",
  "payment_link",
  "payout",
  "balance_transaction",
  "event",
  "webhook_delivery",
  "webhook_endpoint",
  "api_log"
] as const
export type FoundKind = (typeof foundKinds)[number]
