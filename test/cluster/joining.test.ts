/**
 * A runner that is still starting is not in the cluster's register: otherwise the others would release its shards too
 * early.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { Runner, RunnerAddress, RunnerStorage, ShardId, ShardingConfig } from "effect/cluster"
import { SqlClient } from "effect/sql"
import * as Doubt from "@coffer/cluster/Doubt"
import * as Joining from "@coffer/cluster/Joining"
import { Roster } from "@coffer/cluster/Roster"
import * as ShardLocks from "@coffer/cluster/ShardLocks"
import * as Suspects from "@coffer/cluster/Suspects"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { freshDatabase } from "../kit/Service.ts"
import { thisRunner } from "../kit/runners/thisRunner.ts"

const address = RunnerAddress.make("10.0.0.9", 4001)
const own = Runner.make({ address, groups: ["default"], weight: 1 })
const roster = {
  own: "10.0.0.9:4001",
  entries: Effect.succeed(new Map()),
  takesPart: () => true,
  leave: Effect.void,
  closeSilent: () => Effect.succeed(false)
}

/** The locks and the register of a runner. */
const locks = Effect.flatMap(freshDatabase, (url) =>
  Layer.build(
    ShardLocks.layer.pipe(
      Layer.provideMerge(Postgres.layer({ url: Redacted.make(url), connections: 2, name: "one" })),
      Layer.provideMerge(Layer.mergeAll(Joining.layer, Doubt.layer, Suspects.layer, ShardingConfig.layer({}))),
      Layer.provideMerge(Layer.succeed(Roster, roster)),
      Layer.provideMerge(thisRunner({ place: address }))
    )
  )
)

it.live("a runner enters the register when it is built, and waits for the others until then", () =>
  Effect.gen(function* () {
    const context = yield* locks
    const storage = Context.get(context, RunnerStorage.RunnerStorage)
    const sql = Context.get(context, SqlClient.SqlClient)
    const registered = Effect.map(sql`select 1 from cluster_runners`, ({ length }) => length)

    yield* storage.register(own, true)
    assert.strictEqual(yield* registered, 0)
    const looking = yield* Effect.forkChild(storage.getRunners, { startImmediately: true })

    yield* Context.get(context, Joining.Joining).built.open
    // The library misses itself, and registers again.
    assert.deepStrictEqual(yield* Fiber.join(looking), [])
    yield* storage.register(own, true)
    assert.strictEqual(yield* registered, 1)
    assert.lengthOf(yield* storage.getRunners, 1)
  })
)

it.live("how many shards have an owner, and how many are this process's own, is what the locks in Postgres say", () =>
  Effect.gen(function* () {
    const context = yield* locks
    const storage = Context.get(context, RunnerStorage.RunnerStorage)
    const sql = Context.get(context, SqlClient.SqlClient)
    const spread = Joining.spreadOf(sql)
    assert.deepStrictEqual(yield* spread, { owned: 0, own: 0, runners: 0 })
    yield* storage.acquire(
      address,
      [1, 150, 300].map((id) => ShardId.make("default", id))
    )
    assert.deepStrictEqual(yield* spread, { owned: 3, own: 3, runners: 0 })
  })
)
