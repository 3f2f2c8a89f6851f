/** The messages to the owner of a wallet. `WalletCommands` posts them. */
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { walletIdOf, WalletName } from "@coffer/rules/wallet/Wallet"
import { Effect, Schema } from "effect"
import { OwnerUnavailable } from "../platform/cluster/ask.ts"
import { ownerOf } from "../platform/cluster/owner.ts"
import { CommitError } from "../platform/commit/Change.ts"
import { EntryMessage, readEntry } from "./Instructions.ts"
import { WalletCommands } from "./WalletCommands.ts"

export const {
  ask: askWallet,
  layer,
  messages
} = ownerOf({
  name: "Wallets",
  payload: Schema.Struct({ wallet: WalletName, entry: EntryMessage }),
  success: Schema.Void,
  failure: Schema.Union([...CommitError.members, InsufficientBalance, OwnerUnavailable]),
  keyOf: ({ wallet }) => walletIdOf(wallet),
  perform: Effect.map(
    WalletCommands,
    ({ post }) =>
      ({ entry, wallet }) =>
        post(wallet, entry)
  ),
  received: readEntry
})
