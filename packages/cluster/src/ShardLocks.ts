/**
 * The cluster's register of runners and its shard locks in Postgres. It wraps the library's own storage to release
 * locks more gently. The library releases all shards of a runner at the same time, each
 * with two statements on one connection, and all time-outs begin at once. On a slow database the last ones time out,
 * the connection is replaced, and every release fails and starts again.
 *
 * It gathers the locks of shards that were assigned together (`acquireLocks.ts`).
 *
 * It keeps the locks when the connection that holds them is lost (`keptLocks.ts`).
 *
 * It enters the register when the others are ready for it (`Joining.ts`), and tells the library at once which runners
 * have ended, as Postgres knows it (`Roster.ts`).
 */
import { Context, Effect, Equal, Layer, Semaphore } from "effect"
import { ClusterError, ClusterMetrics, MachineId, type Runner, RunnerStorage, SqlRunnerStorage } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { acquireLocks } from "./acquireLocks.ts"
import { Doubt } from "./Doubt.ts"
import * as Joining from "./Joining.ts"
import { makeJudge, type Registered } from "./judging.ts"
import * as keptLocks from "./keptLocks.ts"
import { Roster } from "./Roster.ts"
import { nameOf, Suspects } from "./Suspects.ts"
import { makeWitness } from "./takeovers.ts"

export class ShardLocks extends Context.Service<
  ShardLocks,
  {
    /** States that this runner has no slots any more. From then on all locks are released with one statement. */
    readonly actorsAreGone: Effect.Effect<void>
  }
>()("@coffer/cluster/ShardLocks") {}

/** Enough that the connection is not idle between two of them, and so few that none times out while it waits. */
const releasesAtOnce = 8

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    const kept = keptLocks.make(storage)
    const roster = yield* Roster
    const suspects = yield* Suspects
    const { mayEnter } = yield* Joining.Joining
    const doubt = yield* Doubt
    const judge = makeJudge(roster.own, roster.takesPart, doubt)
    const witness = yield* makeWitness
    const { actorsAreGone, release } = makeRelease(kept)
    const joins = () => roster.own === undefined || mayEnter.isOpen()
    let own: Runner.Runner | undefined
    let hasLeft = false

    /** After a loss of this runner's connections its locks and its place in the register are taken again at once. */
    const recover = (runners: Registered) =>
      Effect.suspend(() => {
        const self = own
        const isForgotten = self !== undefined && !runners.some(([runner]) => Equal.equals(runner, self))
        return Effect.andThen(kept.retake, isForgotten ? storage.register(self, true) : Effect.void)
      })

    // Model: models/shards.pml.
    const look = Effect.gen(function* () {
      const runners = yield* storage.getRunners
      const entries = yield* ClusterError.PersistenceError.refail(roster.entries)
      const judged = judge.judge(runners, entries)
      yield* witness.see(judged, entries)
      if (doubt.isOpen() && !hasLeft) yield* recover(runners)
      return judged
    }).pipe(
      Effect.catchCause((cause) => {
        const known = judge.withoutPostgres()
        return known.length === 0 ? Effect.failCause(cause) : Effect.succeed(known)
      })
    )

    /** Never answers after this runner has left the register: the library might warn that no runner is healthy. */
    const getRunners: typeof storage.getRunners = Effect.suspend(() =>
      hasLeft
        ? Effect.never
        : Effect.gen(function* () {
            if (!joins()) yield* mayEnter.await
            const judged = yield* look
            suspects.keepOnly(new Set(judged.flatMap(([{ address }, is]) => (is ? [nameOf(address)] : []))))
            // The library itself sets this gauge to 1 always.
            const healthy = judged.filter(([, is]) => is).length
            ClusterMetrics.runners.updateUnsafe(BigInt(healthy), Context.empty())
            return judged
          })
    )

    // Must not wait: the library holds a lock here that a stop needs. It registers again until it is in the list.
    const register: typeof storage.register = (runner, healthy) =>
      Effect.suspend(() => {
        if (!joins()) return Effect.succeed(MachineId.make(0))
        own = runner
        return storage.register(runner, healthy)
      })

    const acquire: typeof storage.acquire = (address, shards) =>
      Effect.tap(
        acquireLocks(
          shards,
          (missing) => kept.acquire(address, missing),
          () => hasLeft
        ),
        ({ length }) => witness.took(length)
      )

    const unregister: typeof storage.unregister = (address) =>
      Effect.suspend(() => {
        hasLeft = true
        return Effect.andThen(roster.leave, storage.unregister(address))
      })

    const spread = Joining.spreadOf(yield* SqlClient.SqlClient)
    yield* Effect.forkScoped(Joining.run(roster.own === undefined ? undefined : spread))

    return Context.make(RunnerStorage.RunnerStorage, {
      ...storage,
      acquire,
      getRunners,
      refresh: kept.refresh,
      register,
      release,
      releaseAll: kept.releaseAll,
      unregister
    }).pipe(Context.add(ShardLocks, { actorsAreGone }))
  })
).pipe(Layer.provide(SqlRunnerStorage.layerStorage({})))

/** Locks are given back one by one while there are slots, and all with one statement when they are gone. */
const makeRelease = (kept: ReturnType<typeof keptLocks.make>) => {
  const inLine = Semaphore.makeUnsafe(releasesAtOnce).withPermits(1)
  let areGone = false
  let released = false
  const release: RunnerStorage.RunnerStorage["Service"]["release"] = (address, shard) =>
    inLine(
      Effect.suspend(() => {
        if (released) return Effect.void
        if (!areGone) return kept.release(address, shard)
        return Effect.map(kept.releaseAll(address), () => {
          released = true
        })
      })
    )
  const actorsAreGone = Effect.sync(() => {
    areGone = true
  })
  return { actorsAreGone, release }
}
