/** Front door to wallets: post movements, read a balance, list the ledger. */
import { InvalidField } from "@coffer/rules/InvalidField"
import { currencyProblem } from "@coffer/rules/order/termsProblem"
import type { Movement } from "@coffer/rules/wallet/post"
import { type Wallet, walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Context, Effect, Layer, Option } from "effect"
import { ask, type ActorUnavailable } from "../ground/ask.ts"
import type { ChangeSet, CommitError } from "../ground/Change.ts"
import { Merchants } from "../merchants/Merchants.ts"
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
    /** Zeros when the wallet was never used (silences: B4). */
    readonly balance: (wallet: WalletName) => Effect.Effect<Wallet, InvalidField>
    /** Newest first; `startingAfter` is the last id of the page before. */
    readonly ledger: (
      owner: Pick<WalletName, "merchantId" | "mode">,
      startingAfter: string | undefined,
      limit: number
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<StoredLedgerRow>; readonly hasMore: boolean }, InvalidField>
  }
>()("@coffer/wallet/Wallets") {}

export const layer = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const store = yield* WalletStore
    const merchants = yield* Merchants
    const client = yield* WalletEntity.client

    const merchantOf = ({ merchantId }: WalletName) =>
      Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die })

    return Wallets.of({
      post: (wallet, movements, changes) => ask(client(walletIdOf(wallet)).Post({ movements, changes })),
      balance: Effect.fn("Wallets.balance")(function* (name) {
        const merchant = yield* merchantOf(name)
        const problem = currencyProblem(name.currency, { mode: name.mode, liveCurrencies: merchant.live_currencies })
        if (problem !== undefined) return yield* problem
        const wallet = yield* store.find(name)
        if (Option.isSome(wallet)) return wallet.value
        return emptyWallet(name, merchant.created_at)
      }),
      ledger: Effect.fn("Wallets.ledger")(function* ({ merchantId, mode }, startingAfter, limit) {
        if (startingAfter !== undefined && !(yield* store.hasRow({ merchantId, mode }, startingAfter))) {
          return yield* new InvalidField({ param: "starting_after", problem: "is not the id of a balance transaction" })
        }
        // One more than asked tells whether there is another page.
        const rows = yield* store.list({ merchantId, mode, after: startingAfter, limit: limit + 1 })
        return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
      })
    })
  })
)

export type { StoredLedgerRow, WalletName }
