/** Handlers of the `reports` group (docs/reports.md). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import type { CreateReport, ReportFormat } from "@coffer/contract/Reports"
import { byteRange } from "@coffer/rules/reports/byteRange"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { refuseWith, reply, replyList } from "../../shared/http/replies.ts"
import { span } from "../../platform/runtime/span.ts"
import { reportRefusals } from "./reportRefusals.ts"
import { type Report, Reports } from "./Reports.ts"
import { answeredView, fileNameOf, linesText, reportHeader, reportView } from "./ReportView.ts"

const contentTypes = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/x-ndjson",
  hledger: "text/plain; charset=utf-8",
  beancount: "text/plain; charset=utf-8"
} as const satisfies Record<ReportFormat, string>

export const layer = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports
    const { InvalidField } = commonRefusals
    const { ReportNotFound, ReportNotReady, TooManyReports } = reportRefusals

    const answer = Effect.fnUntraced(function* (query: CreateReport) {
      const account = yield* Caller
      const answered = yield* reports.answer(account, query)
      if (query.format === undefined) return yield* reply(answeredView(account, answered))
      const { lines, terms } = answered
      return HttpServerResponse.text(reportHeader(terms) + linesText(terms, lines), {
        contentType: contentTypes[terms.format],
        headers: { "content-disposition": `attachment; filename="${fileNameOf(terms)}"` }
      })
    }, Effect.catchTags({ InvalidField }))

    return handlers.handleAll({
      create: span("reports.create")(function* ({ payload }) {
        return yield* reply(reportView(yield* reports.create(yield* Caller, payload)), 202)
      }, Effect.catchTags({ InvalidField, TooManyReports })),

      statement: span("reports.statement")(function* ({ query }) {
        return yield* answer({ ...query, report: "statement" })
      }),
      fees: span("reports.fees")(function* ({ query }) {
        return yield* answer({ ...query, report: "fees" })
      }),
      payout: span("reports.payout")(function* ({ query }) {
        return yield* answer({ ...query, report: "payout" })
      }),
      frozen: span("reports.frozen")(function* ({ query }) {
        return yield* answer({ ...query, report: "frozen" })
      }),

      list: span("reports.list")(function* ({ query }) {
        return yield* replyList("report", "/v1/reports", yield* reports.list(yield* Caller, query), reportView)
      }, Effect.catchTags({ InvalidField })),

      get: span("reports.get")(function* ({ params }) {
        return yield* reply(reportView(yield* reports.find(yield* Caller, params.report_no)))
      }, Effect.catchTags({ ReportNotFound })),

      file: span("reports.file")(function* ({ params }) {
        const report = yield* reports.ready(yield* Caller, params.report_no)
        const { sent } = yield* CurrentRecord
        const etag = `"${report.report_no}"`
        // A client that resumes another file gets the whole file.
        const isSame = sent["if-range"] === undefined || sent["if-range"] === etag
        const range = byteRange(isSame ? sent["range"] : undefined, report.bytes)
        if (range === "beyond") return yield* beyond(report)
        const { from, to } = range === "whole" ? { from: 0, to: report.bytes } : range
        return yield* send(reports, report, { from, to, etag, isPart: range !== "whole" })
      }, Effect.catchTags({ ReportNotFound, ReportNotReady }))
    })
  })
)

/** The size, so that the reader knows whether it has all (RFC 9110, 15.5.17). */
const beyond = ({ bytes }: Report) =>
  Effect.flatMap(CurrentRecord, (record) => {
    record.headers = { ...record.headers, "content-range": `bytes */${bytes}` }
    return refuseWith(
      (request_id) =>
        new Wire.RangeNotSatisfiable({ message: `Range: The file has ${bytes} bytes.`, param: "Range", request_id })
    )
  })

interface Sent {
  readonly etag: string
  readonly from: number
  readonly to: number
  readonly isPart: boolean
}

const send = (reports: Reports["Service"], report: Report, { etag, from, isPart, to }: Sent) =>
  Effect.map(CurrentRecord, (record) => {
    const making = Stream.fromEffectDrain(Effect.sync(() => record.stream?.making()))
    const parts = reports.read(report, from, to).pipe(
      Stream.tap((part) => Effect.sync(() => record.stream?.sending(part.length))),
      Stream.flatMap((part) => Stream.concat(Stream.make(part), making))
    )
    return HttpServerResponse.stream(Stream.concat(making, parts), {
      status: isPart ? 206 : 200,
      contentType: contentTypes[report.terms.format],
      contentLength: to - from,
      headers: {
        etag,
        "accept-ranges": "bytes",
        "content-disposition": `attachment; filename="${fileNameOf(report.terms)}"`,
        ...(isPart ? { "content-range": `bytes ${from}-${to - 1}/${report.bytes}` } : {})
      }
    })
  })
