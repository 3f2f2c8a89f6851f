/** Rows of payouts: found one by one or as a page, and written as changes with the version that they replace. */
import { PayoutNo, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Payout, terms } from "@coffer/rules/payout/Payout"
import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../../platform/commit/Change.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"

/** A payout and the version of its row. */
export interface StoredPayout {
  readonly payout: Payout
  readonly version: number
}

export class PayoutStore extends Context.Service<
  PayoutStore,
  {
    readonly load: (payoutNo: string) => Effect.Effect<Option.Option<StoredPayout>>
    readonly byReference: (account: Account, reference: string) => Effect.Effect<Option.Option<StoredPayout>>
    /** Newest first. */
    readonly page: (account: Account, request: PageRequest) => Effect.Effect<Page<Payout>, InvalidField>
  }
>()("@coffer/payouts/PayoutStore") {}

export const payouts = table("payouts", {
  place: 60,
  listed: true,
  of: Payout,
  extra: { version: Schema.Int },
  key: "payoutNo",
  version: "version",
  fixed: Struct.keys(terms),
  number: { field: "reference", among: "reference is not null" }
})

const storedOf = (row: typeof payouts.row.Type): StoredPayout => ({ version: row.version, payout: payouts.read(row) })

/** A new payout as a change. */
export const insertion = (payout: Payout): Change => insert(payouts, payout, { version: 1 })

/** The payout after a decision, replacing the version that was read. */
export const replacement = (before: StoredPayout, after: Payout): Change =>
  update(payouts, before.version, after, { version: before.version + 1 })

export const layer = Layer.effect(
  PayoutStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byNo = SqlSchema.findOneOption({
      Request: PayoutNo,
      Result: payouts.row,
      execute: (payoutNo) => sql`select * from payouts where payout_no = ${payoutNo}`
    })
    // A text that cannot be a number is not looked up: Postgres refuses a text with NUL.
    const load = (payoutNo: string) =>
      isPayoutNo(payoutNo)
        ? sqlDefects(Effect.map(byNo(payoutNo), Option.map(storedOf)))
        : Effect.succeed(Option.none<StoredPayout>())

    const findByReference = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, reference: Schema.String }),
      Result: payouts.row,
      execute: ({ merchantId, mode, reference }) =>
        sql`select * from payouts where merchant_id = ${merchantId} and mode = ${mode} and reference = ${reference}`
    })

    const pages = Pages.make(
      sql,
      {
        table: payouts,
        prefixOf: () => prefixes.payout,
        called: "a payout of this merchant in this environment"
      },
      yield* ListHorizon
    )

    return PayoutStore.of({
      load,
      byReference: ({ merchantId, mode }, reference) =>
        sqlDefects(Effect.map(findByReference({ merchantId, mode, reference }), Option.map(storedOf))),
      page: (account, request) => pages.page(account, request, { path: along({}), filters: [] })
    })
  })
)

const isPayoutNo = Schema.is(PayoutNo)
