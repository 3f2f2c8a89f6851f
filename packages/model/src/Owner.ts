/** Whose data it is: a merchant in one of its two environments. Everything else is as if it were not there. */
import type { MerchantId, Mode } from "./Ids.ts"

export interface Owner {
  readonly merchantId: MerchantId
  readonly mode: Mode
}

/** For what was found by its number, whoever it belongs to. */
export const isOwnedBy =
  (owner: Owner) =>
  (found: Owner): boolean =>
    owner.merchantId === found.merchantId && owner.mode === found.mode
