/** Which runners count as alive, as each runner sees it, and how it reports those that have gone. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { Runner, RunnerAddress, RunnerStorage, ShardId, ShardingConfig } from "effect/cluster"
import { SqlClient } from "effect/sql"
import * as Doubt from "@coffer/cluster/Doubt"
import * as Drain from "@coffer/cluster/Drain"
import * as Joining from "@coffer/cluster/Joining"
import * as Roster from "@coffer/cluster/Roster"
import * as ShardLocks from "@coffer/cluster/ShardLocks"
import * as Suspects from "@coffer/cluster/Suspects"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import * as ClockSkew from "../../src/platform/postgres/ClockSkew.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { readable, takesPart } from "../../src/platform/cluster/clusterLayers.ts"
import { ProcessName } from "../../src/platform/postgres/processName.ts"
import { thisRunner } from "../kit/runners/thisRunner.ts"
import { runLock } from "../kit/runners/runLock.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase, ownersConnection } from "../kit/Service.ts"

const host = "10.0.0.9"
const runnerAt = (port: number) =>
  Runner.make({ address: RunnerAddress.make(host, port), groups: ["default"], weight: 1 })
const shards = [1, 2, 3].map((id) => ShardId.make("default", id))

/** A runner with its session, its place in the register and the locks of its shards. It serves nothing. */
const member = Effect.fnUntraced(function* (url: string, port: number, name = `coffer ${port}@test`) {
  const log: Array<string> = []
  const clock = { wrongBy: 0 }
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => void log.push(`${logLevel} ${String(message)}`))
  const context = yield* Layer.build(
    ShardLocks.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(Roster.layer, Suspects.layer, ShardingConfig.layer({}))),
      Layer.provideMerge(takesPart),
      Layer.provideMerge(
        Layer.mergeAll(Drain.layer, Joining.layer, Doubt.layer, Layer.provide(ClockSkew.layer, NewIds.layer))
      ),
      Layer.provideMerge(
        Layer.succeed(
          ClockSkew.MachineTime,
          Effect.sync(() => Date.now() + clock.wrongBy * 1_000)
        )
      ),
      Layer.provideMerge(
        Layer.mergeAll(Postgres.layer({ url: Redacted.make(url), connections: 3, name }), runLock(url))
      ),
      Layer.provideMerge(thisRunner({ place: { host, port }, process: name })),
      Layer.provideMerge(Layer.succeed(ProcessName, name)),
      Layer.provideMerge(Logger.layer([logger]))
    )
  )
  const storage = Context.get(context, RunnerStorage.RunnerStorage)
  const { address } = runnerAt(port)
  yield* Context.get(context, Joining.Joining).built.open
  yield* Context.get(context, Joining.Joining).mayEnter.open
  return {
    log,
    setClock: (seconds: number) =>
      Effect.andThen(
        Effect.sync(() => (clock.wrongBy = seconds)),
        Effect.provideContext(Context.get(context, ClockSkew.ClockSkew).measure, context)
      ),
    storage,
    closeSilent: Context.get(context, Roster.Roster).closeSilent,
    sql: Context.get(context, SqlClient.SqlClient),
    enter: storage.register(runnerAt(port), true),
    take: storage.acquire(address, shards),
    refresh: storage.refresh(address, shards),
    release: Effect.forEach(shards, (shard) => storage.release(address, shard)),
    /** The ports of the runners that count as healthy. */
    healthy: Effect.map(Effect.provideContext(storage.getRunners, context), (runners) =>
      runners.flatMap(([{ address }, is]) => (is ? [address.port] : [])).toSorted((a, b) => a - b)
    )
  }
})

/** The rows that a runner leaves when it is killed. */
const killed = Effect.fnUntraced(function* (url: string, port: number) {
  yield* Effect.scoped(Effect.flatMap(member(url, port), ({ enter }) => enter))
})

/** The sessions that hold the locks of the shards, by the name of their process. */
const holders = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ name: string; count: number }>`select application_name as name, count(*)::int4 as count
      from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and objsubid = 2
      and objid between 1000001 and 1000300
      and database = (select oid from pg_database where datname = current_database()) group by 1 order by 1`,
    (rows) => rows.map(({ count, name }) => `${name} ${count}`)
  )

