/**
 * Reads Adyen's reports one batch after the other, and compares them with our books. What a report says and no notice
 * has said is stored as that notice (`adyen_reports` and `adyen_movements`, migration 0227).
 */
import { isoText } from "@coffer/model/isoText"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Metric, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { span } from "../../platform/runtime/span.ts"
import { type Books, makeBooks } from "../acquirers/Books.ts"
import { makeComparison } from "../acquirers/compare.ts"
import type { OneAccount } from "./account.ts"
import { AdyenClient } from "./AdyenClient.ts"
import { AdyenNotices } from "./AdyenNotices.ts"
import { adyenChannel } from "./names.ts"
import { fileOf, idOf, type Line, noticesIn, readReport } from "./reports.ts"
import type { AdyenFailure } from "./wire.ts"

/** Whose books these are. */
export const adyensBooks = {
  channel: adyenChannel,
  movements: "adyen_movements",
  // Adyen gives a disputed amount back while the bank decides, and takes it later than it says so.
  isCompared: "once decided"
} as const

const ReportRow = Schema.Struct({
  id: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  /** The batch to read next. */
  batch: Schema.Int,
  /** The first that Adyen announced. */
  announced: Schema.NullOr(Schema.Int),
  compared_until: TimeColumn
})
export type ReportRow = typeof ReportRow.Type

export class AdyenReports extends Context.Service<
  AdyenReports,
  Pick<DueRows<ReportRow>, "nextDue"> & {
    /** Accounts whose reports are to be read; new accounts are among them. */
    readonly leaseDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<ReportRow>>
    /** Reads all reports that are there, and compares. */
    readonly read: (row: ReportRow) => Effect.Effect<void, AdyenFailure>
    /** Adyen says that the report of this batch is there. */
    readonly announced: (account: OneAccount, batch: number) => Effect.Effect<void>
  }
>()("@coffer/adyen/AdyenReports") {}

/** How often is looked for the next report. */
const every = "6 hours"
/** In one round. */
const batchesMax = 60

/** Adyen books days after the fact. Until then the books differ by rights. */
const bookedWithin = { days: 10 }
const missingFrom = { days: 40 }

const found = Metric.counter("coffer_adyen_notices_found_total", {
  description: "Notices that did not arrive and were found in Adyen's reports",
  incremental: true
})
const countFound = (mode: Mode, by = 1) => Metric.update(Metric.withAttributes(found, { mode }), by)

export const layer = Layer.effect(
  AdyenReports,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* NewIds
    const client = yield* AdyenClient
    const notices = yield* AdyenNotices
    const wakeups = yield* Wakeups
    const books: Books = makeBooks(sql, ids, adyensBooks)
    for (const mode of Mode.literals) yield* countFound(mode, 0)
    const rows = leasedRows(
      sql,
      { table: "adyen_reports", key: "id", dueAt: "due_at", only: sql`true`, lease: sql`${every}::text::interval` },
      ReportRow
    )
    const compare = makeComparison(books, {
      title: "Adyen",
      youngest: bookedWithin,
      missingFrom,
      missingTo: bookedWithin,
      // Nothing newer can be read.
      again: () => Effect.void
    })

    const manualAmong = makeManualAmong(sql)
    const beginning = makeBeginning(client)

    const take = Effect.fnUntraced(function* (account: OneAccount, text: string, now: DateTime.Utc) {
      const lines = readReport(text, now)
      const manual = yield* manualAmong(account, lines)
      for (const line of lines) {
        for (const notice of noticesIn(line, manual.has(line.tradeNo))) {
          if (yield* notices.note(account, notice)) yield* countFound(account.mode)
        }
      }
      yield* books.insert(
        account,
        lines.map((line) => ({
          id: `${account.merchantId}/${account.mode}/${idOf(line)}`,
          paymentId: line.paymentId,
          tradeNo: line.tradeNo,
          type: line.type,
          amount: line.amount,
          fee: line.fee,
          currency: line.currency.toLowerCase(),
          exchanged: null,
          createdAt: line.at
        }))
      )
    })

    return AdyenReports.of({
      nextDue: rows.nextDue,
      leaseDue: Effect.fnUntraced(function* (now, limit) {
        const at = sql`${isoText(now)}::text::timestamptz`
        yield* sqlDefects(sql`insert into adyen_reports (id, merchant_id, mode, compared_until, due_at)
          select merchant_id || '/' || mode, merchant_id, mode, ${at}, ${at}
          from merchant_modes where channel_accounts -> ${adyenChannel}::text is not null on conflict do nothing`)
        return yield* rows.leaseDue(now, limit)
      }),
      read: span("AdyenReports.read")(function* (row: ReportRow) {
        const { id, merchant_id: merchantId, mode } = row
        const account = { merchantId, mode }
        const now = yield* currentTime
        const from = yield* beginning(row)
        for (let next = from; next < from + batchesMax; next++) {
          const report = yield* client.report(account, fileOf(next))
          if (Option.isNone(report)) break
          yield* take(account, report.value, now)
          yield* sqlDefects(sql`update adyen_reports set batch = ${next + 1} where id = ${id}`)
        }
        yield* compare(account, now)
        yield* sqlDefects(
          sql`update adyen_reports set compared_until = ${isoText(now)}::text::timestamptz where id = ${id}`
        )
      }),
      announced: Effect.fnUntraced(function* ({ merchantId, mode }: OneAccount, batch: number) {
        const at = sql`${isoText(yield* currentTime)}::text::timestamptz`
        yield* sqlDefects(sql`update adyen_reports set due_at = least(due_at, ${at}),
            announced = coalesce(announced, ${batch}::int4)
          where id = ${`${merchantId}/${mode}`}`)
        wakeups.raise("adyen_accounts")
      })
    })
  })
)

/** The orders of these lines that are captured later. */
const makeManualAmong =
  (sql: SqlClient.SqlClient) =>
  ({ merchantId, mode }: OneAccount, lines: ReadonlyArray<Line>) =>
    Effect.map(
      sqlDefects(sql<{ readonly trade_no: string }>`select trade_no from orders where hold is not null
      and merchant_id = ${merchantId} and mode = ${mode}
      and trade_no = any(${lines.map(({ tradeNo }) => tradeNo)}::text[])`),
      (rows) => new Set(rows.map(({ trade_no }) => trade_no))
    )

/** An account that is older than its place here has no first report: it begins with the first that was announced. */
const makeBeginning = (client: AdyenClient["Service"]) =>
  Effect.fnUntraced(function* ({ announced, batch, merchant_id: merchantId, mode }: ReportRow) {
    if (batch > 1 || announced === null || announced === 1) return batch
    const first = yield* client.report({ merchantId, mode }, fileOf(batch))
    return Option.isSome(first) ? batch : announced
  })

const decodeAge = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ age: Schema.Number })]))

/** Among accounts that take payments. A new one counts from when it was set. */
export const ageOfBooks = (sql: SqlClient.SqlClient, mode: Mode, now: DateTime.Utc) =>
  sqlDefects(
    Effect.map(
      Effect.flatMap(
        sql`select coalesce(extract(epoch from ${isoText(now)}::text::timestamptz - min(compared_until)), 0)::float8
            as age
          from adyen_reports join merchant_modes m using (merchant_id, mode)
          where mode = ${mode} and (m.channel_accounts -> ${adyenChannel}::text ->> 'isActive')::boolean`,
        decodeAge
      ),
      ([{ age }]) => age
    )
  )
