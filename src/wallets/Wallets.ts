/** Front door to wallets: post movements, read a balance, list the ledger. */
import type { LedgerQuery } from "@coffer/contract/Balance"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { emptyWallet, type Wallet, type WalletName } from "@coffer/rules/wallet/Wallet"
import { Context, Effect, Layer, Option } from "effect"
import { ask, askAsOwner, type OwnerUnavailable } from "../platform/cluster/ask.ts"
import type { CommitError } from "../platform/commit/Change.ts"
import type { Exported } from "../platform/postgres/Pages.ts"
import { span } from "../platform/runtime/span.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { type Entry, type Instruction, noEntry } from "./WalletCommands.ts"
import { askWallet } from "./WalletEntity.ts"
import { type StoredLedgerRow, WalletStore } from "./WalletStore.ts"

type Post = (
  wallet: WalletName,
  entry: Entry
) => Effect.Effect<void, CommitError | OwnerUnavailable | InsufficientBalance>

export class Wallets extends Context.Service<
  Wallets,
  {
    /** Posts the movements and commits `changes` with them, or does neither. */
    readonly post: Post
    /** The same within another command, whose own caller waits only so long. */
    readonly postAsOwner: Post
    /** Any currency's, also one that is not enabled in live; zeros when the wallet was never used (silences: B4). */
    readonly balance: (wallet: WalletName) => Effect.Effect<Wallet>
    /** Newest first. */
    readonly ledger: (account: Account, query: LedgerQuery) => Effect.Effect<Page<StoredLedgerRow>, InvalidField>
    /** Takes no notice of `limit` and cursors. */
    readonly ledgerExported: (
      account: Account,
      query: LedgerQuery
    ) => Effect.Effect<Exported<StoredLedgerRow>, InvalidField>
  }
>()("@coffer/wallets/Wallets") {}

export const layer = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const store = yield* WalletStore
    const merchants = yield* Merchants
    const tell = yield* askWallet

    const merchantOf = ({ merchantId }: WalletName) =>
      Effect.catchTags(merchants.find(merchantId), { MerchantNotFound: Effect.die })

    const send = ({ currency, merchantId, mode }: WalletName, entry: Entry) =>
      tell({ wallet: { merchantId, mode, currency }, entry })

    return Wallets.of({
      post: (wallet, entry) => ask(send(wallet, entry)),
      postAsOwner: (wallet, entry) => askAsOwner(send(wallet, entry)),
      balance: span("Wallets.balance")(function* (name) {
        const wallet = yield* store.find(name)
        return Option.isSome(wallet) ? wallet.value : emptyWallet(name, (yield* merchantOf(name)).created_at)
      }),
      ledger: span("Wallets.ledger")(function* (account, query) {
        return yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)), query)
      }),
      ledgerExported: span("Wallets.ledgerExported")(function* (account, query) {
        return yield* store.exported(account, yield* Effect.fromResult(readCreated(query)), query)
      })
    })
  })
)

export { noEntry }
export type { Entry, Instruction, StoredLedgerRow, WalletName }
