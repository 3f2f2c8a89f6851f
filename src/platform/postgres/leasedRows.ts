/**
 * Rows that carry the time at which a worker has to look at them (docs/architecture.md, section 5). Leasing pushes that
 * time ahead, so a worker that dies with rows in hand delays them and loses none; rows that another runner is leasing
 * are skipped. Work on a row ends before its lease does (`forEachLeased.ts`), so no row is worked on twice at once
 * (docs/decisions/0003). Model: models/leases.pml.
 */
import { isoText } from "@coffer/model/isoText"
import { type DateTime, Effect, identity, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { TimeColumn } from "../runtime/codecs.ts"
import { arrayLiteral } from "./arrayLiteral.ts"
import { sqlDefects } from "./sqlDefect.ts"

type Fragment = Statement.Fragment

/** The limit of work on a row, unless it sets another. */
export const workMax = "25 seconds"
/** The shortest lease: it covers the work, and the time to record its end. */
const leaseSecondsMin = 30

/** A table's rows that are due by one of its columns; a partial index on that column serves both statements. */
export interface Queue {
  readonly table: string
  readonly key: string
  readonly dueAt: string
  /** A further condition of a row that may be due; the predicate of the index. */
  readonly only?: Fragment
  /** The lease of a row: an interval. Then it is due again. */
  readonly lease: Fragment
  /**
   * Where `lease` may be shorter than the work: when a row is due again once the work has ended, after its lease began.
   * The same as `lease`, as it reads when the lease has been counted.
   */
  readonly again?: Fragment
  /** The column that counts how often a row was leased; null is never. */
  readonly attempts?: string
  /** The condition of a row of this merchant's sandbox. By default the table has a merchant and a mode. */
  readonly ofSandbox?: (merchantId: Fragment) => Fragment
  /** Whether its rows have a merchant and a mode, by which the backlog is shown. */
  readonly isOwned?: boolean
  /** The column that says why the last look failed. */
  readonly error?: string
}

/** By key: why the work on a row failed, or null. */
export type Outcomes = ReadonlyMap<string, string | null>

/**
 * A lease that grows: `soon` for the first `often` leases and one more, then twice as long each time, `late` at most.
 * All are seconds. `counted`: how many leases the column has counted since.
 */
export const backOff = (
  sql: SqlClient.SqlClient,
  attempts: string,
  { late, often = 0, soon }: { readonly soon: number; readonly late: number; readonly often?: number },
  counted = 0
): Fragment => {
  const longer = sql`least(greatest(${sql(attempts)} - ${often + counted}, 0), 16)`
  return sql`least(${soon} * power(2, ${longer}), ${late}) * interval '1 second'`
}

/** The same for rows whose work may take longer than `soon`. */
export const backOffAfterWork = (...[sql, attempts, waits]: Parameters<typeof backOff>) => ({
  attempts,
  lease: backOff(sql, attempts, waits),
  again: backOff(sql, attempts, waits, 1)
})

/** What a worker asks of its rows. */
export interface DueRows<Item> {
  /** At most `limit` rows, those due longest first; of one merchant's sandbox, if it is named. */
  readonly leaseDue: (now: DateTime.Utc, limit: number, merchantId?: string) => Effect.Effect<ReadonlyArray<Item>>
  /** When the next row is due. */
  readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
  /** The same for each of these sandboxes that has any. */
  readonly nextDueOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
  /** As `ended`, and stores the outcome for operators. If that cannot be written at once it is skipped. */
  readonly noteOutcomes: (outcomes: Outcomes) => Effect.Effect<void>
  readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
}

interface LeasedRows<Item> extends DueRows<Item> {
  /** The row is no longer due. If this cannot be written, it is leased again, as after a crash. */
  readonly done: (key: string) => Effect.Effect<void>
  /** The work on these rows has ended. A row that is still leased is due again after its wait. */
  readonly ended: (keys: ReadonlyArray<string>) => Effect.Effect<void>
}

/** When the first row of a sandbox is due. */
export const DueSandbox = Schema.Struct({ merchantId: Schema.String, at: TimeColumn })
export type DueSandbox = typeof DueSandbox.Type
export const decodeDueSandboxes = Schema.decodeUnknownEffect(Schema.Array(DueSandbox))

/** Due rows that no worker has leased, counted up to 10,000. */
export interface Backlog {
  readonly count: number
  /** Since when the first of them has been due. */
  readonly oldest: DateTime.Utc | null
  /** Those of each account, where rows have one. */
  readonly owners?: ReadonlyArray<OwnedBacklog>
}

export interface OwnedBacklog {
  readonly merchantId: string
  readonly mode: string
  readonly count: number
  readonly oldest: DateTime.Utc
}
const backlogMax = 10_000

/** `read`: what a row that was leased stands for. */
export const leasedRows = <Row, Item = Row>(
  sql: SqlClient.SqlClient,
  {
    again,
    attempts,
    dueAt,
    error,
    isOwned = false,
    key,
    lease,
    ofSandbox = (merchantId) => sql`merchant_id = ${merchantId} and mode = 'sandbox'`,
    only = sql`${sql(dueAt)} is not null`,
    table
  }: Queue,
  row: Schema.Codec<Row, unknown> & { readonly fields?: Readonly<Record<string, unknown>> },
  read = identity as (row: Row) => Item
): LeasedRows<Item> => {
  const decodeRows = Schema.decodeUnknownEffect(Schema.Array(row))
  // A union does not list its columns.
  const shown =
    row.fields === undefined ? sql`*` : sql.csv(Object.keys(row.fields).map((column) => sql`${sql(column)}`))
  const counted = attempts === undefined ? sql`` : sql`${sql(attempts)} = coalesce(${sql(attempts)}, 0) + 1,`
  const from = sql`from ${sql(table)} where ${only}`
  const { ended, leased, remember } = makeLeases(sql, { again, dueAt, key, lease, table })
  return {
    leaseDue: (now, limit, merchantId) => {
      const time = isoText(now)
      const at = sql`${time}::text::timestamptz`
      const whose = merchantId === undefined ? sql`` : sql`and ${ofSandbox(sql`${merchantId}::text`)}`
      const leasedNow = Effect.tap(
        sql`update ${sql(table)} set ${counted} ${sql(dueAt)} = ${at} + ${leased} where ${sql(key)} in (
            select ${sql(key)} ${from} and ${sql(dueAt)} <= ${at} ${whose}
            order by ${sql(dueAt)} limit ${limit} for update skip locked)
          returning ${shown}`,
        (rows) => Effect.sync(() => remember(rows, time))
      )
      return sqlDefects(Effect.map(Effect.flatMap(leasedNow, decodeRows), (rows) => rows.map(read)))
    },
    done: (value) =>
      Effect.ignore(sql`update ${sql(table)} set ${sql(dueAt)} = null where ${sql(key)} = ${value}`, { log: "Warn" }),
    ended,
    noteOutcomes: (outcomes) =>
      Effect.andThen(
        ended([...outcomes.keys()]),
        error === undefined ? Effect.void : noteOutcomes(sql, { table, key, error }, outcomes)
      ),
    nextDue: Effect.suspend(() => sql`select ${sql(dueAt)} as at ${from} order by ${sql(dueAt)} limit 1`).pipe(
      Effect.flatMap(decodeTimes),
      Effect.map(([first]) => Option.fromNullishOr(first?.at)),
      sqlDefects
    ),
    nextDueOf: (merchantIds) =>
      sqlDefects(
        Effect.flatMap(
          sql`select sandbox.id as "merchantId", first.at from unnest(${merchantIds}::text[]) as sandbox (id)
            cross join lateral (select ${sql(dueAt)} as at ${from} and ${ofSandbox(sql`sandbox.id`)}
              order by ${sql(dueAt)} limit 1) as first`,
          decodeDueSandboxes
        )
      ),
    backlog: (now) =>
      backlogOf(
        sql,
        sql`select ${sql(dueAt)} as at, ${isOwned ? sql`merchant_id, mode` : sql`null as merchant_id, null as mode`}
          ${from} and ${sql(dueAt)} <= ${isoText(now)}::text::timestamptz order by ${sql(dueAt)} limit ${backlogMax}`
      )
  }
}

/** Rows that are worked on here, and their leases. */
const makeLeases = (
  sql: SqlClient.SqlClient,
  { again, dueAt, key, lease, table }: Omit<Queue, "again"> & { readonly again: Fragment | undefined }
) => {
  const longEnough = (wait: Fragment) => sql`greatest(${wait}, ${leaseSecondsMin} * interval '1 second')`
  const leased = again === undefined ? lease : longEnough(lease)
  /** When each row that is worked on was leased here. */
  const leasedAt = new Map<string, string>()
  const remember = (rows: ReadonlyArray<unknown>, at: string) =>
    again === undefined || rows.forEach((row) => leasedAt.set(String((row as Record<string, unknown>)[key]), at))
  const ended = (keys: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const known = keys.filter((each) => leasedAt.has(each))
      if (again === undefined || known.length === 0) return Effect.void
      const times = known.map((each) => leasedAt.get(each)!)
      for (const each of known) leasedAt.delete(each)
      // A row with another due time was changed by the work, or is leased by another runner.
      return Effect.ignore(
        sql`update ${sql(table)} set ${sql(dueAt)} = leased.at + ${again}
          from (select key, at::timestamptz from unnest(${known}::text[], ${times}::text[]) as ended (key, at))
            as leased
          where ${sql(`${table}.${key}`)} = leased.key and ${sql(dueAt)} = leased.at + ${longEnough(again)}`,
        { log: "Warn" }
      )
    })
  return { ended, leased, remember }
}

