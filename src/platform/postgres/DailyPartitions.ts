/**
 * A table in partitions, one for each UTC day: a day is dropped as a whole, at once. N runners may create or drop the
 * same day together. Functions of the tables' owner do it (migration 0192), since the service's role may not.
 */
import { isoText } from "@coffer/model/isoText"
import { type DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { patiently } from "../runtime/patience.ts"

/** How long to wait for a list that reads the table meanwhile. */
const lockTimeout = "5s"
/** How long making or dropping days may take in all. */
const patience = "1 minute"

/** `2026-11-27`. */
const dateOf = (moment: DateTime.Utc): string => isoText(moment).slice(0, 10)

export const make = (sql: SqlClient.SqlClient, table: "api_logs" | "api_log_bodies") => {
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

  const open = (date: string) => sql`select open_log_day(${table}, ${date}::text::date)`

  /** Days whose partitions exist, as far as this runner knows. */
  const opened = new Set<string>()

  return {
    /** Makes the partitions of the days with these moments where there are none. It asks Postgres once for each day. */
    open: Effect.fnUntraced(function* (moments: ReadonlyArray<DateTime.Utc>) {
      const days = [...new Set(moments.map(dateOf))].filter((day) => !opened.has(day))
      if (days.length === 0) return
      yield* reshape(Effect.forEach(days, open, { discard: true }))
      for (const day of days) opened.add(day)
    }),

    /** The next `open` asks Postgres again: another program dropped a partition. */
    forget: Effect.sync(() => opened.clear()),

    /** Drops the partitions of all days before this one. */
    dropBefore: Effect.fnUntraced(function* (day: DateTime.Utc) {
      const date = dateOf(day)
      const first = `${table}_${date.replaceAll("-", "")}`
      const old = yield* sql`select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ${table}::regclass and c.relname < ${first} limit 1`
      if (old.length === 0) return
      const rows = yield* reshape(sql`select drop_log_days(${table}, ${date}::text::date) as name`)
      const names = (yield* decodeNames(rows)).map(({ name }) => name)
      opened.clear()
      if (names.length > 0) yield* Effect.logInfo("days dropped", { partitions: names })
    })
  }
}

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))
