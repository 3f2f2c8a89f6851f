/** All rows of a merchant's account, table by table, and the names of its files. */
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { merchantModes, merchants } from "@coffer/resources/merchants"
import { paymentLinks } from "@coffer/resources/links"
import { orders } from "@coffer/resources/orders"
import type { Resource } from "@coffer/resources/Resource"
import { disputeEvidence, disputes, refunds } from "@coffer/resources/returns"
import { ledger, payouts } from "@coffer/resources/wallets"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { eventsOf, linesMax, makePage, objectOf, type ReadPage, shownOf } from "./rowPages.ts"

/** Fields of a webhook endpoint, which is a JSON value: their names in the API, and their paths in it. */
export const endpointFields = {
  id: "id",
  url: "url",
  description: "description",
  enabled_events: "types",
  status: "status",
  is_paused: "isPaused",
  disable_when_failing: "disablesWhenFailing",
  created_at: "createdAt",
  updated_at: "updatedAt"
} as const

export const merchantPages = (sql: SqlClient.SqlClient, { merchantId, mode }: Account): ReadonlyArray<ReadPage> => {
  const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
  const page = (folder: string, of: Resource, key: string, whose: Statement.Fragment = own) =>
    makePage(sql, folder, { key, line: shownOf(sql, of), rows: sql`select * from ${sql(of.table)} where ${whose}` })
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
    page("merchant", merchants, "merchant_id", sql`merchant_id = ${merchantId}`),
    page("settings", merchantModes, "mode"),
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
    page("orders", orders, "trade_no"),
    page("refunds", refunds, "refund_no", sql`${own} and status <> 'void'`),
    page("disputes", disputes, "dispute_no"),
    makePage(sql, "evidence", {
      key: "dispute_no",
      line: shownOf(sql, disputeEvidence),
      rows: sql`select e.* from disputes d join dispute_evidence e using (dispute_no) where ${own}`
    }),
    page("payouts", payouts, "payout_no"),
    page("payment_links", paymentLinks, "link_id"),
    ...Currency.literals.map((currency) =>
      page("ledger", ledger, "id", sql`wallet_id = ${`${merchantId}/${mode}/${currency}`}`)
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
