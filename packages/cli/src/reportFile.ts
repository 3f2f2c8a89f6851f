/**
 * `coffer reports file`: downloads the file of a report (docs/reports.md). It is streamed, since it may have a
 * gigabyte, into a partial file next to the target, which is renamed when it is complete. A lost connection is resumed
 * by `Range`, and so is the partial file of a killed command.
 */
import { Console, Duration, Effect, FileSystem, Option, Redacted, type Scope } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { Argument } from "effect/cli"
import type { Report } from "../../sdk/src/index.ts"
import { CliFailure, failed, unwritable } from "./CliFailure.ts"
import { type Client, connect } from "./client.ts"
import { command, json } from "./frame.ts"
import { shownJson } from "./json.ts"
import { count } from "./output.ts"
import { plain } from "./plain.ts"
import { progress, progressLine } from "./progress.ts"

/** Attempts in a row without a byte before it gives up. */
const triesMax = 5
/** The pause between attempts, and how long one may be silent. */
const pause = "1 second"
const patience = Duration.seconds(30)

export const fileCommand = command(
  "file",
  {
    does: "Download a report's file, resuming an interrupted download",
    example: "coffer reports file rpt_… books.csv"
  },
  {
    reportNo: Argument.String("report-no"),
    file: Argument.String("file").pipe(
      Argument.optional,
      Argument.withDescription("Where it is written; the report's number and format unless given")
    )
  },
  Effect.fnUntraced(function* ({ file, reportNo }) {
    const client = yield* connect()
    const report = yield* client.ask((coffer) => coffer.reports.get(reportNo))
    if (report.status !== "succeeded") return yield* notReady(report)
    const place = Option.getOrElse(file, () => `${report.report_no}.${report.format}`)
    yield* fetchReport(client, report, place).pipe(
      Effect.catchTags({
        PlatformError: unwritable(place)
      })
    )
    if (yield* json) return yield* Console.log(shownJson({ report_no: report.report_no, file: place }))
    yield* Console.log(`${count(report.bytes)} bytes written to ${plain(place)}.`)
  })
)

const notReady = ({ failure_reason, report_no, rows_done, status }: Report) =>
  status === "failed"
    ? failed(
        "report_failed",
        `The report has no file: ${failure_reason ?? "it failed"}.`,
        "create the report again: coffer reports create --help shows how"
      )
    : failed(
        "report_not_ready",
        `The file is not ready yet: ${count(rows_done)} rows so far.`,
        `wait until coffer reports get ${report_no} shows succeeded`
      )

/** The partial file's name has the report's number, so that no other report's file is resumed. */
const fetchReport = Effect.fnUntraced(function* (client: Client, report: Report, place: string) {
  const fs = yield* FileSystem.FileSystem
  const part = `${place}.${report.report_no}.part`
  const tell = yield* progress(report.bytes, (done, total, millis) =>
    progressLine(done, total, millis).replace(" rows", " bytes")
  )
  const here = Effect.map(Effect.option(fs.stat(part)), (info) =>
    Option.match(info, { onNone: () => 0, onSome: ({ size }) => Number(size) })
  )
  let at = yield* here
  // A report's file never changes, so a longer file cannot be part of it.
  if (at > report.bytes || report.bytes === 0) {
    yield* fs.writeFileString(part, "")
    at = 0
  }
  for (let tries = 1; at < report.bytes; tries++) {
    const before = at
    const outcome = yield* Effect.result(Effect.scoped(takenFrom(client, report, part, at, tell)))
    at = yield* here
    if (outcome._tag === "Success") {
      if (at >= report.bytes) break
    } else if (outcome.failure._tag !== "CliFailure" || !outcome.failure.isPassing) {
      return yield* Effect.fail(outcome.failure)
    }
    if (at > before) tries = 1
    else if (tries >= triesMax) return yield* cutOff(report, at)
    yield* Effect.sleep(pause)
  }
  yield* fs.rename(part, place)
})

const cutOff = ({ bytes, report_no }: Report, at: number) =>
  new CliFailure({
    code: "cut_off",
    message: `The connection was lost after ${count(at)} of ${count(bytes)} bytes.`,
    next: `resume with coffer reports file ${report_no}`,
    exitCode: 1,
    isPassing: true
  })

/** One attempt: appends what it receives. */
const takenFrom = Effect.fnUntraced(function* (
  { account }: Client,
  report: Report,
  part: string,
  at: number,
  tell: (done: number) => Effect.Effect<void>
): Effect.fn.Return<void, CliFailure | PlatformError, FileSystem.FileSystem | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (made) => Effect.sync(() => made.abort())
  )
  const unless = <A>(promise: () => Promise<A>) =>
    Effect.tryPromise({ try: promise, catch: () => cutOff(report, at) }).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => cutOff(report, at) })
    )
  const { body, status } = yield* unless(() =>
    fetch(`${account.baseUrl}/reports/${encodeURIComponent(report.report_no)}/file`, {
      headers: {
        "X-Api-Key": Redacted.value(account.key),
        "Coffer-Strict": "true",
        ...(at === 0 ? {} : { Range: `bytes=${at}-` })
      },
      redirect: "error",
      signal: controller.signal
    })
  )
  if (status !== (at === 0 ? 200 : 206) || body === null) return yield* refused(report, status, at)
  const file = yield* fs.open(part, { flag: "a" })
  const reader = body.getReader()
  for (let done = at; ;) {
    const { value } = yield* unless(() => reader.read())
    if (value === undefined) return
    yield* file.writeAll(value)
    done += value.length
    yield* tell(done)
  }
})

const refused = (report: Report, status: number, at: number) =>
  status >= 500 || status === 429
    ? cutOff(report, at)
    : failed(
        "unexpected_answer",
        `The service returned ${status}.`,
        `check coffer reports get ${report.report_no}: files are kept for seven days`
      )
