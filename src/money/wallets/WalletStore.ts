/** Rows of wallets and of their ledger. A wallet's row is opened by its first entry; the ledger only grows. */
import { prefixes } from "@coffer/model/Ids"
import type { LedgerType } from "@coffer/model/Ledger"
import { Currency } from "@coffer/model/Money"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { CreatedRange } from "@coffer/rules/lists/created"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import {
  emptyWallet,
  type LedgerRow,
  StoredLedgerRow,
  Wallet,
  walletIdOf,
  type WalletName
} from "@coffer/rules/wallet/Wallet"
import { Context, type DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type ChangeSet, insert, update } from "../../platform/commit/Change.ts"
import { rowStatement } from "../../platform/commit/statements.ts"
import { table } from "../../platform/commit/Table.ts"
import { batchedById } from "../../platform/postgres/batched.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { makeOrdersBehind, makeOursOf, type OrderBehind } from "../../platform/postgres/ownNumbers.ts"
import { ownIndex, along, equals, type Search } from "../../platform/postgres/scans.ts"

const wallets = table("wallets", {
  place: 80,
  of: Wallet,
  extra: { walletId: Schema.String },
  key: "walletId",
  version: "version",
  fixed: ["merchantId", "mode", "currency"]
})

/** A ledger row and its order. The order is not part of the row, since what is hashed never changes. */
export interface LedgerEntry extends StoredLedgerRow {
  /** Undefined for a payout. */
  readonly order: OrderBehind | undefined
}

export const ledger = table("ledger", {
  place: 90,
  listed: true,
  of: StoredLedgerRow,
  extra: { walletId: Schema.String },
  key: "id",
  bytes: ["previousHash", "hash"]
})

/** Filters of the ledger; what is left out matches everything. */
export interface LedgerFilters {
  readonly type?: LedgerType
  readonly reference_id?: string
  readonly currency?: Currency
}

export class WalletStore extends Context.Service<
  WalletStore,
  {
    readonly find: (wallet: WalletName) => Effect.Effect<Option.Option<Wallet>>
    /** As {@link find}; opens the wallet with zeros if there is none. */
    readonly open: (wallet: WalletName, now: DateTime.Utc) => Effect.Effect<Wallet>
    /** Ledger rows, newest first. */
    readonly page: (
      account: Account,
      request: PageRequest,
      filters: LedgerFilters
    ) => Effect.Effect<Page<LedgerEntry>, InvalidField>
    readonly exported: (
      account: Account,
      created: CreatedRange,
      filters: LedgerFilters
    ) => Effect.Effect<Pages.Exported<LedgerEntry>>
  }
>()("@coffer/wallets/WalletStore") {}

/** A posting as changes: the wallet's row replaces the one it was computed from. */
export const postingChanges = (before: Wallet, after: Wallet, rows: ReadonlyArray<LedgerRow>): ChangeSet => {
  const { currency, merchantId, mode } = after
  const walletId = walletIdOf(after)
  return [
    update(wallets, before.version, after, { walletId }),
    ...rows.map((row) => insert(ledger, { ...row, merchantId, mode, currency }, { walletId }))
  ]
}

export const layer = Layer.effect(
  WalletStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byId = batchedById(sql, {
      row: wallets.row,
      key: wallets.key,
      select: (ids) => sql`select * from wallets where wallet_id = any(${ids})`
    })
    const find = (name: WalletName) => Effect.map(byId(walletIdOf(name)), Option.map(wallets.read))

    const open = Effect.fnUntraced(function* (name: WalletName, now: DateTime.Utc) {
      const found = yield* find(name)
      if (Option.isSome(found)) return found.value
      const empty = emptyWallet(name, now)
      const { params, text } = rowStatement(insert(wallets, empty, { walletId: walletIdOf(name) }))
      yield* sql.unsafe(text, params)
      return Option.getOrElse(yield* find(name), () => empty)
    })

    const pages = Pages.make(
      sql,
      {
        table: ledger,
        prefixOf: () => prefixes.ledger,
        called: "a balance transaction"
      },
      yield* ListHorizon
    )

    const oursOf = yield* makeOursOf

    const ordersBehind = makeOrdersBehind(sql)
    const withOrders = Effect.fnUntraced(function* (rows: ReadonlyArray<StoredLedgerRow>) {
      const behind = yield* ordersBehind(rows.map(({ referenceId }) => referenceId))
      return rows.map((row): LedgerEntry => ({ ...row, order: behind.get(row.referenceId) }))
    })

    const search = Effect.fnUntraced(function* (
      account: Account,
      { currency, reference_id, type }: LedgerFilters
    ): Effect.fn.Return<Search> {
      const currencies = currency === undefined ? Currency.literals : [currency]
      if (reference_id !== undefined) {
        const filters = Object.entries({ currency, type }).flatMap(([column, value]) =>
          value === undefined ? [] : [equals(sql, column, value)]
        )
        const causes = yield* oursOf(account, ["order", "refund", "dispute", "payout"], reference_id)
        return { path: ownIndex(...causes.map((one) => ({ reference_id: one }))), filters }
      }
      if (type === undefined) {
        const wallets = currencies.map((one) => walletIdOf({ ...account, currency: one }))
        return { path: ownIndex(...wallets.map((wallet_id) => ({ wallet_id }))), filters: [] }
      }
      // The index has the types within each currency.
      return { path: along(...currencies.map((one) => ({ currency: one, type }))), filters: [] }
    })

    return WalletStore.of({
      find,
      open: (name, now) => sqlDefects(open(name, now)),
      page: Effect.fnUntraced(function* (account, request, filters) {
        const page = yield* pages.page(account, request, yield* search(account, filters))
        return { ...page, data: yield* withOrders(page.data) }
      }),
      exported: Effect.fnUntraced(function* (account, created, filters) {
        const file = yield* pages.exported(account, created, yield* search(account, filters))
        return { ...file, chunks: Stream.mapEffect(file.chunks, withOrders) }
      })
    })
  })
)
