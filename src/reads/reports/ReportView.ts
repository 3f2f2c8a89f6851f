/** A report as merchants see it, and the texts of its lines: the same in an answer and in a file. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import {
  type AnsweredReport,
  FeeLine,
  FrozenLine,
  type ReportKind,
  type ReportLine,
  type ReportResource,
  StatementLine,
  TransactionLine
} from "@coffer/contract/Reports"
import type { Account } from "@coffer/model/Account"
import { csvHeader, csvRow } from "@coffer/rules/csv"
import { reportFileName } from "@coffer/rules/reports/fileName"
import { DateTime } from "effect"
import { columnsOf } from "../../shared/http/csv.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import type { Answered, Report, Terms } from "./Reports.ts"

const asOfIn = ({ asOf }: Terms) => isoText(DateTime.makeUnsafe(asOf))

const onlyCurrency = ({ currencies }: Terms) => (currencies.length === 1 ? currencies[0]! : null)

/** The name under which a browser stores it. */
export const fileNameOf = (terms: Terms): string =>
  reportFileName({ ...terms, currency: onlyCurrency(terms), time_zone: terms.timeZone })

export const reportView = (report: Report): ReportResource => ({
  object: "report",
  report_no: report.report_no,
  merchant_id: report.merchant_id,
  mode: report.mode,
  report: report.terms.report,
  format: report.terms.format,
  from: report.terms.from,
  to: report.terms.to,
  currency: onlyCurrency(report.terms),
  status: report.status,
  failure_reason: report.failure,
  time_zone: report.terms.timeZone,
  as_of: asOfIn(report.terms),
  rows_done: report.rows_done,
  rows_total: report.rows_total,
  bytes: report.bytes,
  created_at: isoText(report.created_at),
  finished_at: isoTextOrNull(report.finished_at),
  expires_at: isoText(report.expires_at)
})

/** The `object` of each kind of report. */
const objects = {
  statement: "statement",
  transactions: "transactions",
  fees: "fees_report",
  payout: "payout_report",
  frozen: "frozen_report"
} as const satisfies Record<ReportKind, string>

export const answeredView = (account: Account, { complete, lines, terms }: Answered): AnsweredReport => ({
  object: objects[terms.report],
  merchant_id: account.merchantId,
  mode: account.mode,
  time_zone: terms.timeZone,
  as_of: asOfIn(terms),
  complete,
  lines
})

const columns = {
  statement: columnsOf(StatementLine),
  transactions: columnsOf(TransactionLine),
  fees: columnsOf(FeeLine),
  payout: columnsOf(StatementLine),
  frozen: columnsOf(FrozenLine)
} as const satisfies Record<ReportKind, unknown>

/** The beginning of a file. */
export const reportHeader = ({ format, report }: Terms): string => (format === "csv" ? csvHeader(columns[report]) : "")

export const linesText = ({ format, report }: Terms, lines: ReadonlyArray<ReportLine>): string =>
  lines.map((line) => (format === "csv" ? csvRow(columns[report], { ...line }) : `${jsonText(line)}\n`)).join("")
