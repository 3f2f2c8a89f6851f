/**
 * A database may be used by one single process, or by the members of one cluster. A second single process would get
 * none of the shard locks, but would still create orders, merchants and deliveries. So it waits here before it writes
 * anything, and logs which process it waits for.
 *
 * The lock is an advisory lock of Postgres, exclusive for a single process and shared for members. It has a connection
 * of its own, which Postgres closes 15 s after the process has stopped answering, as with shard locks, or another
 * runner sooner (`Roster.closeSilent`). If the connection is lost later, the process continues: the shard locks and the
 * version of each row still prevent conflicting writes.
 *
 * On the same connection the process holds a second lock, whose key is the number of its run. It shows the others that
 * this run has not ended (`Runs.ts`).
 */
import { randomBytes, randomInt } from "node:crypto"
import { hostname } from "node:os"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { onRealTime } from "./realTime.ts"

/**
 * A name for this process in `pg_stat_activity`, by which others can name it. In containers each process may have the
 * same pid and the same host, so a random part follows. Postgres keeps 63 characters, and a word may follow. The
 * connections that hold locks must have this name (`application_name`).
 */
export const processNameOf = (application: string): string =>
  `${application} ${process.pid}@${hostname().slice(0, 30)}#${randomBytes(4).toString("hex")}`

