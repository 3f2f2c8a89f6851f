/** `coffer reports`: reports for bookkeeping that are made as files (docs/reports.md). */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Report } from "../../sdk/src/index.ts"
import { connectToWrite } from "./client.ts"
import { currencies, oneOf, text } from "./flags.ts"
import { command } from "./frame.ts"
import { count, printObject, time } from "./output.ts"
import { fileCommand } from "./reportFile.ts"
import { getCommand, listCommand, type Resource } from "./resource.ts"
import { withoutNone } from "./withoutNone.ts"

const kinds = ["statement", "transactions", "fees", "payout", "frozen"] as const

const reports: Resource<Report, {}> = {
  called: "reports",
  idOf: ({ report_no }) => report_no,
  columns: [
    { title: "REPORT NO", of: ({ report_no }) => report_no },
    { title: "STATUS", of: ({ status }) => status, isStatus: true },
    { title: "REPORT", of: ({ report }) => report },
    { title: "FORMAT", of: ({ format }) => format },
    { title: "ROWS", of: rowsOf },
    { title: "BYTES", of: ({ bytes }) => count(bytes) },
    { title: "CREATED", of: ({ created_at }) => time(created_at) },
    { title: "REMOVED", of: ({ expires_at }) => time(expires_at) }
  ],
  filters: {},
  list: (coffer, cursors) => [coffer.reports.list(cursors)]
}

function rowsOf({ rows_done, rows_total }: Report): string {
  return rows_total === null || rows_total === rows_done
    ? count(rows_done)
    : `${count(rows_done)} of ${count(rows_total)}`
}

const create = command(
  "create",
  {
    does: "Create a report as a file, and print its status; download the file once it has succeeded",
    example: "coffer reports create statement --from 2026-10-01 --to 2026-10-31"
  },
  {
    kind: Argument.Literals("report", kinds),
    format: oneOf("format", ["csv", "jsonl", "hledger", "beancount"], "csv by default"),
    from: text("from", "The first day: 2026-10-01"),
    to: text("to", "The last day; --from by default"),
    interval: oneOf("interval", ["day", "month", "range"], "For statements; day by default"),
    currency: oneOf("currency", currencies, "Only this wallet"),
    timeZone: text("time-zone", "Such as Europe/Berlin; the merchant's by default"),
    payoutNo: text("payout-no", "The payout to reconcile"),
    at: text("at", "Time of a frozen report; now by default")
  },
  ({ at, currency, format, from, interval, kind, payoutNo, timeZone, to }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      const terms = withoutNone({ format, from, to, interval, currency, time_zone: timeZone, payout_no: payoutNo, at })
      yield* printObject(yield* ask((coffer) => coffer.reports.create({ report: kind, ...terms })))
    })
)

export const reportsCommand = Command.make("reports").pipe(
  Command.withDescription("Reports for accounting, as files: create, get, file, list"),
  Command.withSubcommands([
    create,
    getCommand("reports", "report-no", (coffer, no) => coffer.reports.get(no)),
    fileCommand,
    listCommand(reports)
  ])
)
