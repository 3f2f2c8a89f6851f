/**
 * A migration in a transaction of its own that lets others pass. All other statements queue behind one that waits for a
 * lock: payments, too, until a dump ends. So it waits for a lock as long as a payment does, releases all of its locks,
 * and retries later each time. The log says who holds the lock.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { notMigrated } from "./migrationSteps.ts"
import * as Postgres from "./Postgres.ts"
import { patiently } from "../runtime/patience.ts"
import { onRealTime } from "../runtime/realTime.ts"
import { troubleOf } from "./trouble.ts"

/** A migration may rewrite a table, and another runner's may have to end first. */
export const migrationPatience = "1 hour"
/** The first pause between two tries, which doubles up to the longest. */
const [pause, longestPause] = ["1 second", "30 seconds"] as const

/**
 * Concurrent migrators would fail on the same rows of the catalogue. A session may remember from before the wait that a
 * table is not there, and forgets that when it opens any table.
 */
export const inTurn = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    sql`select pg_advisory_xact_lock(hashtext('coffer migrations'))`,
    sql`select relname from pg_class limit 1`
  )

/** Takes its locks within a second, or releases all, logs who has them, and retries. */
export const withoutQueue = <A, E, R>(migrating: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* Postgres.Pool
    const watch = Postgres.layer({ url, connections: 1, name: "coffer-migrate-watch", watched: false })
    const watcher = Context.get(yield* Layer.build(watch), SqlClient.SqlClient)
    const sql = yield* SqlClient.SqlClient
    let [holders, logged] = ["another session", ""]
    const watching = (pid: number) =>
      holdersBefore(watcher, pid).pipe(
        Effect.tap((found) => Effect.sync(() => void (holders = found ?? holders))),
        Effect.ignore,
        Effect.repeat(Schedule.spaced(lookEvery)),
        Effect.andThen(Effect.never)
      )
    const tellOnce = Effect.suspend(() => {
      if (logged === holders) return Effect.void
      logged = holders
      return Effect.logWarning(
        `the migration waits for a lock that ${holders} holds; it is retried for ${migrationPatience} at most`
      )
    })
    const attempt = sql
      .withTransaction(
        Effect.flatMap(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) =>
          Effect.raceFirst(Effect.andThen(inTurn(sql), migrating), watching(row!.pid))
        )
      )
      .pipe(
        patiently(migrationPatience),
        Effect.tapError((error) => (isLocked(error) ? tellOnce : Effect.void))
      )
    return yield* Effect.retry(attempt, {
      while: isLocked,
      schedule: Schedule.min([Schedule.exponential(pause), Schedule.spaced(longestPause)]).pipe(
        Schedule.upTo({ duration: migrationPatience })
      )
    }).pipe(
      Effect.catchIf(isLocked, () =>
        notMigrated(`The database could not be migrated within ${migrationPatience}: ${holders} holds a lock.`)
      )
    )
  }).pipe(Effect.scoped, onRealTime)

/** More often than a wait for a lock ends. */
const lookEvery = "250 millis"

/** The sessions for which this one waits, as text; not those that wait themselves. */
const holdersBefore = (sql: SqlClient.SqlClient, pid: number) =>
  Effect.map(
    sql<{ readonly pid: number; readonly name: string; readonly role: string | null }>`
      select pid, coalesce(nullif(application_name, ''), 'a session without a name') as name, usename as role
      from pg_stat_activity where pid = any (pg_blocking_pids(${pid}))
        and wait_event_type is distinct from 'Lock' order by pid`,
    (rows) =>
      rows.length === 0
        ? undefined
        : rows.map(({ name, pid, role }) => `pid ${pid} (${name}${role === null ? "" : ` of ${role}`})`).join(", ")
  )

export const isLocked = (error: unknown): boolean =>
  troubleOf(error) === "locked" || (error instanceof Migrator.MigrationError && troubleOf(error.cause) === "locked")
