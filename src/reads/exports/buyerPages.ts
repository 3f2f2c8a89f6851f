/**
 * Pages of a buyer's data: the buyer's orders with all their rows, and of orders that only name the buyer the texts
 * that do. The data is found as an erasure finds it, and contains nothing that the erasure of another buyer would
 * remove.
 */
import type { Account } from "@coffer/model/Account"
import { paymentLinks } from "@coffer/resources/links"
import { mails, orders } from "@coffer/resources/orders"
import type { Resource } from "@coffer/resources/Resource"
import { disputeEvidence, disputes, refunds } from "@coffer/resources/returns"
import { deliveryAttempts } from "@coffer/resources/webhooks"
import { type Archivist, makeArchivist } from "@coffer/rules/erasure"
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { makeBuyerRows } from "../erasures/buyerRows.ts"
import { belonging, type KindName, shownRows } from "../erasures/buyerWords.ts"
import { isOwnOf, makeOrderRows } from "../erasures/orderRows.ts"
import { searchedIn } from "../erasures/searchedIn.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { decodeRows, eventsOf, linesMax, objectOf, type Page, type ReadPage, shownOf } from "./rowPages.ts"

/** Where orders are looked for, one after the other: by their address, and in the words of each table. */
const sources = ["address", "orders", ...belonging, "links"] as const
type Source = (typeof sources)[number]

export const makeBuyerPages = (sql: SqlClient.SqlClient) => {
  const rows = makeBuyerRows(sql)
  const reads = makeOrderRows(sql)
  const lines = makeLines(sql)

  /** `own`: gets the numbers of the buyer's orders. */
  return (email: string, account: Account | undefined, own: Set<string>): ReadPage => {
    const shown = new Set<string>()
    const archivist = makeArchivist(email, (number) => own.has(number))
    const isOwn = isOwnOf(email)

    const found = Effect.fnUntraced(function* (source: Exclude<Source, "links">, after: string) {
      const options = { account, email, until: yield* unmovedTime, after, limit: linesMax }
      if (source !== "address") return yield* rows.byWords(source as KindName, { ...options, limit: lookedAtMax }, true)
      const tradeNos = yield* rows.byAddress(options)
      return { tradeNos, last: tradeNos.length < linesMax ? undefined : tradeNos.at(-1) }
    })

    return (place) =>
      Effect.gen(function* () {
        const [source, after = ""] = (place || "address/").split("/") as [Source, string?]
        if (source === "links") return yield* linkPage(sql, { email, account, archivist, after })
        const { last, tradeNos } = yield* found(source, after)
        const fresh = tradeNos.filter((tradeNo) => !shown.has(tradeNo))
        for (const tradeNo of fresh) shown.add(tradeNo)
        const orders = yield* reads.orders(fresh, sql``)
        const mine = orders.filter(isOwn).map(({ trade_no }) => trade_no)
        for (const tradeNo of mine) own.add(tradeNo)
        const others = fresh.filter((tradeNo) => !own.has(tradeNo))
        const ofOwn = yield* lines(mine, (value) => archivist.answer(value, true))
        // An order of another buyer shows only the texts that name this one.
        const address = wholeAddress(email)
        const ofOthers = yield* lines(others, (value, folder) =>
          folder === "orders" || address.isIn(jsonText(value)) ? archivist.answer(value, false) : undefined
        )
        const next = last === undefined ? sources[sources.indexOf(source) + 1] : `${source}/${last}`
        return { uploads: ofOwn.uploads, files: [...ofOwn.files, ...ofOthers.files], next }
      }).pipe(sqlDefects)
  }
}

const lookedAtMax = 1_000

