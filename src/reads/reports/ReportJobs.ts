/**
 * Writes reports as files. A worker takes step after step, and commits each with its position. A runner that is killed
 * loses the current step, and another continues from the position before it. After some seconds the report is handed
 * back, so that the reports of several merchants share the workers.
 */
import { reportBytesMax } from "@coffer/model/Limits"
import { Effect, Layer, Option } from "effect"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { elapsedMillis } from "../../platform/runtime/realTime.ts"
import { inSlices } from "../../platform/runtime/slices.ts"
import { span } from "../../platform/runtime/span.ts"
import { ReportSources } from "./ReportSources.ts"
import { type Report, ReportStore } from "./ReportStore.ts"
import { makeStep } from "./reportSteps.ts"
import { linesText, reportHeader } from "./ReportView.ts"

/** Reports that one runner writes at once. */
const writtenMax = 2
/** How long a worker has a report to itself. A step takes less than a second. */
const turnMillis = 8_000
/** Lines that are formatted before other fibers have their turn. */
const linesAtOnce = 64
/** Parts and reports that one statement removes. */
const droppedMax = 100

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const store = yield* ReportStore
    const faults = yield* Faults
    const step = makeStep(yield* ReportSources)
    const utf8 = new TextEncoder()

    /** The report after one step. None if another runner has it. */
    const advance = Effect.fnUntraced(function* (report: Report) {
      const { merchant_id: merchantId, mode, place, terms } = report
      if (place === null) return Option.none()
      const { lines, next, rows } = yield* step({ merchantId, mode }, terms, place)
      const texts = yield* inSlices(lines, (some) => linesText(terms, some), linesAtOnce)
      const content = utf8.encode([...(report.steps === 0 ? [reportHeader(terms)] : []), ...texts].join(""))
      const now = yield* unmovedTime
      if (report.bytes + content.length > reportBytesMax[mode]) {
        yield* store.fail(report, "The report is too large. Choose a shorter period.", now)
        return Option.none()
      }
      return yield* store.write(report, { content, rows, place: next }, now)
    })

    const write = span("ReportJobs.write")(function* (leased: Report) {
      const until = elapsedMillis() + turnMillis
      let report = Option.some(leased)
      while (Option.isSome(report) && report.value.status === "pending") {
        const { value } = report
        if (elapsedMillis() > until) return yield* store.release(value, yield* unmovedTime)
        report = yield* faults.around("Report.step", advance(value), () => value.report_no)
      }
    })

    yield* supervise(() => ({
      name: "reports",
      wakeup: "reports",
      run: Effect.flatMap(unmovedTime, (now) =>
        Effect.flatMap(store.leaseDue(now, writtenMax), (due) =>
          forEachLeased("report", due, ({ report_no }) => report_no, write, store.noteOutcomes)
        )
      ),
      next: store.nextDue,
      backlog: store.backlog
    }))
    yield* supervise(() => hourly("expired reports", (now) => store.dropExpired(now, droppedMax)))
  })
)
