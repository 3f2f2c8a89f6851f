/**
 * A table in partitions, one for each UTC day: a day that is over goes as a whole, at once. N runners may make or drop
 * the same day together.
 */
import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { patiently } from "../runtime/patience.ts"

/** How long to wait for a list that reads the table meanwhile. */
const lockTimeout = "5s"
/** How long making or dropping days may take in all. */
const patience = "1 minute"

export const make = (sql: SqlClient.SqlClient, table: string) => {
  /** The UTC day in the partition's name: `20260131`. */
  const nameOf = (date: string) => `${table}_${date.replaceAll("-", "")}`

  /** One runner at a time. */
  const reshape = <A, E, R>(statements: Effect.Effect<A, E, R>) =>
    sql
      .withTransaction(
        Effect.andThen(
          Effect.all([
            sql`set local lock_timeout to ${sql.literal(`'${lockTimeout}'`)}`,
            sql`select pg_advisory_xact_lock(hashtext(${table}))`
          ]),
          statements
        )
      )
      .pipe(patiently(patience))

  const open = (date: string) => {
    const start = `'${date} 00:00:00+00'`
    return sql.unsafe(`create table if not exists ${nameOf(date)} partition of ${table}
      for values from (${start}) to (timestamptz ${start} + interval '24 hours')`)
  }

  /** Days whose partitions this runner knows to be there. */
  const opened = new Set<string>()

  return {
    /** Makes the partitions of the days with these moments where there are none. It asks Postgres once for each day. */
    open: Effect.fnUntraced(function* (moments: ReadonlyArray<DateTime.Utc>) {
      const days = [...new Set(moments.map(DateTime.formatIsoDateUtc))].filter((day) => !opened.has(day))
      if (days.length === 0) return
      yield* reshape(Effect.forEach(days, open, { discard: true }))
      for (const day of days) opened.add(day)
    }),

    /** The next `open` asks Postgres again: somebody else dropped a partition. */
    forget: Effect.sync(() => opened.clear()),

    /** Drops the partitions of all days before this one. */
    dropBefore: Effect.fnUntraced(function* (day: DateTime.Utc) {
      const first = nameOf(DateTime.formatIsoDateUtc(day))
      const rows = yield* sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ${table}::regclass order by c.relname`
      const names = (yield* decodeNames(rows)).map(({ name }) => name).filter((name) => name < first)
      if (names.length === 0) return
      yield* reshape(Effect.forEach(names, (name) => sql`drop table if exists ${sql(name)}`, { discard: true }))
      opened.clear()
      yield* Effect.logInfo("days dropped", { partitions: names })
    })
  }
}

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