/** The pid in such a name. */
export const pidIn = (processName: string): number | undefined => {
  const [, pid] = / (\d+)@/.exec(processName) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/**
 * The number of this run of the program. The same process started again is another run. Null where the process has no
 * lock, as with the embedded database.
 */
export const Run = Context.Reference<number | null>("@coffer/cluster/Run", { defaultValue: () => null })

export interface Options<E, E2> {
  /** A client with one connection, which is used for nothing else and has the name of this process. */
  readonly session: Layer.Layer<SqlClient.SqlClient, E2>
  /** Whether this process is in no cluster. */
  readonly isSingle: boolean
  /** Numbers that say what this process has, such as a key. Others see them as locks (`markHolders`). */
  readonly marks?: ReadonlyArray<number>
  /** Runs with the name of the process that has the lock while this one has to wait. It is interrupted afterwards. */
  readonly whileWaiting: (holder: string) => Effect.Effect<never, E>
}

/** Succeeds with the number of this run when the process may use the database. The locks last as long as the scope. */
export const acquire = Effect.fnUntraced(function* <E, E2>({
  isSingle,
  marks = [],
  session: layer,
  whileWaiting
}: Options<E, E2>) {
  const sql = Context.get(yield* Layer.build(layer), SqlClient.SqlClient)
  const run = randomInt(firstRun, 2 ** 31)
  const session = yield* openSession(sql, { isSingle, marks, run })

  const other = yield* session.blockedBy
  if (other !== undefined) {
    const free = session.blockedBy.pipe(
      Effect.repeat({ until: (found) => found === undefined, schedule: Schedule.spaced("1 second") })
    )
    yield* Effect.raceFirst(free, whileWaiting(other))
  }
  yield* session.staysAlive.pipe(
    // A new session takes the lock again if it is free, and continues without it otherwise.
    Effect.catch(() => Effect.scoped(Effect.flatMap(openSession(sql, { isSingle, marks, run }), lockAgain))),
    Effect.retry(Schedule.spaced(reopenEvery)),
    Effect.forkScoped
  )
  return run
}, onRealTime)

/** The sessions that hold the locks of two runs, read at one moment. Postgres frees a lock when its session is gone. */
export const sessionsOf = (sql: SqlClient.SqlClient, own: number | null, other: number) =>
  Effect.map(
    sql.unsafe<{ own: number | null; other: number | null }>(
      `select ${sessionOfRun("$1::int4::oid")} as own, ${sessionOfRun("$2::int4::oid")} as other`,
      [own, other]
    ),
    ([row]) => row!
  )

/** SQL, to be put after `with`: the locks that processes of this database hold, read once for all rows. */
export const heldLocks = `held as materialized (select l.classid, l.objid, l.pid, a.application_name as process
    from pg_locks l join pg_stat_activity a using (pid) where l.locktype = 'advisory' and l.granted
      and l.database = (select oid from pg_database where datname = current_database()))`

/**
 * SQL over `heldLocks`: whether the process of a row with the columns `run` and `process` still has a session that
 * holds a lock, its shards' or that of its run. Either connection may be lost for a moment while the process lives.
 */
export const livesOf = (row: string): string =>
  `exists (select from held h
    where (h.classid = ${family} and h.objid = ${row}.run::oid) or h.process = ${row}.process)`

/** SQL over `heldLocks`: the session that holds the lock of the run of this row, null without one. */
export const sessionOf = (row: string): string =>
  `(select min(h.pid) from held h where h.classid = ${family} and h.objid = ${row}.run::oid)`

/** Whether a process on this database lacks this mark, and which session holds the lock of this run. */
export const markHolders = (sql: SqlClient.SqlClient, mark: number, own: number | null) =>
  Effect.map(
    sql.unsafe<{ someLack: boolean; own: number | null }>(
      `select ${sessionOfRun("$2::int4::oid")} as own, exists (select ${holders(String(member))}
          and not exists (select from pg_locks k where k.pid = l.pid and k.granted
            and k.locktype = 'advisory' and k.database = l.database and k.classid = ${markFamily}
            and k.objid = $1::int4::oid)) as "someLack"`,
      [mark, own]
    ),
    ([row]) => row!
  )

/** The process, other than this one, that has the database for itself; undefined where none has. */
export const holderAlone = (sql: SqlClient.SqlClient, except = "") =>
  Effect.map(
    sql.unsafe<{ name: string }>(
      `select a.application_name as name ${holders(String(member))} and l.mode = 'ExclusiveLock'
        and a.application_name <> $1 limit 1`,
      [except]
    ),
    ([row]) => (row === undefined ? undefined : inWords(row.name))
  )

/** A name of a process, for people. */
const inWords = (name: string) => name.replace(/^\w+ (\d+)@([^#]*).*/, "pid $1 on $2")

const lockAgain = ({ blockedBy, staysAlive }: Session) => Effect.andThen(blockedBy, staysAlive)

interface Session {
  /** Takes the lock. If it is not free, returns the name of a process that has it. */
  readonly blockedBy: Effect.Effect<string | undefined, SqlError.SqlError>
  /** Fails when the connection is lost. */
  readonly staysAlive: Effect.Effect<never, SqlError.SqlError>
}

/** A lost session is noticed within this, and opened again as soon as Postgres answers. */
const lookEvery = "1 second"
const reopenEvery = "250 millis"

/** The keys of the locks: two numbers each that no other program on this database uses. */
const [family, member, firstRun] = [1_668_245_094, 1, 2]
const markFamily = family + 1

/** The holders of locks. */
const held = `from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.classid = ${family} and l.granted
    and l.database = (select oid from pg_database where datname = current_database())`
/** The holder of the lock whose second number is this. */
const holders = (number: string) => `${held} and l.objid = ${number}`
/** SQL: the session that holds the lock of this run, null without one. */
export const sessionOfRun = (run: string) => `(select min(l.pid) ${holders(run)})`
/** The numbers of all runs that have not ended, as an array. */
export const standingRuns = `array(select l.objid ${held})`

interface Holding {
  readonly isSingle: boolean
  readonly marks: ReadonlyArray<number>
  readonly run: number
}

const openSession = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { isSingle, marks, run }: Holding) {
  const connection = yield* sql.reserve
  yield* connection.executeRaw("select set_config('idle_session_timeout', '15000', false)", [])
  // Shared, because Postgres may not have noticed yet that the connection before this one is gone.
  yield* connection.executeRaw(`select pg_advisory_lock_shared(${family}, ${run})`, [])
  for (const mark of marks) yield* connection.executeRaw(`select pg_advisory_lock_shared(${markFamily}, ${mark})`, [])
  const take = `pg_try_advisory_lock${isSingle ? "" : "_shared"}(${family}, ${member})`
  const holder = `select a.application_name ${holders(String(member))}
    and l.pid <> pg_backend_pid() order by a.backend_start limit 1`
  const session: Session = {
    blockedBy: Effect.gen(function* () {
      const [[taken] = []] = yield* connection.executeValues(`select ${take}`, [])
      if (taken === true) return undefined
      const [[name] = []] = yield* connection.executeValues(holder, [])
      return inWords(String(name ?? "just ended"))
    }),
    staysAlive: connection.executeRaw("select 1", []).pipe(Effect.delay(lookEvery), Effect.forever)
  }
  return session
})
