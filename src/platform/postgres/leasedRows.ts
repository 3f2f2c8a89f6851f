/**
 * Rows that carry the time at which somebody has to look at them (docs/architecture.md, section 5). Claiming pushes
 * that time ahead, so a worker that dies with rows in hand delays them and loses none; rows that another runner is
 * claiming are passed by.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { isoText, TimeColumn } from "../runtime/codecs.ts"

type Fragment = Statement.Fragment

/** A table's rows that are due by one of its columns; a partial index on that column serves both statements. */
export interface Queue {
  readonly table: string
  readonly key: string
  readonly dueAt: string
  /** What else holds for a row that may be due; the predicate of the index. */
  readonly only?: Fragment
}

export interface Due<Row> {
  /** At most `limit` rows, those due longest first. `set` is what the update writes; it has to push the time ahead. */
  readonly claim: (
    set: (now: Fragment) => Fragment,
    now: DateTime.Utc,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError | Schema.SchemaError>
  /** Nobody has to look at this row any more. If that cannot be written down, it is claimed again, as after a crash. */
  readonly done: (key: string) => Effect.Effect<void>
  /** When the next row is due. */
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>, SqlError.SqlError | Schema.SchemaError>
}

export const leasedRows = <Row>(
  sql: SqlClient.SqlClient,
  { dueAt, key, table, only = sql`${sql(dueAt)} is not null` }: Queue,
  row: Schema.Codec<Row, unknown> & { readonly fields?: Readonly<Record<string, unknown>> }
): Due<Row> => {
  const decodeRows = Schema.decodeUnknownEffect(Schema.Array(row))
  // Of a union it is not said which columns it is about.
  const shown =
    row.fields === undefined ? sql`*` : sql.csv(Object.keys(row.fields).map((column) => sql`${sql(column)}`))
  const from = sql`from ${sql(table)} where ${only}`
  return {
    claim: (set, now, limit) => {
      const at = sql`${isoText(now)}::text::timestamptz`
      return Effect.flatMap(
        sql`update ${sql(table)} set ${set(at)} where ${sql(key)} in (
            select ${sql(key)} ${from} and ${sql(dueAt)} <= ${at}
            order by ${sql(dueAt)} limit ${limit} for update skip locked)
          returning ${shown}`,
        decodeRows
      )
    },
    done: (value) =>
      Effect.ignore(sql`update ${sql(table)} set ${sql(dueAt)} = null where ${sql(key)} = ${value}`, { log: "Warn" }),
    next: Effect.suspend(() => sql`select ${sql(dueAt)} as at ${from} order by ${sql(dueAt)} limit 1`).pipe(
      Effect.flatMap(decodeTimes),
      Effect.map(([first]) => Option.fromNullishOr(first?.at))
    )
  }
}

const decodeTimes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ at: TimeColumn })))
