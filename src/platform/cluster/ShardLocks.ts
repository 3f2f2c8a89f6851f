/**
 * The cluster's register of runners and its shard locks, kept in Postgres. It is the library's own storage, used with
 * more care (docs/effect.md, section 2): the library releases all shards of a runner at once, each with two statements
 * on one connection and with a time-out that begins at once. On a slow database the last ones time out, the connection
 * is replaced, and every release fails and begins again.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import { ClusterMetrics, RunnerStorage, SqlRunnerStorage } from "effect/cluster"

export class ShardLocks extends Context.Service<
  ShardLocks,
  {
    /** From now on no actor lives here: all locks may be released with one statement. */
    readonly actorsAreGone: Effect.Effect<void>
  }
>()("@coffer/platform/ShardLocks") {}

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    const oneByOne = Semaphore.makeUnsafe(1).withPermits(1)
    let hasLeft = false
    let actorsAreGone = false
    let released = false

    const release: typeof storage.release = (address, shard) =>
      oneByOne(
        Effect.suspend(() => {
          if (released) return Effect.void
          if (!actorsAreGone) return storage.release(address, shard)
          return Effect.map(storage.releaseAll(address), () => {
            released = true
          })
        })
      )

    /** Who has left the register does not ask who is in it: the library would warn that nobody is. */
    const getRunners: typeof storage.getRunners = Effect.suspend(() =>
      hasLeft
        ? Effect.never
        : Effect.tap(storage.getRunners, (runners) =>
            // The library's gauge says 1, always.
            Effect.sync(() => ClusterMetrics.runners.updateUnsafe(BigInt(runners.length), Context.empty()))
          )
    )

    const unregister: typeof storage.unregister = (address) =>
      Effect.suspend(() => {
        hasLeft = true
        return storage.unregister(address)
      })

    return Context.make(RunnerStorage.RunnerStorage, { ...storage, getRunners, release, unregister }).pipe(
      Context.add(ShardLocks, {
        actorsAreGone: Effect.sync(() => {
          actorsAreGone = true
        })
      })
    )
  })
).pipe(Layer.provide(SqlRunnerStorage.layer))
