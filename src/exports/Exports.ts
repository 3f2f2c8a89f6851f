/**
 * Front door to exports: rows of a buyer or of a merchant as files of JSON lines in a tar archive, which is read page
 * by page while it is sent. A client that reads slowly slows the reading, and one that leaves ends it. Secrets are left
 * out.
 */
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { tarEnd, tarEntry } from "@coffer/rules/tar"
import { Context, DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { bodyOf } from "../events/eventBodies.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { currentMillis } from "../platform/runtime/clock.ts"
import { jsonText, parseJson } from "../platform/runtime/codecs.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import { unmovedTime } from "../platform/runtime/MovedClock.ts"

export class Exports extends Context.Service<
  Exports,
  {
    readonly ofBuyer: (email: string) => Stream.Stream<Uint8Array>
    readonly ofMerchant: (account: Account) => Stream.Stream<Uint8Array>
  }
>()("@coffer/exports/Exports") {}

/** Lines of a file. A row may have some 120 kB. */
const linesMax = 250

/** Files of one page: by folder, the lines. */
interface Page {
  readonly files: ReadonlyArray<readonly [folder: string, lines: ReadonlyArray<string>]>
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined
}
type ReadPage = (after: string) => Effect.Effect<Page>

const Row = Schema.Struct({ key: Schema.String, line: Schema.String })
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const EventRow = Schema.Struct({
  ...Row.fields,
  body: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(EventRow))

export const layer = Layer.effect(
  Exports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Exports.of({
      ofBuyer: (email) => archive({ buyer: true }, [buyerPages(sql, email)]),
      ofMerchant: (account) =>
        archive({ merchant_id: account.merchantId, mode: account.mode }, merchantPages(sql, account))
    })
  })
)

// The archive -------------------------------------------------------------------

interface Listed {
  readonly path: string
  readonly lines: number
  readonly sha256: string
}

/** One read after the other, each page by page, and the manifest at the end. */
const archive = (about: object, reads: ReadonlyArray<ReadPage>): Stream.Stream<Uint8Array> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const made = yield* unmovedTime
      const modifiedAt = (yield* currentMillis) / 1_000
      const listed: Array<Listed> = []
      const counts = new Map<string, number>()
      const entryOf = (folder: string, lines: ReadonlyArray<string>): Uint8Array => {
        const number = (counts.get(folder) ?? 0) + 1
        counts.set(folder, number)
        const text = lines.map((line) => `${line}\n`).join("")
        const path = `${folder}/${String(number).padStart(6, "0")}.jsonl`
        listed.push({ path, lines: lines.length, sha256: sha256(text) })
        return tarEntry({ path, content: utf8.encode(text), modifiedAt })
      }
      const pages = (read: ReadPage) =>
        Stream.paginate("", (after) =>
          Effect.map(read(after), ({ files, next }) => [
            files.filter(([, lines]) => lines.length > 0).map(([folder, lines]) => entryOf(folder, lines)),
            Option.fromUndefinedOr(next)
          ])
        )
      const manifest = Stream.suspend(() => {
        const text = jsonText({ ...about, made_at: DateTime.formatIso(made), files: listed })
        return Stream.make(tarEntry({ path: "manifest.json", content: utf8.encode(text), modifiedAt }), tarEnd)
      })
      return Stream.concat(Stream.flatMap(Stream.fromIterable(reads), pages), manifest)
    })
  )
const utf8 = new TextEncoder()

// Reading ------------------------------------------------------------------------

/** A page of a table's rows, without columns that only the service needs. */
const makePage =
  (sql: SqlClient.SqlClient, folder: string, key: string, from: Statement.Fragment): ReadPage =>
  (after) =>
    Effect.gen(function* () {
      const rows = yield* decodeRows(
        yield* sql`select ${sql(key)} as key, (to_jsonb(t) - ${hidden}::text[])::text as line
          from (${from}) t where ${sql(key)} > ${after} order by ${sql(key)} limit ${linesMax}::int4`
      )
      return {
        files: [[folder, rows.map(({ line }) => line)] as const],
        next: rows.length < linesMax ? undefined : rows.at(-1)!.key
      }
    }).pipe(sqlDefects)

