/**
 * Acts that need two operators (TWO_OPERATORS). The first operator's request is stored and answered 202; the same
 * request by another operator within a day is carried out, if the first still has the right. A person and every token
 * by which that person may act are one operator. The stored request is deleted before the act begins, so one pair of
 * requests never does it twice. The table of acts lists these acts.
 */
import { isoText } from "@coffer/model/isoText"
import type { ActOfTwo } from "@coffer/contract/acts"
import { CurrentOperator } from "@coffer/contract/Caller"
import { installation } from "@coffer/model/PersonRole"
import { Role } from "@coffer/model/Role"
import { mayDo, takesTwo } from "@coffer/rules/people/mayDo"
import { redact } from "@coffer/rules/redaction"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { fromSettings } from "./Operators.ts"

/** A request that waits for another operator. Its content is without secrets. */
const Approval = Schema.Struct({
  act: Schema.String,
  target: Schema.String,
  content: Schema.Record(Schema.String, Schema.Unknown),
  operator_id: Schema.String,
  operator: Schema.String,
  created_at: TimeColumn,
  expires_at: TimeColumn
})
export type Approval = typeof Approval.Type

export class NeedsSecondOperator extends Schema.TaggedError<NeedsSecondOperator>()("NeedsSecondOperator", {
  approval: Approval
}) {}

/** Two operators have just done it. The same request again is a double click, not a new request. */
export class JustDone extends Schema.TaggedError<JustDone>()("JustDone", { act: Schema.String }) {}

interface ActRequest {
  readonly act: ActOfTwo
  readonly target: string
  /** The body that both operators have to send. */
  readonly content: object
  /** The values that the table of acts looks at, unless they are the content. */
  readonly of?: object
}

interface PayoutTerms {
  readonly payoutNo: string
  readonly mode: string
  readonly currency: string
  readonly amount: number
}

