/** The shop that a buyer pays, and its methods. */
import type { Mode } from "@coffer/model/Ids"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Effect } from "effect"
import type { Merchants } from "../../access/merchants/Merchants.ts"
import { offeredIn, shopOf } from "../../access/merchants/shopOf.ts"
import type { PageContext } from "./frame.ts"

const withoutMerchant: Pick<PageContext, "shop" | "offered"> = { shop: undefined, offered: PaymentMethod.literals }

export const findShop = (
  { find }: Pick<Merchants["Service"], "find">,
  of: { readonly merchantId: string; readonly mode: Mode } | undefined
): Effect.Effect<Pick<PageContext, "shop" | "offered">> =>
  of === undefined
    ? Effect.succeed(withoutMerchant)
    : Effect.match(find(of.merchantId), {
        onFailure: () => withoutMerchant,
        onSuccess: (merchant) => ({ shop: shopOf(merchant), offered: offeredIn(merchant.modes[of.mode]) })
      })
