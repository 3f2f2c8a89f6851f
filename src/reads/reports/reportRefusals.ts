/** Errors of reports as errors on the wire (docs/reports.md). */
import * as Wire from "@coffer/contract/Errors"
import { reportsKeptMax, reportsPendingMax } from "@coffer/model/Limits"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { ReportNotFound, ReportNotReady } from "./Reports.ts"
import type { TooManyReports } from "./ReportStore.ts"

const tooMany = {
  pending: `${reportsPendingMax} reports are being written. Ask again when one of them is complete.`,
  kept: `${reportsKeptMax} reports are kept. Each is removed seven days after it was made.`,
  bytes: "The files of your reports are as large as they may be. Each is removed seven days after it was made."
} as const satisfies Record<TooManyReports["reason"], string>

export const reportRefusals = {
  ReportNotFound: refuseAs(Wire.ReportNotFound, ({ reportNo }: ReportNotFound) => ({
    message: `There is no report ${reportNo} here, or it was removed.`
  })),
  ReportNotReady: refuseAs(Wire.Conflict, ({ reportNo, status }: ReportNotReady) => ({
    message:
      status === "pending"
        ? `The file of the report ${reportNo} is still being written.`
        : `The report ${reportNo} failed and has no file.`
  })),
  TooManyReports: refuseAs(Wire.Conflict, ({ reason }: TooManyReports) => ({ message: tooMany[reason] }))
}
