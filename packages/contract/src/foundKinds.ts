/** What a search finds, for operators and merchants. A file of its own, so that a merchant loads no list of operators. */

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
