/** All rows of a merchant's account, table by table, and the names of its files. */
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { jsonText } from "../platform/runtime/codecs.ts"
import { endpointFields, type ShownTable } from "./columns.ts"
import { eventsOf, linesMax, makePage, objectOf, type ReadPage, shownOf } from "./rowPages.ts"

export const merchantPages = (sql: SqlClient.SqlClient, { merchantId, mode }: Account): ReadonlyArray<ReadPage> => {
  const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
  const page = (folder: string, table: ShownTable, key: string, whose: Statement.Fragment = own) =>
    makePage(sql, folder, { key, line: shownOf(sql, table), rows: sql`select * from ${sql(table)} where ${whose}` })
  const events: ReadPage = (after) =>
    Effect.gen(function* () {
      const rows = yield* eventsOf(
        yield* sql`select id, body, packed from events
          where ${own} and id > ${after} order by id limit ${linesMax}::int4`
      )
      return {
        files: [["events", rows.map(({ event }) => jsonText(event))] as const],
        next: rows.length < linesMax ? undefined : rows.at(-1)!.id
      }
    }).pipe(sqlDefects)
  return [
    page("merchant", "merchants", "merchant_id", sql`merchant_id = ${merchantId}`),
    page("settings", "merchant_modes", "mode"),
    makePage(sql, "webhook_endpoints", {
      key: "id",
      line: objectOf(
        sql,
        Object.fromEntries(
          Object.entries(endpointFields).map(([name, field]) => [name, sql`t.endpoint -> ${field}::text`])
        )
      ),
      rows: sql`select endpoint ->> 'id' as id, endpoint
        from webhook_settings, jsonb_array_elements(endpoints) as endpoint
        where ${own}`
    }),
    page("orders", "orders", "trade_no"),
    page("refunds", "refunds", "refund_no", sql`${own} and status <> 'void'`),
    page("disputes", "disputes", "dispute_no"),
    makePage(sql, "evidence", {
      key: "dispute_no",
      line: shownOf(sql, "dispute_evidence"),
      rows: sql`select e.* from disputes d join dispute_evidence e using (dispute_no) where ${own}`
    }),
    page("payouts", "payouts", "payout_no"),
    page("payment_links", "payment_links", "link_id"),
    ...Currency.literals.map((currency) =>
      page("ledger", "ledger", "id", sql`wallet_id = ${`${merchantId}/${mode}/${currency}`}`)
    ),
    events
  ]
}

/** Names of all files of an account, its logos included. */
export const filePages =
  (sql: SqlClient.SqlClient, { merchantId, mode }: Account): ReadPage =>
  (after) =>
    Effect.map(
      sql<{ readonly name: string }>`select name from files
        where merchant_id = ${merchantId} and mode = ${mode} and name > ${after} order by name limit ${linesMax}::int4`,
      (rows) => ({
        files: [],
        uploads: rows.map(({ name }) => name),
        next: rows.length < linesMax ? undefined : rows.at(-1)!.name
      })
    ).pipe(sqlDefects)
