/**
 * The table in which runners describe themselves when they join, and which of them have ended. The library's own
 * register has only their addresses, and considers a killed runner alive until a ping has failed. Postgres knows at
 * once: the locks of a process end with its connections.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Tenancy from "./Tenancy.ts"
import { addressOf, canTalk, TakesPart, ThisRunner } from "./ThisRunner.ts"

export interface Entry {
  /** Host and port of its runner port. */
  readonly address: string
  readonly version: string
  /** The shapes of messages that it understands (`ThisRunner.ts`). */
  readonly messages: ReadonlyArray<number>
  /** The number of its run; null where it has no lock, and counts as alive. */
  readonly run: number | null
  /** The session of Postgres that holds the lock of its run. */
  readonly session: number | null
  /** Whether Postgres still has a connection of it that holds a lock. */
  readonly lives: boolean
  /** Whether it wants shards (`TakesPart`). */
  readonly takes_part: boolean
}

type Self = ThisRunner["Service"]

/** By address. */
export type Entries = ReadonlyMap<string, Entry>

export class Roster extends Context.Service<
  Roster,
  {
    /** The address of this runner; undefined for a process that is alone. */
    readonly own: string | undefined
    /** Empty for a process that is alone. */
    readonly entries: Effect.Effect<Entries, SqlError.SqlError>
    /** Whether this runner wants shards now. */
    readonly takesPart: () => boolean
    /** Declares that this runner leaves intentionally. */
    readonly leave: Effect.Effect<void>
    /**
     * Closes all sessions of the runner at this address if Postgres has heard nothing of it for `silentMillisMin`.
     * Whether it did.
     */
    readonly closeSilent: (address: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("@coffer/cluster/Roster") {}

/** Why this runner does not join, for people. */
export class CannotTalk extends Schema.TaggedError<CannotTalk>()("CannotTalk", { message: Schema.String }) {}

/**
 * Whether the application's tables are still such as this program reads, asked once its row is there. A migration that
 * older programs do not survive looks for their rows first (`olderThan`), so one of the two sees the other.
 */
export const ExpectReadable = Context.Reference<Effect.Effect<void, CannotTalk | SqlError.SqlError>>(
  "@coffer/cluster/ExpectReadable",
  { defaultValue: () => Effect.void }
)

/** Joins, if the runners that are there can talk to this one. */
export const layer = Layer.effect(
  Roster,
  Effect.gen(function* () {
    const self = yield* ThisRunner
    const { now: takesPart } = yield* TakesPart
    if (self.place === undefined) {
      const closeSilent = () => Effect.succeed(false)
      return Roster.of({
        own: undefined,
        entries: Effect.succeed(new Map()),
        takesPart,
        leave: Effect.void,
        closeSilent
      })
    }
    const sql = yield* SqlClient.SqlClient
    const run = yield* Tenancy.Run
    const own = addressOf(self.place)
    let hasLeft = false
    const leave = Effect.andThen(
      Effect.sync(() => void (hasLeft = true)),
      sql`delete from runners where address = ${own}`
    )
    // First, so that of two concurrent starts at least one sees the other.
    const write = (statement: string) =>
      Effect.suspend(() =>
        sql.unsafe(statement, [
          own,
          run,
          self.process,
          self.version,
          self.messages,
          takesPart(),
          self.newestMigration ?? 0
        ])
      )
    yield* write(joining)
    yield* Effect.andThen(expectUnderstood(sql, self, own), yield* ExpectReadable).pipe(
      Effect.tapError(() => Effect.ignore(leave))
    )

    const entries = Effect.gen(function* () {
      const found = yield* read(sql)
      // A runner that joined while Postgres had long lost this runner's connections has considered this row dead.
      if (found.get(own)?.takes_part !== takesPart() && !hasLeft) yield* write(writing)
      return found
    })
    const closeSilent = (address: string) =>
      Effect.map(sql.unsafe(closing, [address, silentMillisMin]), ({ length }) => length > 0)
    return Roster.of({ own, entries, takesPart, leave: Effect.ignore(leave), closeSilent })
  })
)

/** A runner that lives says something to Postgres twice a second, and on another session once a second. */
export const silentMillisMin = 2_000

/** Of a runner whose sessions belong to another role this one sees no times, and closes nothing. */
const closing = `with theirs as materialized (
    select a.pid, greatest(a.query_start, a.state_change) as heard from runners r join pg_stat_activity a
      on a.application_name = r.process or starts_with(a.application_name, r.process || ' ')
    where r.address = $1 and a.datname = current_database())
  select pg_terminate_backend(pid) from theirs
  where (select max(heard) from theirs) < clock_timestamp() - $2::int4 * interval '1 millisecond'`

const writing = `insert into runners (address, run, process, version, messages, takes_part, newest_migration)
  values ($1, $2, $3, $4, $5::int4[], $6, $7::int4)
  on conflict (address) do update set run = excluded.run, process = excluded.process,
    version = excluded.version, messages = excluded.messages, takes_part = excluded.takes_part,
    newest_migration = excluded.newest_migration`

/**
 * The row of one that was killed stays as long as the register may call it healthy: the row says that it is dead. The
 * register's word about this address is about the process before this one.
 */
const joining = `with ${Tenancy.heldLocks}, forgotten as (
    delete from runners r where run is not null and r.address <> $1 and not ${Tenancy.livesOf("r")}
      and not exists (select from cluster_runners c where c.address = r.address
        and c.last_heartbeat > (select max(last_heartbeat) from cluster_runners) - interval '1 minute')),
  before as (delete from cluster_runners where address = $1)
  ${writing}`

/**
 * Checks before the database is migrated, too. A runner that may not join leaves the database unchanged: the others do
 * not know a newer one, and could not be restarted.
 */
export const layerBeforeMigration = Layer.effectDiscard(
  Effect.gen(function* () {
    const self = yield* ThisRunner
    if (self.place === undefined) return
    const sql = yield* SqlClient.SqlClient
    const [there] = yield* sql<{ is: boolean }>`select to_regclass('runners') is not null as is`
    if (there!.is) yield* expectUnderstood(sql, self, addressOf(self.place))
  })
)

/**
 * For a program that migrates and does not join: refuses where a runner lives that cannot talk to this version, and
 * where a process has the database alone, whose version is not known.
 */
export const expectNoStranger = Effect.fnUntraced(function* (self: Pick<Self, "messages" | "version">) {
  const sql = yield* SqlClient.SqlClient
  const [there] = yield* sql<{ is: boolean }>`
    select coalesce(has_table_privilege(to_regclass('runners'), 'select'), false) as is`
  if (there!.is) yield* expectUnderstood(sql, self, undefined)
  const holder = yield* Tenancy.holderAlone(sql)
  if (holder === undefined) return
  return yield* new CannotTalk({ message: `Another process (${holder}) uses this database alone. Stop it first.` })
})

/** A runner that lives and does not know this migration; its version may not say what it knows. */
export const olderThan = (sql: SqlClient.SqlClient, newest: number) =>
  Effect.map(
    sql.unsafe<Pick<Entry, "address" | "version">>(
      `with ${Tenancy.heldLocks} select address, version from runners r
        where coalesce(newest_migration, 0) < $1::int4 and (run is null or ${Tenancy.livesOf("r")})
        order by address limit 1`,
      [newest]
    ),
    ([row]) => row
  )

const read = (sql: SqlClient.SqlClient): Effect.Effect<Entries, SqlError.SqlError> =>
  Effect.map(
    sql.unsafe<Entry>(
      `with ${Tenancy.heldLocks} select address, version, messages, run,
        (to_jsonb(r) -> 'takes_part') is distinct from 'false' as takes_part, ${Tenancy.sessionOf("r")} as session,
        run is null or ${Tenancy.livesOf("r")} as lives from runners r`
    ),
    (rows) => new Map(rows.map((row) => [row.address, row]))
  )

const expectUnderstood = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  self: Pick<Self, "messages" | "version">,
  own: string | undefined
) {
  const entries = [...(yield* read(sql)).values()]
  const stranger = entries.find(
    ({ address, lives, messages }) => lives && address !== own && !canTalk(messages, self.messages)
  )
  if (stranger === undefined) return
  return yield* new CannotTalk({ message: `${cannotTalk(self, stranger)} Stop the runners of one version first.` })
})

/** The message in one line. */
export const cannotTalk = (self: Pick<Self, "messages" | "version">, { address, messages, version }: Entry): string =>
  `The runner ${address} (version ${version}) understands messages of shape ${messages.join(", ")}, and this one ` +
  `(version ${self.version}) of shape ${self.messages.join(", ")}: they cannot talk to each other.`
