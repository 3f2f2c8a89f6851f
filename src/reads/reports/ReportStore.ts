/**
 * Rows of reports that are written as files, and the parts of the files. They are written by plain statements. Each
 * step of a report commits its part and its place together, and only if no other runner has taken the same step.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { MerchantId, Mode, ReportNo, reportPrefix } from "@coffer/model/Ids"
import { reportsBytesMax, reportsKeptMax, reportsPendingMax } from "@coffer/model/Limits"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { firstBeyond, idAfter } from "../../platform/runtime/NewIds.ts"
import { Place, Terms } from "./reportTerms.ts"

export const Report = Schema.Struct({
  report_no: ReportNo,
  merchant_id: MerchantId,
  mode: Mode,
  terms: Terms,
  status: Schema.Literals(["pending", "succeeded", "failed"]),
  failure: Schema.NullOr(Schema.String),
  place: Schema.NullOr(Place),
  steps: Schema.Int,
  rows_done: Schema.Int,
  rows_total: Schema.NullOr(Schema.Int),
  bytes: Schema.Int,
  created_at: TimeColumn,
  finished_at: Schema.NullOr(TimeColumn),
  expires_at: TimeColumn,
  /** Null in reports from before it was stored. */
  requested_by: Schema.NullOr(Schema.String)
})
export type Report = typeof Report.Type

/** The environment has reached its limit of reports. */
export class TooManyReports extends Schema.TaggedError<TooManyReports>()("TooManyReports", {
  reason: Schema.Literals(["pending", "kept", "bytes"])
}) {}

/** The result of a step. */
export interface Written {
  readonly content: Uint8Array
  readonly rows: number
  /** Undefined at the end. */
  readonly place: Place | undefined
}

/** The part of a file that a byte is in. */
export interface Part {
  readonly startsAt: number
  readonly content: Uint8Array
}

export class ReportStore extends Context.Service<
  ReportStore,
  DueRows<Report> & {
    readonly find: (account: Account, reportNo: string) => Effect.Effect<Option.Option<Report>>
    /** Newest first. */
    readonly page: (account: Account, request: PageRequest) => Effect.Effect<Page<Report>, InvalidField>
    /**
     * The report of an earlier identical request, if it still exists; otherwise this new one. Its number is later than
     * those of the account's other reports: they rise in the order of commits, so the list needs no horizon.
     */
    readonly insert: (
      report: Report,
      request: string | null,
      now: DateTime.Utc
    ) => Effect.Effect<Report, TooManyReports>
    /** None if another runner has taken this step, or the report is gone. */
    readonly write: (report: Report, step: Written, now: DateTime.Utc) => Effect.Effect<Option.Option<Report>>
    readonly fail: (report: Report, failure: string, now: DateTime.Utc) => Effect.Effect<void>
    readonly part: (report: Report, byte: number) => Effect.Effect<Option.Option<Part>>
    /** Continues at once, on any runner. */
    readonly release: (report: Report, now: DateTime.Utc) => Effect.Effect<void>
    /** Removes reports whose time is over, and parts before that, at most `limit` in all. */
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/reports/ReportStore") {}

/** A dead worker delays its report by this long. A failed step is retried after it. */
const leaseSeconds = 60

export const layer = Layer.effect(
  ReportStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const faults = yield* Faults
    const writing = <A, E>(write: Effect.Effect<A, E>) => faults.around("Store.write", write, () => "reports")
    const due = leasedRows(
      sql,
      {
        table: "reports",
        key: "report_no",
        dueAt: "due_at",
        error: "error",
        isOwned: true,
        lease: sql`${leaseSeconds} * interval '1 second'`
      },
      Report
    )
    const pages = Pages.make(sql, {
      table: { name: "reports", key: "report_no", row: Report, read: (row) => row },
      prefixOf: () => reportPrefix,
      called: "a report of this merchant in this environment"
    })
    const insert = makeInsert(sql)
    const write = makeWrite(sql)
    const dropExpired = makeDropExpired(sql)

    const part = Effect.fnUntraced(function* ({ report_no }: Report, byte: number) {
      const [found] = yield* decodeParts(
        yield* sql`select starts_at, content from report_parts
          where report_no = ${report_no} and starts_at <= ${byte} order by starts_at desc limit 1`
      )
      return Option.map(Option.fromNullishOr(found), ({ content, starts_at }) => ({ startsAt: starts_at, content }))
    })

    return ReportStore.of({
      ...due,
      find: ({ merchantId, mode }, reportNo) =>
        isReportNo(reportNo)
          ? sqlDefects(
              Effect.flatMap(
                sql`select ${selectCsv(sql)} from reports
                  where report_no = ${reportNo} and merchant_id = ${merchantId} and mode = ${mode}`,
                one
              )
            )
          : Effect.succeedNone,
      page: (account, request) => pages.page(account, request, { path: along({}), filters: [] }),
      insert: (report, request, now) => writing(sqlDefects(sql.withTransaction(insert(report, request, now)))),
      write: (report, step, now) => writing(sqlDefects(write(report, step, now))),
      fail: ({ report_no, steps }, failure, now) =>
        writing(
          sqlDefects(
            Effect.asVoid(sql`update reports set status = 'failed', failure = ${failure}, place = null, due_at = null,
              finished_at = ${time(sql, now)}
              where report_no = ${report_no} and steps = ${steps} and status = 'pending'`)
          )
        ),
      part: (report, byte) => sqlDefects(part(report, byte)),
      release: ({ report_no }, now) =>
        sqlDefects(
          Effect.asVoid(
            sql`update reports set due_at = ${time(sql, now)} where report_no = ${report_no} and status = 'pending'`
          )
        ),
      dropExpired: (now, limit) => writing(sqlDefects(dropExpired(now, limit)))
    })
  })
)

