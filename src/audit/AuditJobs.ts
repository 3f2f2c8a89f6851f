/**
 * Rounds of the auditor, one at a time among all runners: what was written since the round before, what was wrong then,
 * and a stretch of the walk through everything, so that in time every row is looked at again. Every runner shows what
 * the last round left as `coffer_ledger_violations`.
 */
import { type LawId, laws, type Subject, type Violation } from "@coffer/rules/wallet/laws"
import { DateTime, Duration, Effect, Layer, Metric, Option } from "effect"
import { Auditor, type Report } from "./Auditor.ts"
import { AuditStore, type Round } from "./AuditStore.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { span } from "../platform/runtime/span.ts"
import { Workers } from "../platform/jobs/Workers.ts"

/** A round that stops without a word is taken over after this; one that goes on renews it in time. */
const lease = Duration.minutes(5)
const renewAfter = Duration.minutes(1)
/** How long, and how many slices, a round walks on through everything. */
const walkTime = Duration.seconds(30)
const walkSlicesMax = 500
/** Violations that are kept; beyond it they are only logged. */
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
    const auditor = yield* Auditor
    const { auditInterval } = yield* Settings

    const show = Effect.gen(function* () {
      const counts = yield* store.counts
      yield* Effect.forEach(gauges, ([law, gauge]) => Metric.update(gauge, counts.get(law) ?? 0), { discard: true })
    })

    /** Known: the violations of the round before, which are no news. */
    const notes = (round: Round, known: ReadonlyArray<Violation>, start: DateTime.Utc) => {
      const found = new Map<string, Violation>()
      const before = new Set(known.map(nameOf))
      let renewed = start
      const report: Report = {
        violation: (violation) =>
          Effect.suspend(() => {
            const name = nameOf(violation)
            if (found.has(name)) return Effect.void
            if (found.size < keptMax) found.set(name, violation)
            return before.has(name) ? Effect.void : logged(violation)
          }),
        progress: () =>
          Effect.gen(function* () {
            const now = yield* DateTime.now
            if (DateTime.isLessThan(now, DateTime.addDuration(renewed, renewAfter))) return
            renewed = now
            if (!(yield* store.renew(round, DateTime.addDuration(now, lease)))) {
              return yield* Effect.die("the audit took too long and another runner took it over")
            }
          })
      }
      return { found, report }
    }

    const walk = Effect.fnUntraced(function* (round: Round, report: Report) {
      const until = DateTime.addDuration(yield* DateTime.now, walkTime)
      let position = round.about === null ? undefined : { about: round.about, key: round.key ?? "" }
      for (let slice = 0; slice < walkSlicesMax; slice++) {
        position = yield* auditor.further(position, report)
        if (position === undefined || DateTime.isGreaterThan(yield* DateTime.now, until)) break
      }
      return { about: position?.about ?? null, key: position?.key ?? null }
    })

    const audit = span("Audits.round")(function* (round: Round, start: DateTime.Utc) {
      const known = yield* store.violations
      const { found, report } = notes(round, known, start)
      yield* auditor.changes(round.checked_from, report)
      for (const [about, keys] of Map.groupBy(known, ({ table }) => table)) {
        yield* auditor.some(about satisfies Subject, [...new Set(keys.map(({ key }) => key))], report)
      }
      const position = yield* walk(round, report)
      const end = yield* DateTime.now
      const due = DateTime.addDuration(end, auditInterval)
      yield* store.finish(round, {
        ...position,
        due,
        checkedFrom: start,
        at: end,
        violations: [...found.values()]
      })
    })

    yield* workers.supervise(() => ({
      name: "audit",
      run: Effect.gen(function* () {
        const now = yield* DateTime.now
        const round = yield* store.claim(now, DateTime.addDuration(now, lease))
        if (Option.isSome(round)) yield* audit(round.value, now)
        yield* show
        return 0
      }),
      next: store.nextDue
    }))
  })
)

const nameOf = ({ key, law, table }: Violation) => `${law} ${table} ${key}`

const logged = ({ detail, key, law, table }: Violation) =>
  Effect.logError(`the ledger breaks its law ${law}: ${laws[law]}`).pipe(
    Effect.annotateLogs({ law, table, key, detail })
  )
