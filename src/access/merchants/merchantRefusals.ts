/** Errors of merchants as errors on the wire, for the operator (docs/architecture.md, section 7). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { MerchantNotFound } from "./Merchants.ts"

export const merchantRefusals = {
  MerchantNotFound: refuseAs(Wire.MerchantNotFound, ({ merchantId }: MerchantNotFound) => ({
    message: `No merchant ${merchantId}.`
  }))
}
