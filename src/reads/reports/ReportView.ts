/** A report as merchants see it, and the texts of its lines: the same in an answer and in a file. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import { FeeLine, FrozenLine, type ReportLine, StatementLine, TransactionLine } from "@coffer/contract/ReportLines"
import type { AnsweredReport, ReportFormat, ReportKind, ReportResource } from "@coffer/contract/Reports"
import type { Account } from "@coffer/model/Account"
import { csvHeader, csvRow } from "@coffer/rules/csv"
import { reportFileName } from "@coffer/rules/reports/fileName"
import {
  isJournal,
  journalClosing,
  journalEntry,
  type JournalFormat,
  journalHeader,
  journalOpening
} from "@coffer/rules/reports/journal"
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
  complete: report.terms.complete ?? false,
  rows_done: report.rows_done,
  rows_total: report.rows_total,
  bytes: report.bytes,
  created_at: isoText(report.created_at),
  finished_at: isoTextOrNull(report.finished_at),
  expires_at: isoText(report.expires_at),
  requested_by: report.requested_by
})

/** The `object` of each kind of report. */
const objects = {
  statement: "statement",
  transactions: "transactions",
  fees: "fees_report",
  payout: "payout_report",
  frozen: "frozen_report"
} as const satisfies Record<ReportKind, string>

export const answeredView = (account: Account, { lines, terms }: Answered): AnsweredReport => ({
  object: objects[terms.report],
  merchant_id: account.merchantId,
  mode: account.mode,
  time_zone: terms.timeZone,
  as_of: asOfIn(terms),
  complete: terms.complete ?? false,
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
export const reportHeader = (terms: Terms): string => {
  const { format, report } = terms
  if (!isJournal(format)) return format === "csv" ? csvHeader(columns[report]) : ""
  return journalHeader(format, { ...terms, asOf: asOfIn(terms), complete: terms.complete ?? false })
}

export const linesText = ({ format, report }: Terms, lines: ReadonlyArray<ReportLine>): string =>
  lines.map((line) => lineText(format, report, line)).join("")

const lineText = (format: ReportFormat, report: ReportKind, line: ReportLine): string => {
  switch (format) {
    case "csv":
      return csvRow(columns[report], { ...line })
    case "jsonl":
      return `${jsonText(line)}\n`
    case "hledger":
    case "beancount":
      return journalText(format, line)
  }
}

const journalText = (format: JournalFormat, line: ReportLine): string => {
  if (line.object === "transaction_line") return movementText(format, line)
  if (line.object !== "statement_line") return ""
  switch (line.line) {
    case "opening":
      return journalOpening(format, line.from, line.currency, line)
    case "closing":
      return journalClosing(format, line.to, line.currency, line)
    default: {
      const { currency, line: type, to: date } = line
      const tags = [["count", String(line.count)]] as const
      return journalEntry(format, { date, currency, type, description: type, change: line, tags })
    }
  }
}

const movementText = (format: JournalFormat, line: TransactionLine): string =>
  journalEntry(format, {
    ...line,
    change: { available: line.available_change, frozen: line.frozen_change },
    after: line,
    tags: (["id", "reference_id", "trade_no", "out_trade_no"] as const).flatMap((name) => {
      const value = line[name]
      return value === null ? [] : [[name, value] as const]
    })
  })
