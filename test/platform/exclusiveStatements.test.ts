/** Statements that have a connection for themselves while they run (docs/decisions/0010). */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"

const connected = (connections: number, name: string) =>
  Effect.map(
    Layer.build(Postgres.layer({ url: Redacted.make(inject("postgresUrl")), connections, name })),
    (services) => ({
      sql: Context.get(services, SqlClient.SqlClient),
      runExclusive: Context.get(services, Postgres.Exclusive)
    })
  )

interface Session {
  readonly pid: number
}

describe("a statement with an exclusive connection", () => {
  it.live("shares its connection with no other statement while it runs", () =>
    Effect.gen(function* () {
      const { runExclusive, sql } = yield* connected(7, "exclusive")
      const slow = yield* Effect.forkScoped(
        runExclusive<Session>("select pg_backend_pid() as pid from pg_sleep(0.5)", []),
        {
          startImmediately: true
        }
      )
      const shared: Array<number> = []
      while (slow.pollUnsafe() === undefined) {
        const some = yield* Effect.replicateEffect(sql<Session>`select pg_backend_pid() as pid`, 20, {
          concurrency: "unbounded"
        })
        shared.push(...some.flat().map(({ pid }) => pid))
      }
      const [own] = yield* Fiber.join(slow)
      assert.isAbove(shared.length, 20)
      assert.notInclude(shared, own!.pid)
    }).pipe(Effect.scoped)
  )

  it.live("has the connection of the one before it, whose plans Postgres has kept", () =>
    Effect.gen(function* () {
      const { runExclusive } = yield* connected(7, "exclusive")
      const ask = runExclusive<Session>("select pg_backend_pid() as pid", [])
      const sessions = (yield* Effect.replicateEffect(ask, 10)).flat().map(({ pid }) => pid)
      assert.strictEqual(new Set(sessions).size, 1)
    }).pipe(Effect.scoped)
  )

  for (const [connections, exclusive] of [
    [7, 3],
    [12, 5]
  ] as const) {
    it.live(
      `is one of ${exclusive} at once, and with all others they take no more than the ${connections} there are`,
      () =>
        Effect.gen(function* () {
          const name = `exclusive and shared, ${connections}`
          const { runExclusive, sql } = yield* connected(connections, name)
          const beside = yield* connected(1, "beside")
          const many = { concurrency: "unbounded" } as const
          // All wait for this lock until as many as there may be have been seen, however long connections take to open.
          yield* beside.sql`select pg_advisory_lock(1)`
          const work = yield* Effect.forkScoped(
            Effect.all(
              [
                Effect.replicateEffect(
                  runExclusive("select 'exclusive' from pg_advisory_xact_lock_shared(1)", []),
                  20,
                  many
                ),
                Effect.replicateEffect(sql.withTransaction(sql`select pg_advisory_xact_lock_shared(1)`), 20, many),
                Effect.replicateEffect(sql`select pg_advisory_xact_lock_shared(1)`, 20, many)
              ],
              many
            )
          )
          let [allMost, exclusiveMost, isHeld] = [0, 0, true]
          while (work.pollUnsafe() === undefined) {
            const [row] = yield* beside.sql<{ all: number; exclusive: number }>`select count(*)::int4 as all,
            count(*) filter (where state = 'active' and query like '%''exclusive'' from%')::int4 as exclusive
            from pg_stat_activity where application_name = ${name}`
            allMost = Math.max(allMost, row!.all)
            exclusiveMost = Math.max(exclusiveMost, row!.exclusive)
            if (isHeld && allMost >= connections && exclusiveMost >= exclusive) {
              isHeld = false
              yield* beside.sql`select pg_advisory_unlock(1)`
            }
          }
          yield* Fiber.join(work)
          assert.strictEqual(allMost, connections)
          assert.strictEqual(exclusiveMost, exclusive)
        }).pipe(Effect.scoped)
    )
  }
})
