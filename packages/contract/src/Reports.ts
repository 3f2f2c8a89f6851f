/** Reports for bookkeeping (docs/reports.md), ours: short ones are answered at once, long ones written as files. */
import type { Mode } from "@coffer/model/Ids"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Currency } from "@coffer/model/Money"
import { LedgerType } from "@coffer/model/Ledger"
import { reportLinesAtOnceMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { orderBehind } from "./Balance.ts"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, RangeNotSatisfiable, ReportNotFound, Unavailable } from "./Errors.ts"
import { currency, instant, int, kind, merchantId, minor, mode, orNull, text, withExample } from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

export const ReportKind = Schema.Literals(["statement", "transactions", "fees", "payout", "frozen"])
export type ReportKind = typeof ReportKind.Type

export const ReportInterval = Schema.Literals(["day", "month", "range"])
export type ReportInterval = typeof ReportInterval.Type

export const ReportFormat = Schema.Literals(["csv", "jsonl"])
export type ReportFormat = typeof ReportFormat.Type

const day = (description: string) => text(`${description}, as \`YYYY-MM-DD\` in the report's time zone.`)

// Lines --------------------------------------------------------------------------

const statementSample = {
  object: "statement_line",
  currency: "USD",
  from: "2026-11-21",
  to: "2026-11-21",
  line: "payment_credit",
  count: 1,
  amount: 1999,
  available: 1999,
  frozen: 0,
  sequence: null,
  hash: null
} as const

export const StatementLine = withExample(
  Schema.Struct({
    object: kind("statement_line"),
    currency,
    from: day("The first day that the line covers"),
    to: day("Its last day"),
    line: Schema.Literals(["opening", ...LedgerType.literals, "closing"]).annotate({
      description: "`opening` and `closing` are balances. Each other line is the total of the movements of one type."
    }),
    count: int("Movements of the type; 0 for a balance."),
    amount: minor("The sum of the movements as the ledger shows them; 0 for a balance"),
    available: minor("The available balance, or its change by the movements"),
    frozen: minor("The frozen balance, or its change by the movements"),
    sequence: orNull(
      Schema.Int,
      "The place of the wallet's newest movement, 0 before the first; null if the line is not a balance."
    ),
    hash: orNull(
      Schema.String,
      "The hash of that movement, in hex: the head of the chain; null if the line is not a balance."
    )
  }).annotate({ identifier: "StatementLine", description: "One line of a wallet's statement." }),
  statementSample
)
export type StatementLine = typeof StatementLine.Encoded

export const TransactionLine = withExample(
  Schema.Struct({
    object: kind("transaction_line"),
    id: text("Number of the movement, as the ledger lists it."),
    sequence: int("Its place in the wallet."),
    type: LedgerType.annotate({ description: "The kind of movement." }),
    currency,
    amount: minor("The movement, negative when money leaves"),
    available: minor("Available balance after"),
    frozen: minor("Frozen balance after"),
    reference_id: text("Number of the order, refund, dispute or payout that caused it."),
    description: text("For people to read; do not parse it."),
    date: day("When it was booked"),
    created_at: instant("The same moment in UTC."),
    hash: text("The hash of the movement in the wallet's chain, in hex."),
    ...orderBehind
  }).annotate({ identifier: "TransactionLine", description: "One movement of a wallet." }),
  {
    object: "transaction_line",
    id: sampleIds.ledger,
    sequence: 1,
    type: "payment_credit",
    currency: "USD",
    amount: 1999,
    available: 1999,
    frozen: 0,
    reference_id: sampleIds.order,
    description: "Payment of the order",
    date: "2026-11-21",
    created_at: "2026-11-21T09:31:12.502Z",
    hash: "2b4c3b01a441bd7260f0a06e94c7c1301e0f2d4fc02148f04fb4c4e3b15c8dd7",
    trade_no: sampleIds.order,
    out_trade_no: "cart-4711"
  }
)
export type TransactionLine = typeof TransactionLine.Encoded

const feeSample = {
  object: "fee_line",
  currency: "USD",
  source: "payment",
  payment_method: "card",
  count: 1,
  volume: 1999,
  fee: 88
} as const

