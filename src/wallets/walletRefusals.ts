/** How the errors of wallets are told to the caller (spec: Errors). */
import * as Wire from "@coffer/contract/Errors"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { told } from "../http/refusals.ts"

export const walletRefusals = {
  InsufficientBalance: told(Wire.InsufficientBalance, ({ usable }: InsufficientBalance) => ({
    message:
      `The available balance does not cover it: ${usable} minor units may be spent. (A refund can take more ` +
      "than its payment brought, since acquiring fees are not given back.)",
    param: "amount"
  }))
}
