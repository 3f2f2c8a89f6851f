/** Statements share connections, and a slow one holds up none of the others. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { eventually } from "../kit/Process.ts"

const clientOf = (connections: number) =>
  Effect.map(
    Layer.build(Postgres.layer({ url: Redacted.make(inject("postgresUrl")), connections, name: "silent" })),
    Context.get(SqlClient.SqlClient)
  )

/** A statement of three seconds that Postgres has begun, and the connection that it holds. */
const slowStatement = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, beside: SqlClient.SqlClient) {
  const fiber = yield* Effect.forkScoped(sql<{ pid: number }>`select pg_backend_pid() as pid from pg_sleep(3)`)
  yield* eventually(
    "the slow statement to run",
    Effect.map(
      beside`select 1 from pg_stat_activity where application_name = 'silent' and query like '%pg_sleep(3)' and state = 'active' and pid <> pg_backend_pid()`,
      ({ length }) => length === 1
    )
  )
  return fiber
})

describe("a connection that has not answered for a while", () => {
  it.live("gets no new statements, so that a slow one holds up no other", () =>
    Effect.gen(function* () {
      const sql = yield* clientOf(2)
      const slow = yield* slowStatement(sql, yield* clientOf(1))
      let [asked, answers] = [0, 0]
      const askOnce = Effect.tap(sql`select 1`, () => Effect.sync(() => answers++))
      yield* eventually(
        "a statement to be answered",
        // With 32 statements a connection is full, and the pool lends another one anyway.
        Effect.map(
          Effect.suspend(() => (asked++ < 16 ? Effect.forkScoped(askOnce) : Effect.void)),
          () => answers > 0
        )
      )
      assert.isUndefined(slow.pollUnsafe(), "the slow statement has not ended yet")
    }).pipe(Effect.scoped)
  )

  it.live("is lent again when it has answered", () =>
    Effect.gen(function* () {
      const sql = yield* clientOf(2)
      const slow = yield* slowStatement(sql, yield* clientOf(1))
      yield* sql`select 1`
      const [held] = yield* Fiber.join(slow)
      const pid = sql.withTransaction(
        Effect.andThen(sql`select pg_sleep(0.5)`, sql<{ pid: number }>`select pg_backend_pid() as pid`)
      )
      const both = yield* Effect.all([pid, pid], { concurrency: 2 })
      assert.include(
        both.map(([row]) => row!.pid),
        held!.pid
      )
    }).pipe(Effect.scoped)
  )
})
