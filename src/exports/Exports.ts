/**
 * Front door to exports: rows of a buyer or of a merchant as files of JSON lines in a tar archive, with the files that
 * were uploaded. It is read page by page while it is sent. A client that reads slowly slows the reading, and one that
 * leaves ends it. Secrets are left out.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { tarEnd, tarEntry } from "@coffer/rules/tar"
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { bodyOf } from "../events/eventBodies.ts"
import { Files } from "../files/Files.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { currentMillis } from "../platform/runtime/clock.ts"
import { jsonText, parseJson } from "../platform/runtime/codecs.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import { unmovedTime } from "../platform/runtime/MerchantClocks.ts"
import { makeCallPages } from "./callPages.ts"

export class Exports extends Context.Service<
  Exports,
  {
    /** Without an account it is of all merchants. */
    readonly ofBuyer: (email: string, account?: Account) => Stream.Stream<Uint8Array>
    readonly ofMerchant: (account: Account) => Stream.Stream<Uint8Array>
  }
>()("@coffer/exports/Exports") {}

/** Lines of a file. A row may have some 120 kB. */
const linesMax = 250

/** Files of one page: by folder, the lines, and names of uploaded files, which are opened one after the other. */
export interface Page {
  readonly files: ReadonlyArray<readonly [folder: string, lines: ReadonlyArray<string>]>
  readonly uploads?: ReadonlyArray<string>
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined
}
export type ReadPage = (after: string) => Effect.Effect<Page>

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
    const files = yield* Files
    const calls = makeCallPages(sql)
    const archive = makeArchive((name) =>
      Effect.flatMap(
        files.open(name),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (content) => Effect.asSome(Effect.map(Stream.runCollect(content), (parts) => Buffer.concat(parts)))
        })
      )
    )
    return Exports.of({
      ofBuyer: (email, account) =>
        archive(
          { buyer: true, ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode }) },
          [buyerPages(sql, email, account), calls.ofBuyer(email, account)]
        ),
      ofMerchant: (account) =>
        archive({ merchant_id: account.merchantId, mode: account.mode }, [
          ...merchantPages(sql, account),
          filePages(sql, account),
          calls.ofAccount(account)
        ])
    })
  })
)

// The archive -------------------------------------------------------------------

interface Listed {
  readonly path: string
  /** A file of lines has them. */
  readonly lines?: number
  readonly sha256: string
}

type Part = { readonly folder: string; readonly lines: ReadonlyArray<string> } | { readonly upload: string }

/** The bytes of an uploaded file: 10 MB at most. None: the storage has lost it. */
type Open = (name: string) => Effect.Effect<Option.Option<Uint8Array>>

/** One read after the other, each page by page, and the manifest at the end. */
const makeArchive =
  (open: Open) =>
  (about: object, reads: ReadonlyArray<ReadPage>): Stream.Stream<Uint8Array> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const made = yield* unmovedTime
        const modifiedAt = (yield* currentMillis) / 1_000
        const listed: Array<Listed> = []
        const missing = new Set<string>()
        const uploads = new Set<string>()
        const counts = new Map<string, number>()
        const entryOf = (path: string, content: Uint8Array, more: Partial<Listed>): Uint8Array => {
          listed.push({ path, ...more, sha256: sha256(content) })
          return tarEntry({ path, content, modifiedAt })
        }
        const bytesOf = Effect.fnUntraced(function* (part: Part) {
          if ("upload" in part) {
            const path = `files/${part.upload}`
            if (uploads.has(path)) return new Uint8Array()
            uploads.add(path)
            const content = yield* open(part.upload)
            if (Option.isSome(content)) return entryOf(path, content.value, {})
            missing.add(path)
            return new Uint8Array()
          }
          const { folder, lines } = part
          const number = (counts.get(folder) ?? 0) + 1
          counts.set(folder, number)
          const content = utf8.encode(lines.map((line) => `${line}\n`).join(""))
          return entryOf(`${folder}/${String(number).padStart(6, "0")}.jsonl`, content, { lines: lines.length })
        })
        const pages = (read: ReadPage) =>
          Stream.paginate("", (after) =>
            Effect.map(read(after), ({ files, next, uploads: names = [] }) => [
              [
                ...files.filter(([, lines]) => lines.length > 0).map(([folder, lines]): Part => ({ folder, lines })),
                ...names.map((upload): Part => ({ upload }))
              ],
              Option.fromUndefinedOr(next)
            ])
          ).pipe(
            Stream.mapEffect(bytesOf),
            Stream.filter(({ length }) => length > 0)
          )
        const manifest = Stream.suspend(() => {
          const text = jsonText({
            ...about,
            made_at: isoText(made),
            files: listed,
            missing_files: [...missing]
          })
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

/** Names of all files of an account, its logos included. */
const filePages =
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

/** Orders of an address, and for each page of them what belongs to them. */
const buyerPages =
  (sql: SqlClient.SqlClient, email: string, account: Account | undefined): ReadPage =>
  (after) =>
    Effect.gen(function* () {
      const whose =
        account === undefined ? sql`true` : sql`merchant_id = ${account.merchantId} and mode = ${account.mode}`
      const orders = yield* decodeRows(
        yield* sql`select trade_no as key, (to_jsonb(o) - ${hidden}::text[])::text as line from orders o
          where lower(receipt_email) = lower(${email}::text) and ${whose} and trade_no > ${after}
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
      const named = yield* sql<{ readonly url: string }>`select distinct file ->> 'url' as url
        from (${evidence}) e, jsonb_array_elements(e.files || coalesce(e.submitting -> 'files', '[]')) as file`
      return {
        uploads: named.map(({ url }) => url.slice(url.lastIndexOf("/") + 1)),
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
