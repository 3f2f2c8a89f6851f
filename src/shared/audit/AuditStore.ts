/** Rows of the auditor: the round that is due, and what the last one found. Plain statements, and no owner. */
import { isoText } from "@coffer/model/isoText"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { laws, type LawId, type Subject, subjects, type Violation } from "@coffer/rules/wallet/laws"

const About = Schema.Literals(Object.keys(subjects) as ReadonlyArray<Subject>)
const Law = Schema.Literals(Object.keys(laws) as ReadonlyArray<LawId>)

const Round = Schema.Struct({
  version: Schema.Int,
  checked_from: TimeColumn,
  about: Schema.NullOr(About),
  key: Schema.NullOr(Schema.String)
})
export type Round = typeof Round.Type

/** How a round ends. */
export interface RoundEnd {
  readonly due: DateTime.Utc
  readonly checkedFrom: DateTime.Utc
  readonly about: Subject | null
  readonly key: string | null
  readonly violations: ReadonlyArray<Violation>
  readonly at: DateTime.Utc
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Leases the round, if it is due and no other runner has it. */
    readonly lease: (now: DateTime.Utc, leaseUntil: DateTime.Utc) => Effect.Effect<Option.Option<Round>>
    /** False when another runner has taken the round over. */
    readonly renew: (round: Round, leaseUntil: DateTime.Utc) => Effect.Effect<boolean>
    /** Replaces the violations of the round before. False when another runner has taken the round over. */
    readonly finish: (round: Round, end: RoundEnd) => Effect.Effect<boolean>
    /** When the round can be leased again. */
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly violations: Effect.Effect<ReadonlyArray<Violation>>
    /** Violations of each law; a law without any is left out. */
    readonly counts: Effect.Effect<ReadonlyMap<LawId, number>>
  }
>()("@coffer/audit/AuditStore") {}

export const layer = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const lease = Effect.fnUntraced(function* (now: DateTime.Utc, leaseUntil: DateTime.Utc) {
      const at = isoText(now)
      const rows = yield* sql`update audit_rounds
        set version = version + 1, lease_until = ${isoText(leaseUntil)}::text::timestamptz
        where due_at <= ${at}::text::timestamptz and coalesce(lease_until <= ${at}::text::timestamptz, true)
        returning version, checked_from, about, key`
      return Option.fromNullishOr((yield* Schema.decodeUnknownEffect(Schema.Array(Round))(rows))[0])
    }, sqlDefects)

    const renew = Effect.fnUntraced(function* ({ version }: Round, leaseUntil: DateTime.Utc) {
      const rows = yield* sql`update audit_rounds set lease_until = ${isoText(leaseUntil)}::text::timestamptz
        where version = ${version} returning version`
      return rows.length > 0
    }, sqlDefects)

    const finish = Effect.fnUntraced(function* ({ version }: Round, end: RoundEnd) {
      const rows = yield* sql`update audit_rounds set lease_until = null, about = ${end.about}, key = ${end.key},
          due_at = ${isoText(end.due)}::text::timestamptz,
          checked_from = ${isoText(end.checkedFrom)}::text::timestamptz
        where version = ${version} returning version`
      if (rows.length === 0) return false
      yield* sql`delete from audit_violations`
      for (const { detail, key, law, table } of end.violations) {
        yield* sql`insert into audit_violations (law, about, key, detail, found_at)
          values (${law}, ${table}, ${key}, ${detail}, ${isoText(end.at)}::text::timestamptz)`
      }
      return true
    })

    const nextDue = Effect.gen(function* () {
      const rows = yield* sql`select greatest(due_at, lease_until) as at from audit_rounds`
      return Option.fromNullishOr((yield* decodeTimes(rows))[0]?.at)
    })

    const violations = Effect.gen(function* () {
      const rows = yield* sql`select law, about as "table", key, detail from audit_violations order by law, about, key`
      return yield* decodeViolations(rows)
    })

    const counts = Effect.gen(function* () {
      const rows = yield* sql`select law, count(*)::int4 as count from audit_violations group by law`
      return new Map((yield* decodeCounts(rows)).map(({ count, law }) => [law, count] as const))
    })

    return AuditStore.of({
      lease,
      renew,
      finish: (round, end) => sqlDefects(sql.withTransaction(finish(round, end))),
      nextDue: sqlDefects(nextDue),
      violations: sqlDefects(violations),
      counts: sqlDefects(counts)
    })
  })
)

const decodeTimes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ at: TimeColumn })))
const decodeViolations = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ law: Law, table: About, key: Schema.String, detail: Schema.String }))
)
const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ law: Law, count: Schema.Int })))
