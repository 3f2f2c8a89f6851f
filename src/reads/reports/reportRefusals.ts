/** Errors of reports as errors on the wire (docs/reports.md). */
import * as Wire from "@coffer/contract/Errors"
import { reportsKeptMax, reportsPendingMax } from "@coffer/model/Limits"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { ReportNotFound, ReportNotReady } from "./Reports.ts"
import type { TooManyReports } from "./ReportStore.ts"

const tooMany = {
  pending: `${reportsPendingMax} reports are already being created. Try again when one is complete.`,
  kept: `Report limit reached (${reportsKeptMax}). Reports are deleted after seven days.`,
  bytes: "Storage limit for reports reached. Reports are deleted after seven days."
} as const satisfies Record<TooManyReports["reason"], string>

export const reportRefusals = {
  ReportNotFound: refuseAs(Wire.ReportNotFound, ({ reportNo }: ReportNotFound) => ({
    message: `No report ${reportNo}, or it was deleted.`
  })),
  ReportNotReady: refuseAs(Wire.Conflict, ({ reportNo, status }: ReportNotReady) => ({
    message:
      status === "pending"
        ? `The file of the report ${reportNo} is still being created.`
        : `The report ${reportNo} failed and has no file.`
  })),
  TooManyReports: refuseAs(Wire.Conflict, ({ reason }: TooManyReports) => ({ message: tooMany[reason] }))
}