/** Lines of orders and of the rows that belong to them. `shown`: undefined if the row is not shown. */
const makeLines = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>, shown: (value: unknown, folder: string) => unknown) {
    if (tradeNos.length === 0) return { files: [], uploads: [] }
    const shownIn = (folder: string, values: ReadonlyArray<unknown>) =>
      [
        folder,
        values.flatMap((value) => {
          const line = shown(value, folder)
          return line === undefined ? [] : [jsonText(line)]
        })
      ] as const
    const linesOf = Effect.fnUntraced(function* (folder: string, line: Statement.Fragment, from: Statement.Fragment) {
      const found = yield* decodeRows(yield* sql`select '' as key, ${line}::text as line from (${from}) t`)
      return shownIn(
        folder,
        found.map((row) => Option.getOrNull(parseJson(row.line)))
      )
    })
    const page = (folder: string, of: Resource, from: Statement.Fragment) => linesOf(folder, shownOf(sql, of), from)

    const ofOrders = (table: string) =>
      sql`select t.* from orders o join ${sql(table)} t
        on (t.merchant_id, t.mode, t.trade_no) = (o.merchant_id, o.mode, o.trade_no)
        where o.trade_no = any(${tradeNos}::text[])`
    const evidence = sql`select e.* from (${ofOrders("disputes")}) d join dispute_evidence e using (dispute_no)`
    const objects = sql`select trade_no as no from orders where trade_no = any(${tradeNos}::text[])
      union all select refund_no from (${ofOrders("refunds")}) r
      union all select dispute_no from (${ofOrders("disputes")}) d`
    const events = sql`select e.* from events e join (${objects}) as objects on e.object_id = objects.no`
    const attempts = sql`select d.event_id, d.url, a.* from (${events}) e join deliveries d
      on (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id)
      join delivery_attempts a on a.delivery_id = d.id`
    const sent = objectOf(sql, { event_id: sql`t.event_id`, url: sql`t.url` })
    const attemptLine = sql`${sent} || ${shownOf(sql, deliveryAttempts)}`
    const named = yield* sql<{ readonly url: string }>`select distinct file ->> 'url' as url
      from (${evidence}) e, jsonb_array_elements(e.files || coalesce(e.submitting -> 'files', '[]')) as file`
    const bodies = yield* eventsOf(yield* sql`select e.id, e.body, e.packed from (${events}) e`)
    const files: Page["files"] = [
      yield* page("orders", orders, sql`select * from orders where trade_no = any(${tradeNos}::text[])`),
      yield* page("refunds", refunds, sql`${ofOrders("refunds")} and ${sql.literal(shownRows("refunds"))}`),
      yield* page("disputes", disputes, ofOrders("disputes")),
      yield* page("evidence", disputeEvidence, evidence),
      yield* page("mails", mails, sql`select * from mails where trade_no = any(${tradeNos}::text[])`),
      shownIn(
        "events",
        bodies.map(({ event }) => event)
      ),
      yield* linesOf("delivery_attempts", attemptLine, attempts)
    ]
    return { files, uploads: named.map(({ url }) => url.slice(url.lastIndexOf("/") + 1)) }
  })

/** Links whose own texts name the buyer. */
const linkPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  {
    account,
    after,
    archivist,
    email
  }: {
    readonly email: string
    readonly account: Account | undefined
    readonly archivist: Archivist
    readonly after: string
  }
) {
  const whose = account === undefined ? sql`true` : sql`merchant_id = ${account.merchantId} and mode = ${account.mode}`
  const found = yield* decodeRows(
    yield* sql`select link_id as key, case when ${searchedIn(sql, paymentLinks).mayHold}
        then ${shownOf(sql, paymentLinks)}::text else '' end as line
      from payment_links t where ${whose} and link_id > ${after} order by link_id limit ${lookedAtMax}::int4`
  )
  const address = wholeAddress(email)
  const links = found.flatMap(({ line }) => {
    if (!address.isIn(line)) return []
    const isOwn = !address.isBesideOthers(line)
    return [jsonText(archivist.answer(Option.getOrNull(parseJson(line)), isOwn))]
  })
  const page: Page = {
    files: [["payment_links", links]],
    next: found.length < lookedAtMax ? undefined : `links/${found.at(-1)!.key}`
  }
  return page
})
