/** A merchant in one of its two environments. Each request sees the objects of one account alone. */
import type { MerchantId, Mode } from "./Ids.ts"

export interface Account {
  readonly merchantId: MerchantId
  readonly mode: Mode
}

/** Whether an object, found by its number, belongs to the account. */
export const belongsTo = (account: Account, found: Account): boolean =>
  account.merchantId === found.merchantId && account.mode === found.mode
