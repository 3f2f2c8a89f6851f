/** Fields that nearly all resources have. */
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { field, fixed } from "./listed.ts"
import { shown } from "./Resource.ts"

export const merchantId = field(MerchantId, shown("none"), ["Merchant", "商户", "The merchant that this belongs to."], {
  ...fixed,
  look: "code"
})

export const mode = field(
  Mode,
  shown("none"),
  ["Environment", "环境", "The environment, decided by the API key alone."],
  fixed
)

export const currency = field(
  Currency,
  shown("none"),
  ["Currency", "货币", "ISO 4217 code of the currency of every amount here."],
  fixed
)
