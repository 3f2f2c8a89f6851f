/** Errors of wallets as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { refuseAs } from "../../shared/http/refusals.ts"

export const walletRefusals = {
  InsufficientBalance: refuseAs(Wire.InsufficientBalance, ({ usable }: InsufficientBalance) => ({
    message:
      `The available balance is too low: ${usable} minor units are available. (A refund can cost more ` +
      "than its payment earned, since acquiring fees are not returned.)",
    param: "amount"
  }))
}
