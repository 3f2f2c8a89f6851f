/** Questions to Postgres that are gathered in one query (`src/platform/postgres/batched.ts`), on a real database. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { batchedById, batchedInOrder } from "../../src/platform/postgres/batched.ts"
import { oldBytesMax, oldBytesOf, someObject } from "../kit/run/heap.ts"
import { freshSql } from "../kit/Process.ts"

const Row = Schema.Struct({ id: Schema.String, name: Schema.String })

const rows = [1, 2, 3].map((id) => ({ id: String(id), name: `row ${id}` }))

/** Rows 1 to 3 by their keys, and the queries. */
const known = (sql: SqlClient.SqlClient, fails = false) => {
  const asked: Array<ReadonlyArray<string>> = []
  const byId = batchedById(sql, {
    row: Row,
    key: "id",
    select: (ids) => {
      asked.push(ids)
      return fails
        ? sql`select no_such_column`
        : sql`select id::text, 'row ' || id as name from generate_series(3, 1, -1) as id where id::text = any(${ids})`
    }
  })
  return { asked, byId }
}

/** The row at the place of the question. */
const ordered = (sql: SqlClient.SqlClient, rowsOf: (questions: ReadonlyArray<string>) => ReadonlyArray<string>) =>
  batchedInOrder(sql, {
    row: Schema.Struct({ answer: Schema.String }),
    select: (questions: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError> =>
      sql`select * from unnest(${rowsOf(questions)}::text[]) as answer`
  })

describe("batched questions", () => {
  it.live("of one turn are one query, and each caller has its own row or none", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const { asked, byId } = known(sql)
      const found = yield* Effect.all(["3", "9", "1", "3"].map(byId), { concurrency: "unbounded" })
      const [first, , third] = rows
      assert.deepStrictEqual(found.map(Option.getOrNull), [third!, null, first!, third!])
      assert.strictEqual(asked.length, 1)
      yield* byId("2")
      assert.deepStrictEqual(asked.slice(1), [["2"]])
    })
  )

  it.live("of a caller that has left are not asked, and the others are answered", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const { asked, byId } = known(sql)
      const left = yield* Effect.forkChild(byId("1"), { startImmediately: true })
      const stays = yield* Effect.forkChild(byId("2"), { startImmediately: true })
      yield* Fiber.interrupt(left)
      assert.strictEqual(Option.getOrThrow(yield* Fiber.join(stays)).name, "row 2")
      assert.deepStrictEqual(asked, [["2"]])
    })
  )

  it.live("that all callers have left are no query", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const { asked, byId } = known(sql)
      const left = yield* Effect.forkChild(byId("1"), { startImmediately: true })
      yield* Fiber.interrupt(left)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(() => setImmediate(resolve))))
      yield* byId("2")
      assert.deepStrictEqual(asked, [["2"]])
    })
  )

  it.live("that fail, fail for each caller, and the next are asked again", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const { asked, byId } = known(sql, true)
      const exits = yield* Effect.all(
        ["1", "2"].map((id) => Effect.exit(byId(id))),
        { concurrency: "unbounded" }
      )
      for (const exit of exits) assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      yield* Effect.exit(byId("3"))
      assert.deepStrictEqual(asked, [["1", "2"], ["3"]])
    })
  )

  it.live("of a transaction are its own, so that they see what it has written", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const setting = sql`nullif(current_setting('coffer.of_a_test', true), '')`
      const byId = batchedById(sql, {
        row: Row,
        key: "id",
        select: (ids) => sql`select id, coalesce(${setting}, 'none') as name from unnest(${ids}::text[]) as id`
      })
      const inside = Effect.andThen(sql`select set_config('coffer.of_a_test', 'its own', true)`, byId("1"))
      const [within, outside] = yield* Effect.all([sql.withTransaction(inside), byId("2")], {
        concurrency: "unbounded"
      })
      assert.strictEqual(Option.getOrThrow(within).name, "its own")
      assert.strictEqual(Option.getOrThrow(outside).name, "none")
    })
  )

  it.live("of any kind are answered in their order", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const echo = ordered(sql, (questions) => questions)
      const answers = yield* Effect.all(["b", "a", "b"].map(echo), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers.map(({ answer }) => answer),
        ["b", "a", "b"]
      )
    })
  )

  it.live("never have the answer to another: one row too few is a defect of ours", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const short = ordered(sql, (questions) => questions.slice(1))
      const exits = yield* Effect.all(
        ["a", "b"].map((question) => Effect.exit(short(question))),
        {
          concurrency: "unbounded"
        }
      )
      for (const exit of exits) assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )

  it.live("keep nothing of those who have asked", () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const echo = batchedInOrder(sql, {
        row: Schema.Struct({ asked: Schema.Boolean }),
        select: (questions: ReadonlyArray<object>) => Effect.succeed(questions.map(() => ({ asked: true })))
      })
      // Two fibers that meet as these do: what files before this one have left in the process makes some of them old.
      const met = (object: object) =>
        Effect.callback<object>((resume) => {
          Effect.runFork(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => resume(Effect.succeed(object)))
            )
          )
        })
      const plain = yield* Effect.promise(() => oldBytesOf(() => Effect.runPromise(met(someObject()))))
      const old = yield* Effect.promise(() => oldBytesOf(() => Effect.runPromise(echo(someObject()))))
      assert.isBelow(old - plain, oldBytesMax)
    })
  )
})