const selectCsv = (sql: SqlClient.SqlClient) => sql.csv(Object.keys(Report.fields).map((column) => sql`${sql(column)}`))
const time = (sql: SqlClient.SqlClient, at: DateTime.Utc) => sql`${isoText(at)}::text::timestamptz`
const one = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeReports(rows), ([report]) => Option.fromNullishOr(report))

/** To be run in a transaction. */
const makeInsert = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (report: Report, request: string | null, now: DateTime.Utc) {
    const { created_at, expires_at, merchant_id, mode, place, rows_total, terms } = report
    // A statement of its own: the next one sees what the lock's last holder has written.
    yield* sql`select pg_advisory_xact_lock(hashtext(${`coffer reports ${merchant_id} ${mode}`}))`
    const ofAccount = sql`merchant_id = ${merchant_id} and mode = ${mode}`
    if (request !== null) {
      const since = time(sql, DateTime.subtract(now, { days: 1 }))
      const made = yield* one(
        yield* sql`select ${selectCsv(sql)} from reports
          where ${ofAccount} and request = ${request} and created_at > ${since}`
      )
      if (Option.isSome(made)) return made.value
    }
    const [held] = yield* decodeHeld(
      yield* sql`select count(*)::int4 as kept, count(*) filter (where status = 'pending')::int4 as pending,
        coalesce(sum(bytes), 0)::bigint as bytes from reports where ${ofAccount}`
    )
    if (held.pending >= reportsPendingMax) return yield* new TooManyReports({ reason: "pending" })
    if (held.kept >= reportsKeptMax) return yield* new TooManyReports({ reason: "kept" })
    if (held.bytes >= reportsBytesMax[mode]) return yield* new TooManyReports({ reason: "bytes" })
    const [last] = yield* sql<{ readonly report_no: string }>`select report_no from reports where ${ofAccount}
      and report_no < ${reportPrefix + firstBeyond(report.report_no)} order by report_no desc limit 1`
    const report_no = ReportNo.make(idAfter(report.report_no, last === undefined ? [] : [last.report_no]))
    yield* sql`insert into reports
        (report_no, merchant_id, mode, terms, request, status, place, rows_total, due_at, created_at, expires_at,
        requested_by)
      values (${report_no}, ${merchant_id}, ${mode}, ${jsonText(terms)}::text::jsonb, ${request}, 'pending',
        ${jsonText(place)}::text::jsonb, ${rows_total}::int4, ${time(sql, created_at)}, ${time(sql, created_at)},
        ${time(sql, expires_at)}, ${report.requested_by})`
    return { ...report, report_no }
  })

/** One statement: the part and the place are there together, or neither is. */
const makeWrite = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    { bytes, report_no, steps }: Report,
    { content, place, rows }: Written,
    now: DateTime.Utc
  ) {
    const ending =
      place === undefined
        ? sql`place = null, status = 'succeeded', due_at = null, finished_at = ${time(sql, now)}`
        : sql`place = ${jsonText(place)}::text::jsonb`
    const part =
      content.length === 0
        ? sql``
        : sql`, part as (insert into report_parts (report_no, starts_at, content)
            select ${report_no}, ${bytes}::bigint, ${content}::bytea from moved)`
    return yield* one(
      yield* sql`with moved as (update reports set ${ending}, steps = steps + 1, rows_done = rows_done + ${rows}::int4,
          bytes = bytes + ${content.length}::int4
          where report_no = ${report_no} and steps = ${steps} and status = 'pending' returning ${selectCsv(sql)})
        ${part} select * from moved`
    )
  })

const makeDropExpired = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (now: DateTime.Utc, limit: number) {
    const expired = sql`expires_at <= ${time(sql, now)}`
    const parts = yield* sql`delete from report_parts p using (
        select p.report_no, p.starts_at from reports r join report_parts p using (report_no)
        where ${expired} limit ${limit}) as gone
      where p.report_no = gone.report_no and p.starts_at = gone.starts_at returning 1`
    if (parts.length === limit) return limit
    // A report that is being written at this moment stays, with its parts, until the next look.
    const reports = yield* sql`delete from reports r where report_no in (
        select report_no from reports where ${expired} limit ${limit} for update skip locked)
      and not exists (select from report_parts p where p.report_no = r.report_no) returning 1`
    return parts.length + reports.length
  })

const isReportNo = Schema.is(ReportNo)
const decodeReports = Schema.decodeUnknownEffect(Schema.Array(Report))
const decodeHeld = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ kept: Schema.Int, pending: Schema.Int, bytes: Schema.Int })])
)
const decodeParts = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ starts_at: Schema.Int, content: Schema.Uint8Array }))
)
