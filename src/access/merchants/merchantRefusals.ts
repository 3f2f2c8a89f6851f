/** Errors of merchants as errors on the wire, for the operator (docs/architecture.md, section 7). */
import * as Wire from "@coffer/contract/Errors"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { MerchantNotFound } from "./Merchants.ts"
import type { MakerLeft } from "./stillGives.ts"

export const makerRefusals = {
  MakerLeft: refuseAs(Wire.Forbidden, (_: MakerLeft) => ({
    message: "You may not do this at this merchant any more."
  }))
}

export const merchantRefusals = {
  MerchantNotFound: refuseAs(Wire.MerchantNotFound, ({ merchantId }: MerchantNotFound) => ({
    message: `No merchant ${merchantId}.`
  }))
}
