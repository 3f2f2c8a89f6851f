/** Errors of merchants as errors on the wire, for the operator (docs/architecture.md, section 7). */
import * as Wire from "@coffer/contract/Errors"
import { oldKeySecretsMax } from "@coffer/model/Limits"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { TooManyOldSecrets } from "./keySecrets.ts"
import type { MerchantNotFound } from "./Merchants.ts"
import type { MakerLeft } from "./stillGives.ts"

export const makerRefusals = {
  MakerLeft: refuseAs(Wire.Forbidden, (_: MakerLeft) => ({
    message: "You may not do this at this merchant any more."
  }))
}

export const keySecretRefusals = {
  TooManyOldSecrets: refuseAs(Wire.Conflict, (_: TooManyOldSecrets) => ({
    message: `${oldKeySecretsMax} old secrets of this key still work. End them first, or roll it without an overlap.`
  }))
}

export const merchantRefusals = {
  MerchantNotFound: refuseAs(Wire.MerchantNotFound, ({ merchantId }: MerchantNotFound) => ({
    message: `No merchant ${merchantId}.`
  }))
}
