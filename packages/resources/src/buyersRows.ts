/** What channels keep of a buyer, with the column that has the order's number: an erasure takes it with the order's. */
import { adyenNotices, sandboxPayments } from "./channels.ts"

export const buyersRows = [
  [sandboxPayments, "trade_no"],
  [adyenNotices, "reference"]
] as const