const hidden = [
  "version",
  "key_hash",
  "channel_accounts",
  "signing",
  "secrets",
  "run",
  "request",
  "check_error",
  "unapplied_error"
]

const eventLines = Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
  const events = yield* decodeEvents(rows)
  return events.map((event) => jsonText(Option.getOrNull(parseJson(bodyOf(event)))))
})

const merchantPages = (sql: SqlClient.SqlClient, { merchantId, mode }: Account): ReadonlyArray<ReadPage> => {
  const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
  const events: ReadPage = (after) =>
    Effect.gen(function* () {
      const rows = yield* sql<{ readonly key: string }>`select id as key, '' as line, body, packed from events
        where ${own} and id > ${after} order by id limit ${linesMax}::int4`
      return {
        files: [["events", yield* eventLines(rows)] as const],
        next: rows.length < linesMax ? undefined : rows.at(-1)!.key
      }
    }).pipe(sqlDefects)
  return [
    makePage(sql, "merchant", "merchant_id", sql`select * from merchants where merchant_id = ${merchantId}`),
    makePage(sql, "settings", "mode", sql`select * from merchant_modes where ${own}`),
    makePage(sql, "orders", "trade_no", sql`select * from orders where ${own}`),
    makePage(sql, "refunds", "refund_no", sql`select * from refunds where ${own} and status <> 'void'`),
    makePage(sql, "disputes", "dispute_no", sql`select * from disputes where ${own}`),
    makePage(
      sql,
      "evidence",
      "dispute_no",
      sql`select e.* from disputes d join dispute_evidence e using (dispute_no) where ${own}`
    ),
    makePage(sql, "payouts", "payout_no", sql`select * from payouts where ${own}`),
    makePage(sql, "payment_links", "link_id", sql`select * from payment_links where ${own}`),
    ...Currency.literals.map((currency) =>
      makePage(sql, "ledger", "id", sql`select * from ledger where wallet_id = ${`${merchantId}/${mode}/${currency}`}`)
    ),
    events
  ]
}

/** Orders of an address, and for each page of them what belongs to them. */
const buyerPages =
  (sql: SqlClient.SqlClient, email: string): ReadPage =>
  (after) =>
    Effect.gen(function* () {
      const orders = yield* decodeRows(
        yield* sql`select trade_no as key, (to_jsonb(o) - ${hidden}::text[])::text as line from orders o
          where lower(receipt_email) = lower(${email}::text) and trade_no > ${after}
          order by trade_no limit ${linesMax}::int4`
      )
      const tradeNos = orders.map(({ key }) => key)
      const linesOf = (from: Statement.Fragment) =>
        Effect.map(
          Effect.flatMap(
            sql`select '' as key, (to_jsonb(t) - ${hidden}::text[])::text as line from (${from}) t`,
            decodeRows
          ),
          (rows) => rows.map(({ line }) => line)
        )
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
      return {
        files: [
          ["orders", orders.map(({ line }) => line)] as const,
          ["refunds", yield* linesOf(ofOrders("refunds"))] as const,
          ["disputes", yield* linesOf(ofOrders("disputes"))] as const,
          ["evidence", yield* linesOf(evidence)] as const,
          ["mails", yield* linesOf(sql`select * from mails where trade_no = any(${tradeNos}::text[])`)] as const,
          [
            "events",
            yield* eventLines(yield* sql`select id as key, '' as line, body, packed from (${events}) e`)
          ] as const,
          ["delivery_attempts", yield* linesOf(attempts)] as const
        ],
        next: orders.length < linesMax ? undefined : tradeNos.at(-1)
      }
    }).pipe(sqlDefects)
