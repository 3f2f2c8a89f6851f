/** Rows of payouts: found one by one or as a page, and written as changes that carry the version they replace. */
import { MerchantId, Mode, PayoutNo, prefixes } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Payout } from "@coffer/rules/payout/Payout"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { isoText, TimeColumn } from "../platform/runtime/codecs.ts"
import * as Pages from "../platform/postgres/Pages.ts"
import type { RowOf } from "../platform/commit/Tables.ts"

/** A payout and the version of its row. */
export interface StoredPayout {
  readonly payout: Payout
  readonly version: number
}

export class PayoutStore extends Context.Service<
  PayoutStore,
  {
    readonly load: (payoutNo: string) => Effect.Effect<Option.Option<StoredPayout>>
    readonly byReference: (owner: Pages.Owner, reference: string) => Effect.Effect<Option.Option<StoredPayout>>
    /** Newest first. */
    readonly page: (owner: Pages.Owner, request: PageRequest) => Effect.Effect<Page<Payout>, InvalidField>
  }
>()("@coffer/payouts/PayoutStore") {}

/** A new payout as a change. */
export const insertion = (payout: Payout): Change => insert("payouts", rowOf({ payout, version: 1 }))

/** The payout after a decision, replacing the version that was read. */
export const replacement = (before: StoredPayout, after: Payout): Change =>
  update("payouts", rowOf({ payout: after, version: before.version + 1 }), before.version)

export const layer = Layer.effect(
  PayoutStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byNo = SqlSchema.findOneOption({
      Request: PayoutNo,
      Result: PayoutRow,
      execute: (payoutNo) => sql`select * from payouts where payout_no = ${payoutNo}`
    })
    // What cannot be a number is not asked for: Postgres has no text with NUL.
    const load = (payoutNo: string) =>
      isPayoutNo(payoutNo)
        ? sqlDefects(Effect.map(byNo(payoutNo), Option.map(storedOf)))
        : Effect.succeed(Option.none<StoredPayout>())

    const findByReference = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, reference: Schema.String }),
      Result: PayoutRow,
      execute: ({ merchantId, mode, reference }) =>
        sql`select * from payouts where merchant_id = ${merchantId} and mode = ${mode} and reference = ${reference}`
    })

    const pages = Pages.make(sql, {
      table: "payouts",
      id: "payout_no",
      prefixOf: () => prefixes.payout,
      row: PayoutRow,
      idOf: ({ payout_no }) => payout_no,
      called: "a payout of this merchant in this environment"
    })

    return PayoutStore.of({
      load,
      byReference: ({ merchantId, mode }, reference) =>
        sqlDefects(Effect.map(findByReference({ merchantId, mode, reference }), Option.map(storedOf))),
      page: (owner, request) =>
        Effect.map(pages.page(owner, request, { path: Pages.along({}), filters: [] }), ({ data, hasMore }) => ({
          data: data.map(payoutOf),
          hasMore
        }))
    })
  })
)

const isPayoutNo = Schema.is(PayoutNo)

const PayoutRow = Schema.Struct({
  payout_no: PayoutNo,
  version: Schema.Int,
  merchant_id: MerchantId,
  mode: Mode,
  currency: Currency,
  amount: Minor,
  fee: Minor,
  status: Schema.Literals([...Payout.discriminants]),
  reference: Schema.NullOr(Schema.String),
  created_at: TimeColumn,
  updated_at: TimeColumn
})

const storedOf = (row: typeof PayoutRow.Type): StoredPayout => ({ version: row.version, payout: payoutOf(row) })

const payoutOf = (row: typeof PayoutRow.Type): Payout => ({
  status: row.status,
  payoutNo: row.payout_no,
  merchantId: row.merchant_id,
  mode: row.mode,
  currency: row.currency,
  amount: row.amount,
  fee: row.fee,
  reference: row.reference,
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

const rowOf = ({ payout, version }: StoredPayout): RowOf<"payouts"> => ({
  payout_no: payout.payoutNo,
  version,
  merchant_id: payout.merchantId,
  mode: payout.mode,
  currency: payout.currency,
  amount: payout.amount,
  fee: payout.fee,
  status: payout.status,
  reference: payout.reference,
  created_at: isoText(payout.createdAt),
  updated_at: isoText(payout.updatedAt)
})
