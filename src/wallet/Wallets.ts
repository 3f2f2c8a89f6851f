/** Front door to wallets: post movements, read a balance, list the ledger. */
import type { MerchantId } from "@coffer/model/Ids"
import type { Movement } from "@coffer/rules/wallet/post"
import { type Wallet, walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Context, Effect, Layer, Option } from "effect"
import { ask, type ActorUnavailable } from "../ground/ask.ts"
import type { ChangeSet, CommitError } from "../ground/Change.ts"
import { type MerchantNotFound, Merchants } from "../merchants/Merchants.ts"
import { WalletEntity } from "./WalletEntity.ts"
import { emptyWallet, type StoredLedgerRow, type WalletName, WalletStore } from "./WalletStore.ts"

export class Wallets extends Context.Service<
  Wallets,
  {
    /** Posts the movements and commits `changes` with them, or does neither. */
    readonly post: (
      wallet: WalletName,
      movements: ReadonlyArray<Movement>,
      changes: ChangeSet
    ) => Effect.Effect<void, CommitError | ActorUnavailable>
    readonly balance: (wallet: WalletName) => Effect.Effect<Wallet, MerchantNotFound>
    readonly ledger: WalletStore["Service"]["list"]
  }
>()("@coffer/wallet/Wallets") {}

export const layer = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const store = yield* WalletStore
    const merchants = yield* Merchants
    const client = yield* WalletEntity.client

    const createdAt = (merchantId: MerchantId) => Effect.map(merchants.find(merchantId), ({ created_at }) => created_at)

    return Wallets.of({
      post: (wallet, movements, changes) => ask(client(walletIdOf(wallet)).Post({ movements, changes })),
      balance: Effect.fn("Wallets.balance")(function* (name) {
        const wallet = yield* store.find(name)
        if (Option.isSome(wallet)) return wallet.value
        return emptyWallet(name, yield* createdAt(name.merchantId))
      }),
      ledger: store.list
    })
  })
)

export type { StoredLedgerRow, WalletName }
