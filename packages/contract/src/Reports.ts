/** Reports for bookkeeping (docs/reports.md), ours: short ones are answered at once, long ones written as files. */
import type { Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { reportLinesAtOnceMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, RangeNotSatisfiable, ReportNotFound, Unavailable } from "./Errors.ts"
import { instant, int, kind, merchantId, mode, orNull, text, withExample } from "./fields.ts"
import { ListQuery, requester } from "./Lists.ts"
import {
  day,
  described,
  FeeLine,
  feeSample,
  FrozenLine,
  frozenSample,
  type ReportLine,
  StatementLine,
  statementSample
} from "./ReportLines.ts"
import { sampleIds } from "./sampleIds.ts"

export const ReportKind = Schema.Literals(["statement", "transactions", "fees", "payout", "frozen"])
export type ReportKind = typeof ReportKind.Type

export const ReportInterval = Schema.Literals(["day", "month", "range"])
export type ReportInterval = typeof ReportInterval.Type

export const ReportFormat = Schema.Literals(["csv", "jsonl", "hledger", "beancount"])
export type ReportFormat = typeof ReportFormat.Type

/** Reports of movements, of which there are journals. */
export const journaled: ReadonlyArray<ReportKind> = ["statement", "transactions", "payout"]

// Reports at once ----------------------------------------------------------------

const answered = (name: string, identifier: string, line: Schema.Top, sample: ReportLine) => {
  const report = Schema.Struct({
    object: kind(name),
    merchant_id: merchantId,
    mode,
    ...described,
    lines: Schema.Array(line).annotate({ description: "The lines, by currency and then by time." })
  }).annotate({ identifier, description: "A report and its lines." })
  return withExample(report as Schema.Top as Schema.Codec<AnsweredReport>, {
    object: name,
    merchant_id: sampleIds.merchant,
    mode: "sandbox",
    time_zone: "Europe/Berlin",
    as_of: "2026-11-21T23:00:00.000Z",
    complete: true,
    lines: [sample]
  })
}

export interface AnsweredReport {
  readonly object: string
  readonly merchant_id: string
  readonly mode: Mode
  readonly time_zone: string
  readonly as_of: string
  readonly complete: boolean
  readonly lines: ReadonlyArray<ReportLine>
}

const StatementReport = answered("statement", "StatementReport", StatementLine, statementSample)
const FeesReport = answered("fees_report", "FeesReport", FeeLine, feeSample)
const PayoutReport = answered("payout_report", "PayoutReport", StatementLine, statementSample)
const FrozenReport = answered("frozen_report", "FrozenReport", FrozenLine, frozenSample)

const formats =
  "`csv`; `jsonl`, one JSON object on each line; or a journal for `hledger` or `beancount`, of `statement`, " +
  "`transactions` and `payout`."

export const ReportResource = withExample(
  Schema.Struct({
    object: kind("report"),
    report_no: text("Number of the report; begins with `rpt_`."),
    merchant_id: merchantId,
    mode,
    report: ReportKind.annotate({ description: "The kind of report." }),
    format: ReportFormat.annotate({ description: formats }),
    from: day("The first day that it covers"),
    to: day("Its last day"),
    currency: orNull(Currency, "The only currency in it; null: all."),
    status: Schema.Literals(["pending", "succeeded", "failed"]).annotate({
      description: "`pending` while the file is being written. Only a report that `succeeded` has a file."
    }),
    failure_reason: orNull(Schema.String, "Why there is no file; null unless it failed."),
    ...described,
    rows_done: int("Ledger rows read so far."),
    rows_total: orNull(Schema.Int, "How many there are to read; null if it is not known in advance."),
    bytes: int("Size of the file so far."),
    created_at: instant("When it was made."),
    finished_at: orNull(Schema.String.annotate({ format: "date-time" }), "When the file was complete; null before."),
    expires_at: instant("When the report and its file are deleted."),
    requested_by: orNull(Schema.String, `${requester} Null if that was not recorded.`)
  }).annotate({ identifier: "Report", description: "A report that is written to a file, and its progress." }),
  {
    object: "report",
    report_no: sampleIds.report,
    merchant_id: sampleIds.merchant,
    mode: "live",
    report: "transactions",
    format: "csv",
    from: "2026-10-01",
    to: "2026-10-31",
    currency: null,
    status: "pending",
    failure_reason: null,
    time_zone: "Europe/Berlin",
    as_of: "2026-10-31T23:00:00.000Z",
    complete: true,
    rows_done: 250_000,
    rows_total: 1_204_311,
    bytes: 61_250_113,
    created_at: "2026-11-21T09:31:12.502Z",
    finished_at: null,
    expires_at: "2026-11-28T09:31:12.502Z",
    requested_by: "ada@shop.example"
  }
)
export type ReportResource = typeof ReportResource.Encoded

const about = {
  from: "The first day, as `YYYY-MM-DD`. For `statement`, `fees`, and `transactions` without a `payout_no`.",
  to: "The last day, inclusive. Default: the first.",
  interval: "`day` closes a statement each day, `month` each month, `range` only at the end. Default: `day`.",
  currency: "Only the wallet of this currency. Default: all wallets.",
  timeZone: "Time zone, such as `Europe/Berlin`. Default: the one in your settings, initially UTC.",
  payoutNo: "Number of the payout. For `payout`, and for `transactions` instead of days.",
  at: "The moment, as ISO 8601 or Unix time in seconds. Default: now. For `frozen`."
} as const

export const CreateReport = withoutNulls(
  withExample(
    Schema.Struct({
      report: ReportKind.annotate({ description: "The kind of report." }),
      format: optional(ReportFormat, `${formats} Default: \`csv\`.`),
      from: optional(Schema.String.check(Schema.isMaxLength(10)), about.from),
      to: optional(Schema.String.check(Schema.isMaxLength(10)), about.to),
      interval: optional(ReportInterval, about.interval),
      currency: optional(Currency, about.currency),
      time_zone: optional(Schema.String.check(Schema.isMaxLength(64)), about.timeZone),
      payout_no: optional(Schema.String.check(Schema.isMaxLength(64)), about.payoutNo),
      at: optional(Schema.String.check(Schema.isMaxLength(64)), about.at)
    }).annotate({ identifier: "CreateReport", description: "The content of the file." }),
    { report: "transactions", from: "2026-10-01", to: "2026-10-31", time_zone: "Europe/Berlin" }
  )
)
export type CreateReport = typeof CreateReport.Type

const filter = (description: string) => Schema.optionalKey(text(description))
const format = Schema.optionalKey(Schema.Literals(["csv"]).annotate({ description: "`csv` answers a file." }))
const journals = Schema.optionalKey(
  Schema.Literals(["csv", "hledger", "beancount"]).annotate({
    description: "`csv` answers a file, `hledger` and `beancount` a journal for that program (`text/plain`)."
  })
)
const wallet = Schema.optionalKey(Currency.annotate({ description: about.currency }))

const RangeQuery = {
  from: text("The first day, as `YYYY-MM-DD`."),
  to: filter(about.to),
  currency: wallet,
  time_zone: filter(about.timeZone),
  format
}
const csv = HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })
const params = { report_no: text("Number of the report.") }
const isShort =
  `At most ${reportLinesAtOnceMax} movements; for more, create a file with POST /v1/reports. ` +
  "`format=csv` answers CSV."

