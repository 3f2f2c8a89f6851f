/** Errors of wallets as errors on the wire (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { refuseAs } from "../../shared/http/refusals.ts"

export const walletRefusals = {
  InsufficientBalance: refuseAs(Wire.InsufficientBalance, ({ usable }: InsufficientBalance) => ({
    message:
      `The available balance does not cover it: ${usable} minor units may be spent. (A refund can take more ` +
      "than its payment brought, since acquiring fees are not given back.)",
    param: "amount"
  }))
}
