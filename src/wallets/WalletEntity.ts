/** What the owner of a wallet is told. How it posts is `WalletCommands`' business. */
import { Currency } from "@coffer/model/Money"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Effect, Schema } from "effect"
import { ActorUnavailable } from "../platform/cluster/ask.ts"
import { ownerOf } from "../platform/cluster/owner.ts"
import { CommitError } from "../platform/commit/Change.ts"
import { Entry } from "./Entry.ts"
import { WalletCommands } from "./WalletCommands.ts"

export const {
  ask: askWallet,
  layer,
  messages
} = ownerOf({
  name: "Wallets",
  payload: { wallet: Schema.Struct({ merchantId: MerchantId, mode: Mode, currency: Currency }), entry: Entry },
  success: Schema.Void,
  failure: Schema.Union([...CommitError.members, InsufficientBalance, ActorUnavailable]),
  keyOf: ({ wallet }) => walletIdOf(wallet),
  perform: Effect.map(
    WalletCommands,
    ({ post }) =>
      ({ entry, wallet }) =>
        post(wallet, entry)
  )
})