export class SecondOperator extends Context.Service<
  SecondOperator,
  {
    /**
     * Succeeds if one operator may do it, or another has sent the same request within a day; otherwise stores this
     * request.
     */
    readonly confirm: (request: ActRequest) => Effect.Effect<void, NeedsSecondOperator | JustDone, CurrentOperator>
    /**
     * Whether one operator may approve it: together with that operator's single approvals within a day it stays within
     * the limit.
     */
    readonly approvesAlone: (payout: PayoutTerms) => Effect.Effect<boolean>
    /** The requests that wait, newest first: at most `limit`. */
    readonly waiting: (limit: number) => Effect.Effect<ReadonlyArray<Approval>>
    /** Removes requests that were not repeated in time, at most `limit`, and answers how many. */
    readonly dropExpired: (now: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("@coffer/operators/SecondOperator") {}

const validity = { hours: 24 }
/** How long the same request counts as a double click. */
const repeats = { minutes: 1 }

export const layer = Layer.effect(
  SecondOperator,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { twoOperators } = yield* Settings

    /** A request of an operator who still has access, and a role with this right. */
    const isValid = (at: string, roles: ReadonlyArray<Role> = Role.literals) => {
      const may = (role: string) => sql`${sql(role)} = any(${[...roles]}::text[])`
      return sql`expires_at > ${at}::text::timestamptz
        and (operator_id = ${fromSettings.operatorId} or exists (select from memberships m
            where m.person_id = approvals.operator_id and m.belongs_to = ${installation} and ${may("m.role")})
          or exists (select from operators first where first.operator_id = approvals.operator_id
            and first.revoked_at is null and first.expires_at > ${at}::text::timestamptz and ${may("first.role")}
            and not exists (select from unnest(first.person_ids) as known (person_id)
              where not exists (select from memberships m where m.person_id = known.person_id
                and m.belongs_to = ${installation} and ${may("m.role")}))))`
    }

    /** Whether the first operator is, or may be, one of these people. */
    const isOneOf = (personIds: ReadonlyArray<string>) => {
      const people = sql`${[...personIds]}::text[]`
      return sql`(approvals.operator_id = any(${people}) or exists (select from operators first
        where first.operator_id = approvals.operator_id and first.person_ids && ${people}))`
    }

    const waiting = SqlSchema.findAll({
      Request: Schema.Struct({ at: Schema.String, limit: Schema.Int }),
      Result: Approval,
      execute: ({ at, limit }) =>
        sql`select act, target, content, operator_id, operator, created_at, expires_at from approvals
          where ${isValid(at)} order by created_at desc, act, target, content_hash limit ${limit}`
    })

    return SecondOperator.of({
      confirm: Effect.fnUntraced(function* ({ act, content, of = content, target }) {
        if (!takesTwo(act, twoOperators, { ...of })) return
        const { name, operatorId, personIds } = yield* CurrentOperator
        const now = yield* currentTime
        const expiresAt = DateTime.add(now, validity)
        const hash = sha256(jsonText(content))
        const same = sql`act = ${act} and target = ${target} and content_hash = ${hash}`
        const at = sql`${isoText(now)}::text::timestamptz`
        const taken = yield* sqlDefects(
          sql`with taken as (delete from approvals
            where ${same} and operator_id <> ${operatorId} and not ${isOneOf(personIds)}
              and ${isValid(
                isoText(now),
                Role.literals.filter((role) => mayDo(role, act))
              )}
            returning act, target, content_hash)
          insert into approvals_done select act, target, content_hash, ${at} from taken
            on conflict (act, target, content_hash) do update set done_at = excluded.done_at returning act`
        )
        if (taken.length > 0) return
        const again = yield* sqlDefects(
          sql`select from approvals_done where ${same}
            and done_at > ${isoText(DateTime.subtract(now, repeats))}::text::timestamptz`
        )
        if (again.length > 0) return yield* new JustDone({ act })
        // Replaces a request that has expired, is this operator's own, or is of an operator who has lost access.
        const shown = redact(content) as Approval["content"]
        yield* sqlDefects(
          sql`insert into approvals (act, target, content_hash, operator_id, operator, created_at, expires_at, content)
            values (${act}, ${target}, ${hash}, ${operatorId}, ${name}, ${at},
              ${isoText(expiresAt)}::text::timestamptz, ${jsonText(shown)}::text::jsonb)
            on conflict (act, target, content_hash) do update
              set operator_id = excluded.operator_id, operator = excluded.operator, created_at = excluded.created_at,
                expires_at = excluded.expires_at, content = excluded.content`
        )
        const times = { created_at: now, expires_at: expiresAt }
        const approval = { act, target, content: shown, operator_id: operatorId, operator: name, ...times }
        return yield* new NeedsSecondOperator({ approval })
      }),
      approvesAlone: approvesAlone(sql, twoOperators.payoutsAbove),
      waiting: (limit) => Effect.flatMap(currentTime, (now) => sqlDefects(waiting({ at: isoText(now), limit }))),
      dropExpired: (now, limit) =>
        sqlDefects(
          Effect.map(
            sql`delete from approvals where (act, target, content_hash) in (
              select act, target, content_hash from approvals where expires_at <= ${isoText(now)}::text::timestamptz
              limit ${limit} for update skip locked) returning act`,
            ({ length }) => length
          )
        )
    })
  })
)

/** The lock is held until the commit: of two concurrent approvals the second counts the first. */
const approvesAlone = (sql: SqlClient.SqlClient, most: number | undefined) =>
  Effect.fnUntraced(function* ({ amount, currency, mode, payoutNo }: PayoutTerms) {
    if (most === undefined) return true
    const now = yield* currentTime
    const at = sql`${isoText(now)}::text::timestamptz`
    const since = sql`${isoText(DateTime.subtract(now, validity))}::text::timestamptz`
    return yield* sqlDefects(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(hashtext('coffer payouts_alone'))`
          yield* sql`insert into payouts_alone (payout_no, mode, currency, amount, approved_at)
            select ${payoutNo}, ${mode}, ${currency}, ${amount}::bigint, ${at}
            where ${amount}::bigint <= ${most}::bigint - (
              select coalesce(sum(amount), 0) from payouts_alone
              where mode = ${mode} and currency = ${currency} and approved_at > ${since})
            on conflict (payout_no) do nothing`
          const found = yield* sql`select from payouts_alone where payout_no = ${payoutNo}`
          yield* sql`delete from payouts_alone where approved_at <= ${since}`
          return found.length > 0
        })
      )
    )
  })