export class ReportsGroup extends HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("create", "/v1/reports", {
      payload: CreateReport,
      success: enveloped(ReportResource).pipe(HttpApiSchema.status(202)),
      error: [InvalidRequest, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a report as a file",
        description:
          "For reports of any length. The file is written after the answer: poll the report until its `status` is " +
          "`succeeded`, then read its file. It has no limit of rows. 409: too many are being written or kept."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("statement", "/v1/reports/statement", {
      query: {
        ...RangeQuery,
        interval: Schema.optionalKey(ReportInterval.annotate({ description: about.interval })),
        format: journals
      },
      success: [enveloped(StatementReport), csv],
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the statement of a day or of up to 31 days",
        description:
          "For each wallet and day: the opening balance, the total of the movements of each type, and the closing " +
          `balance, with the head of the wallet's chain at that moment. ${isShort}`
      })
    ),
    HttpApiEndpoint.get("fees", "/v1/reports/fees", {
      query: RangeQuery,
      success: [enveloped(FeesReport), csv],
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the fees by payment method",
        description: `The fees of payments, lost disputes and payouts in these days. ${isShort}`
      })
    ),
    HttpApiEndpoint.get("payout", "/v1/reports/payout", {
      query: { payout_no: text(about.payoutNo), time_zone: filter(about.timeZone), format: journals },
      success: [enveloped(PayoutReport), csv],
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read what makes up a payout",
        description:
          "The statement of its wallet from the previous payout to this one: what was left then, the movements " +
          `since, the payout, and what it left. ${isShort}`
      })
    ),
    HttpApiEndpoint.get("frozen", "/v1/reports/frozen", {
      query: { at: filter(about.at), currency: wallet, time_zone: filter(about.timeZone), format },
      success: [enveloped(FrozenReport), csv],
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read open disputes and frozen money at a moment",
        description: `Everything that held money, other open disputes, and the frozen balance. ${isShort}`
      })
    ),
    HttpApiEndpoint.get("list", "/v1/reports", {
      query: Schema.Struct(ListQuery),
      success: listed(ReportResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List reports written to files, newest first",
        description: "Those that are being written, and those of the last seven days, for which they are kept."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/reports/:report_no", {
      params,
      success: enveloped(ReportResource),
      error: ReportNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Retrieve a report",
        description: "With the progress of its file. A report and its file are deleted seven days after it was created."
      })
    ),
    HttpApiEndpoint.get("file", "/v1/reports/:report_no/file", {
      params,
      success: csv,
      error: [RangeNotSatisfiable, ReportNotFound, Conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the file of a report",
        description:
          "CSV, one JSON object per line (`application/x-ndjson`), or a journal (`text/plain`). Resume an " +
          "interrupted download with `Range: bytes=N-`, which returns 206. 409: the file is not complete. " +
          "416: the range is beyond its end."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Statements, fees, payouts and frozen money, for bookkeeping.") {}
