/**
 * Rounds of the auditor, one at a time among all runners. A round compares all chains with their last anchors and
 * anchors those that have moved. Then it checks the rows since the round before, the violations of that round, and the
 * next part of a walk through everything, so that in time every row is checked again. Every runner shows the result of
 * the last round as `coffer_ledger_violations`.
 */
import { type LawId, laws, type Subject, type Violation } from "@coffer/rules/wallet/laws"
import { DateTime, Duration, Effect, Layer, Metric, Option } from "effect"
import { Workers } from "../../platform/jobs/Workers.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Anchors } from "./Anchors.ts"
import { Auditor } from "./Auditor.ts"
import { AuditStore, type Round } from "./AuditStore.ts"
import type { Report } from "./slices.ts"

const anchorFailures = Metric.counter("coffer_anchor_failures_total", {
  description: "Rounds of the auditor that could not write anchors to ANCHOR_FILE",
  incremental: true
})

/** Another runner takes over a round when its lease ends; a runner that continues renews it in time. */
const lease = Duration.minutes(5)
const renewAfter = Duration.minutes(1)
/** After a round that could not write anchors the next one comes soon, however long the interval is. */
const anchorAgain = Duration.minutes(10)
/** How long, and how many slices, a round walks through everything. */
const walkTime = Duration.seconds(30)
const walkSlicesMax = 500
/** Violations that are kept. Further ones are only logged. */
const keptMax = 10_000

const violations = Metric.gauge("coffer_ledger_violations", {
  description: "Rows that break a law of the ledger (docs/ledger.md), as the last audit found them"
})
const gauges = (Object.keys(laws) as ReadonlyArray<LawId>).map(
  (law) => [law, Metric.withAttributes(violations, { law })] as const
)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* AuditStore
    const runRound = yield* makeRunRound

    const showViolations = Effect.gen(function* () {
      const counts = yield* store.counts
      yield* Effect.forEach(gauges, ([law, gauge]) => Metric.update(gauge, counts.get(law) ?? 0), { discard: true })
    })
    yield* Metric.update(anchorFailures, 0)
    for (const [, gauge] of gauges) yield* Metric.update(gauge, 0)

    yield* workers.supervise(() => ({
      name: "audit",
      run: Effect.gen(function* () {
        const now = yield* currentTime
        // A round takes minutes; until its end the violations of the round before are shown.
        yield* showViolations
        const round = yield* store.lease(now, DateTime.addDuration(now, lease))
        if (Option.isSome(round)) yield* runRound(round.value, now)
        yield* showViolations
        return 0
      }),
      next: store.nextDue
    }))
  })
)

const makeRunRound = Effect.gen(function* () {
  const store = yield* AuditStore
  const auditor = yield* Auditor
  const anchors = yield* Anchors
  const { auditInterval } = yield* Settings

  return span("Audits.round")(function* (round: Round, start: DateTime.Utc) {
    const known = yield* store.violations
    const { found, report } = makeReport(store, round, known, start)
    // Faults are found before anything is anchored on top of them.
    yield* auditor.anchors(report)
    const pause = yield* anchors.take(start, report.alive).pipe(
      Effect.as(auditInterval),
      Effect.catchTags({
        AnchorFileFailed: ({ message }) =>
          Metric.update(anchorFailures, 1).pipe(
            Effect.andThen(Effect.logError("heads could not be anchored in ANCHOR_FILE", { message })),
            Effect.as(Duration.min(auditInterval, anchorAgain))
          )
      })
    )
    yield* auditor.changes(round.checked_from, report)
    for (const [about, keys] of Map.groupBy(known, ({ table }) => table)) {
      yield* auditor.some(about satisfies Subject, [...new Set(keys.map(({ key }) => key))], report)
    }
    const position = yield* walk(auditor, round, report)
    const end = yield* currentTime
    yield* store.finish(round, {
      about: position?.about ?? null,
      key: position?.key ?? null,
      due: DateTime.addDuration(end, pause),
      checkedFrom: start,
      at: end,
      violations: [...found.values()]
    })
  })
})

/** Collects violations, logs those that the round before did not have, and renews the lease during the round. */
const makeReport = (
  store: AuditStore["Service"],
  round: Round,
  known: ReadonlyArray<Violation>,
  start: DateTime.Utc
) => {
  const found = new Map<string, Violation>()
  const before = new Set(known.map(nameOf))
  let renewedAt = start
  const alive = Effect.gen(function* () {
    const now = yield* currentTime
    if (DateTime.isLessThan(now, DateTime.addDuration(renewedAt, renewAfter))) return
    renewedAt = now
    if (!(yield* store.renew(round, DateTime.addDuration(now, lease)))) {
      return yield* Effect.die("the audit took too long and another runner took it over")
    }
  })
  const report: Report & { readonly alive: Effect.Effect<void> } = {
    alive,
    violation: (violation) =>
      Effect.suspend(() => {
        const name = nameOf(violation)
        if (found.has(name)) return Effect.void
        if (found.size < keptMax) found.set(name, violation)
        return before.has(name) ? Effect.void : logViolation(violation)
      }),
    progress: () => alive
  }
  return { found, report }
}

/** Continues the walk through everything where the round before ended. Undefined when it has reached the end. */
const walk = Effect.fnUntraced(function* (auditor: Auditor["Service"], { about, key }: Round, report: Report) {
  const until = DateTime.addDuration(yield* currentTime, walkTime)
  let position = about === null ? undefined : { about, key: key ?? "" }
  for (let slice = 0; slice < walkSlicesMax; slice++) {
    position = yield* auditor.further(position, report)
    if (position === undefined || DateTime.isGreaterThan(yield* currentTime, until)) break
  }
  return position
})

const nameOf = ({ key, law, table }: Violation) => `${law} ${table} ${key}`

const logViolation = ({ detail, key, law, table }: Violation) =>
  Effect.logError(`the ledger breaks its law ${law}: ${laws[law]}`).pipe(
    Effect.annotateLogs({ law, table, key, detail })
  )