/** Rows that another transaction has locked are left out, so that no write waits for this one. */
const noteOutcomes = (
  sql: SqlClient.SqlClient,
  { error, key, table }: Required<Pick<Queue, "table" | "key" | "error">>,
  outcomes: Outcomes
) => {
  const reasons = arrayLiteral([...outcomes.values()])
  const results = sql`unnest(${[...outcomes.keys()]}::text[], ${reasons}::text::text[]) as results (key, reason)`
  return Effect.ignore(
    sql`with changed as (
        select results.* from ${sql(table)} join ${results} on ${sql(`${table}.${key}`)} = results.key
        where ${sql(`${table}.${error}`)} is distinct from results.reason for update of ${sql(table)} skip locked)
      update ${sql(table)} set ${sql(error)} = changed.reason from changed
      where ${sql(`${table}.${key}`)} = changed.key`,
    { log: "Warn" }
  )
}

/** `due`: the due rows with `at`, `merchant_id` and `mode`, or nulls for those. */
export const backlogOf = (sql: SqlClient.SqlClient, due: Fragment): Effect.Effect<Backlog> =>
  sql`select merchant_id as "merchantId", mode, count(*)::int4 as count, min(at) as oldest
    from (${due}) as due group by merchant_id, mode order by min(at)`.pipe(
    Effect.flatMap(decodeBacklogs),
    Effect.map((groups) => ({
      count: groups.reduce((sum, { count }) => sum + count, 0),
      oldest: groups[0]?.oldest ?? null,
      owners: groups.flatMap(({ merchantId, mode, ...due }) =>
        merchantId === null || mode === null ? [] : [{ merchantId, mode, ...due }]
      )
    })),
    sqlDefects
  )

const nullableText = Schema.NullOr(Schema.String)
const decodeBacklogs = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ merchantId: nullableText, mode: nullableText, count: Schema.Int, oldest: TimeColumn }))
)

const decodeTimes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ at: TimeColumn })))
