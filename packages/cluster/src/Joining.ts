/**
 * The steps by which this runner becomes a part of the cluster. Each waits for the one before, since shards that move
 * twice at the same time have no owner for seconds.
 *
 * 1. Its service is built. While it is being built its event loop is busy, on a busy machine for seconds.
 * 2. The others have taken over the shards of a runner that has just ended, as in a rolling restart. Otherwise they
 *    would wait for locks that are assigned to this one.
 * 3. It enters the register. The others give its part of the shards up as soon as they see it there.
 * 4. It owns its part, and every other shard has an owner, too: the shards are balanced. A readiness probe should say
 *    yes from then on, so that a rolling restart stops the next runner no sooner.
 */
import { Context, Effect, Latch, Layer, type Option, Schedule } from "effect"
import { ShardingConfig } from "effect/cluster"
import type { SqlClient } from "effect/sql"
import { heldLocks, livesOf } from "./Tenancy.ts"

export class Joining extends Context.Service<
  Joining,
  {
    /** Open when the service is built. */
    readonly built: Latch.Latch
    /** Open when this runner may enter the register. */
    readonly mayEnter: Latch.Latch
    /** Open when the shards that have moved because of this runner have their owners. It stays open. */
    readonly balanced: Latch.Latch
  }
>()("@coffer/cluster/Joining") {}

export const layer = Layer.sync(Joining, () => ({
  built: Latch.makeUnsafe(false),
  mayEnter: Latch.makeUnsafe(false),
  balanced: Latch.makeUnsafe(false)
}))

/** Built after all that a runner needs to do its part. */
export const begin = Layer.effectDiscard(Effect.flatMap(Joining, ({ built }) => built.open))

/** A runner enters after this long at the latest. Another one may stand still and keep its locks. */
const takeoverMax = "5 seconds"
/** The shards count as balanced after this long at the latest. */
const balancingMax = "30 seconds"
const pause = "100 millis"

/** Takes the steps, once, in the order above. `spread` is undefined for a process that is alone. */
export const run = Effect.fnUntraced(function* (spread: Effect.Effect<Spread, unknown> | undefined) {
  const { built, mayEnter, balanced } = yield* Joining
  yield* built.await
  if (spread !== undefined) {
    const until = (isSo: (spread: Spread) => boolean) =>
      Effect.map(spread, isSo).pipe(
        Effect.orElseSucceed(() => false),
        Effect.repeat({ until: (is) => is, schedule: Schedule.spaced(pause) })
      )
    yield* Effect.timeoutOption(until(isWholeOrNew), takeoverMax)
    yield* mayEnter.open
    yield* Effect.flatMap(Effect.timeoutOption(until(isBalanced), balancingMax), warnUnbalanced)
  }
  yield* balanced.open
})

/** Every shard has an owner, or none has: then no runner is there that could take shards over. */
const isWholeOrNew = ({ owned }: Spread) => owned === 0 || owned === shardsPerGroup
const isBalanced = ({ own, owned, runners }: Spread) =>
  owned === shardsPerGroup && own >= Math.floor(shardsPerGroup / runners)

const warnUnbalanced = ({ _tag }: Option.Option<unknown>) =>
  _tag === "Some"
    ? Effect.void
    : Effect.logWarning(`after ${balancingMax} some shards have no owner yet; this runner is ready all the same`)

/** How many shards have an owner, how many of them this process owns by its name, and how many runners share them. */
export interface Spread {
  readonly owned: number
  readonly own: number
  readonly runners: number
}

/** As the shards' locks in Postgres and the cluster's register say it at this moment. */
export const spreadOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.unsafe<Spread>(`with ${heldLocks} select count(distinct objid)::int4 as owned,
        count(distinct objid) filter (where application_name = current_setting('application_name'))::int4 as own,
        (select count(*)::int4 from cluster_runners join runners r using (address)
          where healthy and takes_part and (run is null or ${livesOf("r")})) as runners
      from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and objsubid = 2
        and objid between ${firstLock} and ${firstLock + shardsPerGroup - 1}
        and database = (select oid from pg_database where datname = current_database())`),
    ([row]) => row!
  )

const { shardsPerGroup } = ShardingConfig.defaults
/** The library's number for the lock of the first shard. */
const firstLock = 1_000_001
