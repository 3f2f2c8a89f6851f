/** Front door to refunds as lists and exports show them (spec: List conventions; silences: R13). */
import type { RefundQuery } from "@coffer/contract/Refunds"
import { prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import type { Refund } from "@coffer/rules/refund/Refund"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ListHorizon } from "../platform/postgres/ListHorizon.ts"
import * as Pages from "../platform/postgres/Pages.ts"
import { makeOursOf } from "../platform/postgres/ownNumbers.ts"
import { along, equals, type Search } from "../platform/postgres/scans.ts"
import { span } from "../platform/runtime/span.ts"
import { refunds } from "./RefundStore.ts"

export class RefundLists extends Context.Service<
  RefundLists,
  {
    readonly page: (account: Account, query: RefundQuery) => Effect.Effect<Page<Refund>, InvalidField>
    /** Takes no notice of `limit` and cursors. */
    readonly exported: (account: Account, query: RefundQuery) => Effect.Effect<Pages.Exported<Refund>, InvalidField>
  }
>()("@coffer/refunds/RefundLists") {}

/** Which rows merchants see in a state. */
const statuses = { pending: ["pending", "reserved"], succeeded: ["succeeded"], failed: ["failed"] } as const

export const layer = Layer.effect(
  RefundLists,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pages = Pages.make(
      sql,
      {
        table: refunds,
        prefixOf: () => prefixes.refund,
        called: "a refund"
      },
      yield* ListHorizon
    )

    const oursOf = yield* makeOursOf

    const search = Effect.fnUntraced(function* (account: Account, query: RefundQuery): Effect.fn.Return<Search> {
      const { out_refund_no, status } = query
      const orders = query.trade_no === undefined ? undefined : yield* oursOf(account, ["order"], query.trade_no)
      const shown = sql`status <> 'void'`
      const inStatus = status === undefined ? [shown] : [sql`status in ${sql.in(statuses[status])}`]
      // A unique key: there is one or none.
      if (out_refund_no !== undefined) {
        const inOrder = orders === undefined ? [] : [sql.in("trade_no", orders)]
        return { filters: [equals(sql, "out_refund_no", out_refund_no), shown, ...inOrder, ...inStatus] }
      }
      if (orders !== undefined) return { path: along(...orders.map((trade_no) => ({ trade_no }))), filters: inStatus }
      // By status also when all are wanted: refunds that are void, of which an outage makes many, are passed by.
      const wanted = status === undefined ? Object.values(statuses).flat() : statuses[status]
      return { path: along(...wanted.map((one) => ({ status: one }))), filters: [] }
    })

    return RefundLists.of({
      page: span("RefundLists.page")(function* (account, query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        return yield* pages.page(account, request, yield* search(account, query))
      }),
      exported: span("RefundLists.exported")(function* (account, query) {
        const created = yield* Effect.fromResult(readCreated(query))
        return yield* pages.exported(account, created, yield* search(account, query))
      })
    })
  })
)
