/** Rows of wallets and of their ledger. A wallet's row is opened when its actor first wakes; the ledger only grows. */
import { MerchantId, Mode, prefixes } from "@coffer/model/Ids"
import { LedgerType } from "@coffer/model/Ledger"
import { Currency } from "@coffer/model/Money"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { CreatedRange } from "@coffer/rules/lists/created"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { emptyWallet, type LedgerRow, type Wallet, walletIdOf, type WalletName } from "@coffer/rules/wallet/Wallet"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { type ChangeSet, insert, update } from "../platform/commit/Change.ts"
import { isoText, TimeColumn } from "../platform/runtime/codecs.ts"
import { batchedById } from "../platform/postgres/batchedById.ts"
import * as Pages from "../platform/postgres/Pages.ts"

/** A ledger row as it is listed. */
export const StoredLedgerRow = Schema.Struct({
  id: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  currency: Currency,
  type: LedgerType,
  amount: Schema.Int,
  balance_before: Schema.Int,
  balance_after: Schema.Int,
  reference_id: Schema.String,
  description: Schema.String,
  created_at: TimeColumn
})
export type StoredLedgerRow = typeof StoredLedgerRow.Type

/** Of the ledger; what is left out matches everything. */
export interface LedgerFilters {
  readonly type?: LedgerType
  readonly reference_id?: string
  readonly currency?: Currency
}

export class WalletStore extends Context.Service<
  WalletStore,
  {
    readonly find: (wallet: WalletName) => Effect.Effect<Option.Option<Wallet>>
    /** As {@link find}, opening it with zeros when there is none. */
    readonly open: (wallet: WalletName, now: DateTime.Utc) => Effect.Effect<Wallet>
    /** Ledger rows, newest first. */
    readonly page: (
      owner: Pages.Owner,
      request: PageRequest,
      filters: LedgerFilters
    ) => Effect.Effect<Page<StoredLedgerRow>, InvalidField>
    readonly exported: (
      owner: Pages.Owner,
      created: CreatedRange,
      filters: LedgerFilters
    ) => Effect.Effect<Pages.Exported<StoredLedgerRow>>
  }
>()("@coffer/wallets/WalletStore") {}

/** A posting as changes: the wallet's row replaces the one it was computed from. */
export const posted = (before: Wallet, after: Wallet, rows: ReadonlyArray<LedgerRow>): ChangeSet => [
  update("wallets", rowOf(after), before.version),
  ...rows.map((row) => insert("ledger", ledgerRowOf(after, row)))
]

export const layer = Layer.effect(
  WalletStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byId = batchedById({
      row: WalletRow,
      idOf: ({ wallet_id }) => wallet_id,
      select: (ids) => sql`select * from wallets where wallet_id = any(${ids})`
    })
    const find = (name: WalletName) => Effect.map(byId(walletIdOf(name)), Option.map(walletOf))

    const open = Effect.fnUntraced(function* (name: WalletName, now: DateTime.Utc) {
      const found = yield* find(name)
      if (Option.isSome(found)) return found.value
      const empty = emptyWallet(name, now)
      yield* sql`insert into wallets ${sql.insert({ ...rowOf(empty), updated_at: DateTime.toDateUtc(now) })}
        on conflict do nothing`
      return Option.getOrElse(yield* find(name), () => empty)
    })

    const pages = Pages.make(sql, {
      table: "ledger",
      id: "id",
      prefixOf: () => prefixes.ledger,
      row: StoredLedgerRow,
      idOf: ({ id }) => id,
      called: "a balance transaction"
    })

    const search = ({ currency, reference_id, type }: LedgerFilters): Pages.Search => {
      if (reference_id !== undefined) {
        const filters = Object.entries({ currency, type }).flatMap(([column, value]) =>
          value === undefined ? [] : [Pages.equals(sql, column, value)]
        )
        return Pages.isStorable(reference_id)
          ? { path: Pages.along({ reference_id }), filters }
          : { filters: [sql`false`] }
      }
      if (type === undefined) return { path: Pages.along(currency === undefined ? {} : { currency }), filters: [] }
      // The index has the types within each currency.
      const currencies = currency === undefined ? Currency.literals : [currency]
      return { path: Pages.along(...currencies.map((one) => ({ currency: one, type }))), filters: [] }
    }

    return WalletStore.of({
      find,
      open: (name, now) => sqlDefects(open(name, now)),
      page: (owner, request, filters) => pages.page(owner, request, search(filters)),
      exported: (owner, created, filters) => pages.exported(owner, created, search(filters))
    })
  })
)

const WalletRow = Schema.Struct({
  wallet_id: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  currency: Currency,
  available: Schema.Int,
  frozen: Schema.Int,
  reserved: Schema.Int,
  total_revenue: Schema.Int,
  total_fee: Schema.Int,
  total_payout: Schema.Int,
  total_refund: Schema.Int,
  sequence: Schema.Int,
  head_id: Schema.String,
  head_hash: Schema.String,
  version: Schema.String,
  updated_at: TimeColumn
})

const walletOf = (row: typeof WalletRow.Type): Wallet => ({
  merchantId: row.merchant_id,
  mode: row.mode,
  currency: row.currency,
  available: row.available,
  frozen: row.frozen,
  reserved: row.reserved,
  totalRevenue: row.total_revenue,
  totalFee: row.total_fee,
  totalPayout: row.total_payout,
  totalRefund: row.total_refund,
  sequence: row.sequence,
  headId: row.head_id,
  headHash: row.head_hash,
  version: row.version,
  updatedAt: row.updated_at
})

const rowOf = (wallet: Wallet) => ({
  wallet_id: walletIdOf(wallet),
  sequence: wallet.sequence,
  merchant_id: wallet.merchantId,
  mode: wallet.mode,
  currency: wallet.currency,
  available: wallet.available,
  frozen: wallet.frozen,
  reserved: wallet.reserved,
  total_revenue: wallet.totalRevenue,
  total_fee: wallet.totalFee,
  total_payout: wallet.totalPayout,
  total_refund: wallet.totalRefund,
  head_id: wallet.headId,
  head_hash: wallet.headHash,
  version: wallet.version,
  updated_at: isoText(wallet.updatedAt)
})

const ledgerRowOf = (wallet: Wallet, row: LedgerRow) => ({
  id: row.id,
  wallet_id: walletIdOf(wallet),
  sequence: row.sequence,
  merchant_id: wallet.merchantId,
  mode: wallet.mode,
  currency: wallet.currency,
  type: row.type,
  amount: row.amount,
  balance_before: row.balanceBefore,
  balance_after: row.balanceAfter,
  frozen_after: row.frozenAfter,
  reference_id: row.referenceId,
  description: row.description,
  created_at: isoText(row.createdAt),
  previous_hash: row.previousHash,
  hash: row.hash
})
