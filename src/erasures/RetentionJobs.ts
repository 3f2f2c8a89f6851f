/**
 * Drops rows that are older than an operator keeps them: deliveries with their attempts (KEEP_DELIVERIES), and mails
 * (KEEP_MAILS). Without the setting they stay for ever. A delivery or a mail that is still due stays, too. The time up
 * to which rows were dropped is written with them, since the auditor looks for a delivery of each event.
 */
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import { DateTime, type Duration, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { hourly, Workers } from "../platform/jobs/Workers.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { isoText } from "../platform/runtime/codecs.ts"
import { Settings } from "../platform/runtime/Settings.ts"

/** Rows of one transaction. */
const batchMax = 500

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const sql = yield* SqlClient.SqlClient
    const { keepDeliveries, keepMails } = yield* Settings
    const drop = makeDrop(sql)
    const kept = (keep: Duration.Duration | undefined, name: string, of: (before: DateTime.Utc) => Drop) =>
      keep === undefined
        ? Effect.void
        : supervise(() => hourly(name, (now) => drop(of(DateTime.subtractDuration(now, keep)))))

    yield* kept(keepDeliveries, "deliveries that are kept no longer", (before) => ({
      kind: "deliveries",
      before,
      // Their numbers are in the order of their times.
      statement: sql`with old as materialized (select id from deliveries
          where id < ${prefixes.delivery + firstIdBody(DateTime.toEpochMillis(before))} and status <> 'pending'
          order by id limit ${batchMax}::int4 for update skip locked),
        attempts as (delete from delivery_attempts a using old where a.delivery_id = old.id)
        delete from deliveries d using old where d.id = old.id returning 1`
    }))
    yield* kept(keepMails, "mails that are kept no longer", (before) => ({
      kind: "mails",
      before,
      statement: sql`delete from mails where id in (select id from mails
        where created_at < ${isoText(before)}::text::timestamptz and due_at is null
        order by created_at limit ${batchMax}::int4 for update skip locked) returning 1`
    }))
  })
)

interface Drop {
  readonly kind: "deliveries" | "mails"
  readonly before: DateTime.Utc
  readonly statement: Statement.Statement<object>
}

/** How many rows were dropped. */
const makeDrop =
  (sql: SqlClient.SqlClient) =>
  ({ before, kind, statement }: Drop) =>
    sqlDefects(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into retention as r values (${kind}, ${isoText(before)}::text::timestamptz)
            on conflict (kind) do update set dropped_before = greatest(r.dropped_before, excluded.dropped_before)`
          return (yield* statement).length
        })
      )
    )
