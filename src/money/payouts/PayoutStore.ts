/** Rows of payouts: found one by one or as a page, and written as changes with the version that they replace. */
import { PayoutNo, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Payout, terms } from "@coffer/rules/payout/Payout"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"
import { makeObjectChanges, makeObjectRows, type ObjectRows } from "../aggregate/objectRows.ts"

export class PayoutStore extends Context.Service<
  PayoutStore,
  Pick<ObjectRows<Payout>, "load" | "byNumber"> & {
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

export const { insertion, replacement } = makeObjectChanges(payouts, (_, version) => ({ version }))

export const layer = Layer.effect(
  PayoutStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const { byNumber, load } = makeObjectRows(sql, payouts, { isId: isPayoutNo })

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
      // A text that cannot be a number is not looked up: Postgres refuses a text with NUL.
      load: (payoutNo) => (isPayoutNo(payoutNo) ? load(payoutNo) : Effect.succeedNone),
      byNumber,
      page: (account, request) => pages.page(account, request, { path: along({}), filters: [] })
    })
  })
)

const isPayoutNo = Schema.is(PayoutNo)