export const FeeLine = withExample(
  Schema.Struct({
    object: kind("fee_line"),
    currency,
    source: Schema.Literals(["payment", "dispute", "payout"]).annotate({
      description: "The kind of object for which the fee was charged."
    }),
    payment_method: orNull(PaymentMethod, "How the buyer paid; null for payouts."),
    count: int("How many were charged."),
    volume: minor("The total paid, disputed or paid out"),
    fee: minor("The sum of the fees")
  }).annotate({ identifier: "FeeLine", description: "The fees of one payment method." }),
  feeSample
)
export type FeeLine = typeof FeeLine.Encoded

const frozenSample = {
  object: "frozen_line",
  currency: "USD",
  kind: "dispute",
  number: sampleIds.dispute,
  trade_no: sampleIds.order,
  amount: 1999,
  since: "2026-11-23T18:00:00.000Z",
  out_trade_no: "cart-4711"
} as const

export const FrozenLine = withExample(
  Schema.Struct({
    object: kind("frozen_line"),
    currency,
    kind: Schema.Literals(["dispute", "payout", "refund", "total"]).annotate({
      description:
        "The kind of object that holds the money. `total` is the frozen balance, the sum of the lines before it."
    }),
    number: orNull(Schema.String, "Number of the dispute, payout or refund; null for the total."),
    trade_no: orNull(Schema.String, "The order behind a dispute or a refund."),
    amount: minor("The amount that is held; 0 for an inquiry"),
    since: orNull(Schema.String.annotate({ format: "date-time" }), "Since when; null for the total."),
    out_trade_no: orNull(Schema.String, "Your own number of that order; null for a payout and for the total.")
  }).annotate({ identifier: "FrozenLine", description: "Money that is held, or an open dispute." }),
  frozenSample
)
export type FrozenLine = typeof FrozenLine.Encoded

export type ReportLine = StatementLine | TransactionLine | FeeLine | FrozenLine

// Reports at once ----------------------------------------------------------------

const described = {
  time_zone: text("Time zone of the days, such as `Europe/Berlin`."),
  as_of: instant("Every movement before it is in the report, and none after: the range's end, or an earlier call."),
  complete: Schema.Boolean.annotate({ description: "Whether the whole range is in the past: nothing can be added." })
}

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

// Jobs ---------------------------------------------------------------------------

export const ReportResource = withExample(
  Schema.Struct({
    object: kind("report"),
    report_no: text("Number of the report; begins with `rpt_`."),
    merchant_id: merchantId,
    mode,
    report: ReportKind.annotate({ description: "The kind of report." }),
    format: ReportFormat.annotate({ description: "`csv`, or `jsonl`: one JSON object on each line." }),
    from: day("The first day that it covers"),
    to: day("Its last day"),
    currency: orNull(Currency, "The only currency in it; null: all."),
    status: Schema.Literals(["pending", "succeeded", "failed"]).annotate({
      description: "`pending` while the file is being written. Only a report that `succeeded` has a file."
    }),
    failure_reason: orNull(Schema.String, "Why there is no file; null unless it failed."),
    time_zone: described.time_zone,
    as_of: described.as_of,
    rows_done: int("Ledger rows read so far."),
    rows_total: orNull(Schema.Int, "How many there are to read; null if it is not known in advance."),
    bytes: int("Size of the file so far."),
    created_at: instant("When it was made."),
    finished_at: orNull(Schema.String.annotate({ format: "date-time" }), "When the file was complete; null before."),
    expires_at: instant("When the report and its file are deleted.")
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
    rows_done: 250_000,
    rows_total: 1_204_311,
    bytes: 61_250_113,
    created_at: "2026-11-21T09:31:12.502Z",
    finished_at: null,
    expires_at: "2026-11-28T09:31:12.502Z"
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
      format: optional(ReportFormat, "`csv` (the default), or `jsonl`: one JSON object per line."),
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
      query: { ...RangeQuery, interval: Schema.optionalKey(ReportInterval.annotate({ description: about.interval })) },
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
      query: { payout_no: text(about.payoutNo), time_zone: filter(about.timeZone), format },
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
          "CSV, or one JSON object per line (`application/x-ndjson`). Resume an interrupted download with `Range: " +
          "bytes=N-`, which returns 206. 409: the file is not complete. 416: the range is beyond its end."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Statements, fees, payouts and frozen money, for bookkeeping.") {}