const told = (log: ReadonlyArray<string>, words: RegExp) => log.filter((line) => words.test(line))

/** Postgres closes all connections of these processes, and takes new ones. */
const cut = Effect.fnUntraced(function* (url: string) {
  const sql = yield* ownersConnection(url)
  yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'coffer %'`
})

describe("a runner that joins while its tables lose what it needs", () => {
  it.live("is refused when its row is there, and takes the row away", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      const joins = Effect.exit(
        Effect.scoped(
          Layer.build(
            Roster.layer.pipe(
              Layer.provide([readable, takesPart]),
              Layer.provide([Drain.layer, Layer.provide(ClockSkew.layer, NewIds.layer)]),
              Layer.provide(Postgres.layer({ url: Redacted.make(url), connections: 2, name: "test" })),
              Layer.provide(thisRunner({ place: { host, port: 1 } }))
            )
          )
        )
      )
      assert.strictEqual((yield* joins)._tag, "Success")
      // A contraction of a newer version, made since this start looked at the migrations.
      yield* sql`insert into coffer_migrations (migration_id, name, readable_from) values (9999, 'without_old', 9998)`
      const refused = yield* joins
      assert.include(JSON.stringify(refused), "it needs a version that knows the migration 9998")
      assert.deepStrictEqual(yield* sql`select address from runners`, [])
    })
  )
})

describe("a runner that was killed", () => {
  it.live("stays dead when another one joins under a new address", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const stays = yield* member(url, 1)
      yield* stays.enter
      yield* killed(url, 2)
      yield* eventually(
        "its end to be seen",
        Effect.map(stays.healthy, (ports) => ports.join() === "1")
      )
      const joins = yield* member(url, 3)
      assert.deepStrictEqual(yield* stays.healthy, [1])
      yield* joins.enter
      assert.deepStrictEqual(yield* stays.healthy, [1, 3])
      assert.deepStrictEqual(yield* joins.healthy, [1, 3])
    })
  )

  it.live("is not taken for its successor at the same address until that one has entered the register", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const stays = yield* member(url, 1)
      yield* stays.enter
      yield* killed(url, 2)
      const again = yield* member(url, 2)
      assert.deepStrictEqual(yield* stays.healthy, [1])
      yield* again.enter
      assert.deepStrictEqual(yield* stays.healthy, [1, 2])
    })
  )
})

describe("when Postgres has closed all connections", () => {
  it.live(
    "no runner takes another for dead, and each has its locks again, also one that the register has forgotten",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const [a, b] = [yield* member(url, 1), yield* member(url, 2)]
        yield* a.enter
        yield* b.enter
        yield* a.take
        const both = [1, 2]
        assert.deepStrictEqual([yield* a.healthy, yield* b.healthy], [both, both])
        yield* cut(url)
        yield* (yield* ownersConnection(
          url
        ))`update cluster_runners set last_heartbeat = last_heartbeat - interval '1 minute'`
        // The session of each is not back yet.
        assert.deepStrictEqual([yield* a.healthy, yield* b.healthy], [both, both])
        yield* eventually(
          "both to be in the register again",
          Effect.map(
            (yield* ownersConnection(
              url
            ))`select 1 from cluster_runners where last_heartbeat > now() - interval '10 seconds'`,
            ({ length }) => length === 2
          ).pipe(Effect.tap(() => Effect.all([a.healthy, b.healthy])))
        )
        assert.deepStrictEqual(yield* a.refresh, shards)
        assert.deepStrictEqual(yield* holders(a.sql), ["coffer 1@test 3"])
        assert.deepStrictEqual(told([...a.log, ...b.log], /WARN/), [])
      })
  )

  it.live("a runner keeps no lock that another one has taken, or that it has given up", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [a, b] = [yield* member(url, 1), yield* member(url, 2)]
      yield* a.take
      yield* cut(url)
      yield* Effect.eventually(b.storage.acquire(runnerAt(2).address, [shards[0]!]))
      yield* eventually(
        "the loss to be seen",
        Effect.map(a.refresh, ({ length }) => length === 2)
      )
      assert.deepStrictEqual(yield* a.refresh, shards.slice(1))
      yield* a.release
      assert.deepStrictEqual(yield* a.refresh, [])
      assert.deepStrictEqual(yield* holders(a.sql), ["coffer 2@test 1"])
    })
  )

  it.live("one that does not come back is dead some seconds later", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const a = yield* member(url, 1)
      yield* a.enter
      yield* Effect.scoped(
        Effect.gen(function* () {
          const b = yield* member(url, 2)
          yield* b.enter
          assert.deepStrictEqual(yield* a.healthy, [1, 2])
          yield* cut(url)
          assert.deepStrictEqual(yield* a.healthy, [1, 2])
        })
      )
      yield* eventually(
        "its end to be seen",
        Effect.map(a.healthy, (ports) => ports.join() === "1")
      )
      assert.lengthOf(told(a.log, /2 \(version .*\) ended without shutting down: Postgres has lost its connections/), 1)
    })
  )
})

describe("a runner of which Postgres hears nothing", () => {
  it.live("loses its sessions when another asks for it, and no runner that lives does", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [one] = [yield* member(url, 1), yield* member(url, 2)]
      const process = "coffer 3@test"
      const silent = Context.get(
        yield* Layer.build(
          Postgres.layer({ url: Redacted.make(url), connections: 1, name: process, watched: false }).pipe(
            Layer.provide(NewIds.layer)
          )
        ),
        SqlClient.SqlClient
      )
      yield* silent`insert into runners (address, process, version, messages) values (${`${host}:3`}, ${process}, '1', '{}')`
      const sessions = one.sql`select from pg_stat_activity where application_name = ${process}`
      assert.lengthOf(yield* sessions, 1)
      assert.isFalse(yield* one.closeSilent(`${host}:3`))
      yield* eventually("its sessions to be closed", one.closeSilent(`${host}:3`))
      yield* eventually(
        "them to be gone",
        Effect.map(sessions, ({ length }) => length === 0)
      )
      // It is as old, and its session says each second that it lives.
      assert.isFalse(yield* one.closeSilent(`${host}:2`))
    })
  )
})

describe("a runner that stops in good order", () => {
  it.live("is reported as stopped, whenever the others look", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [a, b] = [yield* member(url, 1), yield* member(url, 2)]
      yield* a.enter
      yield* b.enter
      assert.deepStrictEqual(yield* a.healthy, [1, 2])
      // Between its two steps.
      yield* a.sql`delete from runners where address = '10.0.0.9:2'`
      assert.deepStrictEqual(yield* a.healthy, [1])
      yield* b.storage.unregister(runnerAt(2).address)
      assert.deepStrictEqual(yield* a.healthy, [1])
      assert.deepStrictEqual(told(a.log, /WARN/), [])
      assert.lengthOf(told(a.log, /2 \(version .*\) has stopped/), 1)
    })
  )
})

it.live("a runner whose row was taken for a dead one's writes it again", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [a, b] = [yield* member(url, 1), yield* member(url, 2)]
    yield* a.enter
    yield* b.enter
    yield* a.sql`delete from runners where address = '10.0.0.9:2'`
    yield* b.healthy
    assert.deepStrictEqual(yield* a.healthy, [1, 2])
  })
)

it.live("a runner whose clock is beyond the limit does not count as healthy until it is right again", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [a, b] = [yield* member(url, 1), yield* member(url, 2)]
    yield* a.enter
    yield* b.enter
    assert.deepStrictEqual(
      [yield* b.healthy, yield* a.healthy],
      [
        [1, 2],
        [1, 2]
      ]
    )
    yield* b.setClock(400)
    assert.deepStrictEqual([yield* b.healthy, yield* a.healthy], [[1], [1]])
    // Within the limit, but wrong.
    yield* b.setClock(-200)
    assert.deepStrictEqual([yield* b.healthy, yield* a.healthy], [[1], [1]])
    yield* b.setClock(5)
    assert.deepStrictEqual(
      [yield* b.healthy, yield* a.healthy],
      [
        [1, 2],
        [1, 2]
      ]
    )
    assert.lengthOf(told(a.log, /2 \(version .*\) has given up its shards, because its clock is wrong/), 1)
    assert.lengthOf(told(b.log, /this runner gives up its shards and its workers/), 1)
  })
)
