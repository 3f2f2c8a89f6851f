/**
 * Front door to disputes as lists and exports show them, and the SQL of their filters (spec: Endpoints, Disputes; List
 * conventions). Decides nothing and writes nothing.
 */
import type { DisputeQuery } from "@coffer/contract/Disputes"
import { prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { Dispute } from "@coffer/rules/dispute/Dispute"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ListHorizon } from "../platform/postgres/ListHorizon.ts"
import * as Pages from "../platform/postgres/Pages.ts"
import { makeOursOf } from "../platform/postgres/ownNumbers.ts"
import { along, type Search } from "../platform/postgres/scans.ts"
import { span } from "../platform/runtime/span.ts"
import { disputes } from "./DisputeStore.ts"

export class DisputeLists extends Context.Service<
  DisputeLists,
  {
    readonly page: (account: Account, query: DisputeQuery) => Effect.Effect<Page<Dispute>, InvalidField>
    /** Takes no notice of `limit` and cursors. */
    readonly exported: (account: Account, query: DisputeQuery) => Effect.Effect<Pages.Exported<Dispute>, InvalidField>
  }
>()("@coffer/disputes/DisputeLists") {}

export const layer = Layer.effect(
  DisputeLists,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pages = Pages.make(
      sql,
      {
        table: disputes,
        prefixOf: () => prefixes.dispute,
        called: "a dispute"
      },
      yield* ListHorizon
    )

    const oursOf = yield* makeOursOf

    const search = Effect.fnUntraced(function* (
      account: Account,
      { status, trade_no }: DisputeQuery
    ): Effect.fn.Return<Search> {
      if (trade_no !== undefined) {
        const orders = yield* oursOf(account, ["order"], trade_no)
        // An order has few disputes.
        const filters = status === undefined ? [] : [sql`status = ${status}`]
        return { path: along(...orders.map((one) => ({ trade_no: one }))), filters }
      }
      return { path: along(status === undefined ? {} : { status }), filters: [] }
    })

    return DisputeLists.of({
      page: span("DisputeLists.page")(function* (account, query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        return yield* pages.page(account, request, yield* search(account, query))
      }),
      exported: span("DisputeLists.exported")(function* (account, query) {
        const created = yield* Effect.fromResult(readCreated(query))
        return yield* pages.exported(account, created, yield* search(account, query))
      })
    })
  })
)
