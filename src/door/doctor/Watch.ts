/**
 * Problems that a person has to look at in time, as metrics: money that waits for an operator, disputes near their
 * deadline, wallets below zero, the age of the last audit, of the last reconciliation and of the newest backup, disks,
 * certificates and the checkout page. It writes nothing. The figures from the database are the same on every runner.
 */
import { isoText } from "@coffer/model/isoText"
import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { Mode } from "@coffer/model/Ids"
import { DateTime, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Channel } from "../../shared/channel/Channel.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import * as checkoutPage from "./checkoutPage.ts"
import { freeOn } from "./disk.ts"
import { newestBackup } from "./hostChecks.ts"
import * as publicCertificate from "./publicCertificate.ts"

const gauge = (name: string, description: string) => Metric.gauge(name, { description })
const parked = gauge("coffer_parked_payments", "Parked payments that no operator has closed, counted up to 1000")
const disputes = gauge("coffer_disputes_near_end", "Unanswered disputes whose deadline is within 48 hours")
const belowZero = gauge("coffer_wallets_below_zero", "Wallets whose available balance is below zero")
const auditAge = gauge("coffer_audit_age_seconds", "Time since the start of the auditor's last completed round")
const auditLate = gauge("coffer_audit_overdue_seconds", "How long the next round of the auditor has been due")
const reconciled = gauge(
  "coffer_reconciliation_age_seconds",
  "Longest time since an account's books at a channel were compared; 0 if none takes payments"
)
const backupAge = gauge("coffer_backup_age_seconds", "Age of the newest file in BACKUP_DIR; +Inf if there is none")
const diskFree = gauge("coffer_disk_free_bytes", "Free bytes on the disk of a folder")
const diskSize = gauge("coffer_disk_size_bytes", "Size of the disk of a folder")
const certificate = gauge("coffer_certificate_expires_seconds", "Time until the runners' certificate expires")

const lookEvery = "1 minute"
const pause = onRealTime(Effect.sleep(lookEvery))
const countMax = 1_000
const answerHours = 48

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const channel = yield* Channel
    const settings = yield* Settings
    const { backups, home, runner } = settings

    const books = Effect.gen(function* () {
      const now = yield* currentTime
      const soon = isoText(DateTime.add(now, { hours: answerHours }))
      for (const mode of Mode.literals) {
        const count = (from: string) => sql`(select count(*)::int4 from (select 1 from ${sql.literal(from)} limit
          ${countMax}::int4) as found)`
        // The first two by the partial indexes of objects that need attention (laterIndexes.ts).
        const [row] = yield* decodeCounts(
          yield* sql`select
          ${count(`orders where mode = '${mode}' and ${unapplied} and ${isParked}`)} as parked,
          ${count(`disputes where mode = '${mode}' and ${undecided} and evidence_due_by <= '${soon}'::timestamptz`)}
            as disputes,
          ${count(`wallets where mode = '${mode}' and available < 0`)} as below_zero`
        )
        yield* Metric.update(Metric.withAttributes(parked, { mode }), row.parked)
        yield* Metric.update(Metric.withAttributes(disputes, { mode }), row.disputes)
        yield* Metric.update(Metric.withAttributes(belowZero, { mode }), row.below_zero)
      }
      const at = `'${isoText(now)}'::timestamptz`
      const [round] = yield* decodeRound(
        yield* sql`select
        extract(epoch from ${sql.literal(at)} - checked_from)::float8 as age,
        greatest(0, extract(epoch from ${sql.literal(at)} - due_at))::float8 as late from audit_rounds`
      )
      yield* Metric.update(auditAge, round.age)
      yield* Metric.update(auditLate, round.late)
      for (const mode of Mode.literals) {
        yield* Metric.update(Metric.withAttributes(reconciled, { mode }), yield* channel.ageOfBooks(mode, now))
      }
    })

    const disk = (folder: string) =>
      Effect.flatMap(freeOn(folder), ({ bytes, ofBytes }) =>
        Effect.andThen(
          Metric.update(Metric.withAttributes(diskFree, { folder }), bytes),
          Metric.update(Metric.withAttributes(diskSize, { folder }), ofBytes)
        )
      )
    const files = typeof runner?.auth === "object" ? runner.auth : undefined
    const look = Effect.all(
      [
        books,
        disk(home),
        ...(backups === undefined ? [] : [disk(backups), ageOfBackup(backups)]),
        ...(files === undefined ? [] : [endOf(files.cert)])
      ].map((each) => Effect.ignoreCause(each)),
      { discard: true }
    )
    // A figure that cannot be read keeps its last value; an outage of Postgres has a metric of its own.
    yield* look
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(pause, look)))
    // A start does not wait for the round trip.
    for (const look of [publicCertificate.makeLook(settings), checkoutPage.makeLook(settings)]) {
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.ignoreCause(look), pause)))
    }
  })
)

const isParked = `unapplied_payments @> '[{"state": "parked"}]'`
const unapplied = `(unapplied_due_at is not null or ${isParked})`
const undecided = "status in ('needs_response', 'under_review') and status = 'needs_response' and response is null"

const ageOfBackup = Effect.fnUntraced(function* (folder: string) {
  const newest = yield* newestBackup(folder)
  const now = DateTime.toEpochMillis(yield* currentTime)
  yield* Metric.update(backupAge, newest === undefined ? Infinity : Math.max(0, now - newest.millis) / 1_000)
})

const endOf = Effect.fnUntraced(function* (file: string) {
  const { validToDate } = new X509Certificate(yield* Effect.tryPromise(() => readFile(file)))
  yield* Metric.update(certificate, (validToDate.getTime() - DateTime.toEpochMillis(yield* currentTime)) / 1_000)
})

const decodeCounts = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ parked: Schema.Int, disputes: Schema.Int, below_zero: Schema.Int })])
)
const decodeRound = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ age: Schema.Number, late: Schema.Number })])
)
