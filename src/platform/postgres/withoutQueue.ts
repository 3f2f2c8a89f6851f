/**
 * A migration in a transaction of its own that lets others pass. All other statements queue behind one that waits for a
 * lock: payments, too, until a dump ends. So it waits for a lock as long as a payment does, releases all of its locks,
 * and retries once the transaction has ended that held the lock, or after a pause. The log says who holds the lock.
 */
import { Context, Duration, Effect, Layer, Schedule } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { notMigrated } from "./migrationSteps.ts"
import * as Postgres from "./Postgres.ts"
import { patiently } from "../runtime/patience.ts"
import { elapsedMillis, onRealTime } from "../runtime/realTime.ts"
import { troubleOf } from "./trouble.ts"

/** A migration may rewrite a table, and another runner's may have to end first. */
export const migrationPatience = "1 hour"
/** The first pause between two tries, which doubles up to the longest. */
export const Pauses = Context.Reference<{ readonly first: Duration.Input; readonly longest: Duration.Input }>(
  "@coffer/platform/withoutQueue/Pauses",
  { defaultValue: () => ({ first: "1 second", longest: "30 seconds" }) }
)

/**
 * Concurrent migrators would fail on the same rows of the catalogue. A session may remember from before the wait that a
 * table is not there, and forgets that when it opens any table.
 */
export const inTurn = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    sql`select pg_advisory_xact_lock(hashtext('coffer migrations'))`,
    sql`select relname from pg_class limit 1`
  )

interface Holders {
  readonly names: string
  /** Their transactions. */
  readonly transactions: ReadonlyArray<string>
}

/** Takes its locks within a second, or releases all, logs who has them, and retries. */
export const withoutQueue = <A, E, R>(migrating: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* Postgres.Pool
    const watch = Postgres.layer({ url, connections: 1, name: "coffer-migrate-watch", watched: false })
    const watcher = Context.get(yield* Layer.build(watch), SqlClient.SqlClient)
    const sql = yield* SqlClient.SqlClient
    let holders: Holders = { names: "another session", transactions: [] }
    let logged = ""
    const watching = (pid: number) =>
      holdersBefore(watcher, pid).pipe(
        Effect.tap((found) => Effect.sync(() => void (holders = found ?? holders))),
        Effect.ignore,
        Effect.repeat(Schedule.spaced(lookEvery)),
        Effect.andThen(Effect.never)
      )
    const tellOnce = Effect.suspend(() => {
      if (logged === holders.names) return Effect.void
      logged = holders.names
      return Effect.logWarning(
        `the migration waits for a lock that ${holders.names} holds; it is retried for ${migrationPatience} at most`
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
    const { first, longest } = yield* Pauses
    const ends = elapsedMillis() + Duration.toMillis(migrationPatience)
    for (let pause = Duration.toMillis(first); ; pause = Math.min(2 * pause, Duration.toMillis(longest))) {
      const tried = yield* Effect.result(attempt)
      if (tried._tag === "Success") return tried.success
      if (!isLocked(tried.failure)) return yield* Effect.fail(tried.failure)
      if (elapsedMillis() >= ends) {
        return yield* notMigrated(
          `The database could not be migrated within ${migrationPatience}: ${holders.names} holds a lock.`
        )
      }
      yield* Effect.raceFirst(Effect.sleep(pause), untilEnded(watcher, holders))
    }
  }).pipe(Effect.scoped, onRealTime)

/** More often than a wait for a lock ends. */
const lookEvery = "250 millis"

/** A session that goes on with another transaction holds the lock no more. */
const transactionOf = "pid || ' ' || coalesce(xact_start::text, '')"

const untilEnded = (sql: SqlClient.SqlClient, { transactions }: Holders) =>
  transactions.length === 0
    ? Effect.never
    : sql.unsafe(`select 1 from pg_stat_activity where ${transactionOf} = any($1::text[])`, [transactions]).pipe(
        Effect.repeat({ until: ({ length }) => length === 0, schedule: Schedule.spaced(lookEvery) }),
        // The pause ends all the same.
        Effect.catch(() => Effect.never)
      )

/** The sessions for which this one waits; not those that wait themselves. */
const holdersBefore = (sql: SqlClient.SqlClient, pid: number) =>
  Effect.map(
    sql<{ readonly pid: number; readonly name: string; readonly role: string | null; readonly transaction: string }>`
      select pid, ${sql.literal(transactionOf)} as transaction,
        coalesce(nullif(application_name, ''), 'a session without a name') as name, usename as role
      from pg_stat_activity where pid = any (pg_blocking_pids(${pid}))
        and wait_event_type is distinct from 'Lock' order by pid`,
    (rows): Holders | undefined =>
      rows.length === 0
        ? undefined
        : {
            names: rows
              .map(({ name, pid, role }) => `pid ${pid} (${name}${role === null ? "" : ` of ${role}`})`)
              .join(", "),
            transactions: rows.map(({ transaction }) => transaction)
          }
  )

export const isLocked = (error: unknown): boolean =>
  troubleOf(error) === "locked" || (error instanceof Migrator.MigrationError && troubleOf(error.cause) === "locked")
