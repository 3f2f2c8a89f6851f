/** Which errors of a real Postgres are not the request's fault, and the fate of a lost connection. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { patiently } from "../../src/platform/runtime/patience.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { lookMillis } from "../../src/platform/postgres/Servers.ts"
import { defectOf, isDatabaseTrouble, troubleOf } from "../../src/platform/postgres/trouble.ts"
import { cable } from "../kit/servers/Cable.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

const postgres = (url: string, connections = 5) =>
  Postgres.layer({ url: Redacted.make(url), connections, name: "test" })

const withSql = <A, E>(use: (sql: SqlClient.SqlClient, url: string) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const context = yield* Layer.build(postgres(url))
      return yield* Effect.provideContext(
        Effect.flatMap(SqlClient.SqlClient, (sql) => use(sql, url)),
        context
      )
    })
  )

/** As Postgres would report it. */
const said = (code: string) =>
  new SqlError.SqlError({
    reason: new SqlError.UnknownError({ cause: Object.assign(new Error("said"), { code }), message: "", operation: "" })
  })

describe("trouble", () => {
  for (const [code, trouble] of [
    ["57P01", "lost"],
    ["57P02", "lost"],
    ["57P03", "lost"],
    ["08006", "lost"],
    ["25P03", "lost"],
    ["53300", "refused"],
    ["57014", "refused"],
    ["25006", "readOnly"],
    ["55P03", "locked"],
    ["40001", "collided"],
    ["40P01", "collided"],
    ["23514", undefined],
    ["28P01", "refused"],
    ["3D000", "refused"],
    ["42P01", "unusable"],
    ["42501", "unusable"],
    ["42703", "unusable"],
    ["42883", "unusable"],
    ["42601", undefined],
    ["42804", undefined],
    ["42P08", undefined],
    ["58030", "unusable"],
    ["XX001", "unusable"],
    ["22P02", undefined],
    ["P0001", undefined]
  ] as const) {
    it(`${code} is ${trouble ?? "a fault of ours"}`, () => {
      assert.strictEqual(troubleOf(said(code)), trouble)
      assert.strictEqual(isDatabaseTrouble(said(code)), trouble !== undefined)
      assert.strictEqual(isDatabaseTrouble(defectOf(said(code))), trouble !== undefined)
    })
  }

  it.live("a real Postgres' errors for a cancelled statement, a lock and a missing table are distinguished", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const local = (setting: string, statement: string) =>
          Effect.flip(sql.withTransaction(Effect.andThen(sql.unsafe(`set local ${setting}`), sql.unsafe(statement))))
        assert.strictEqual(troubleOf(yield* local("statement_timeout = 20", "select pg_sleep(9)")), "refused")
        assert.strictEqual(troubleOf(yield* Effect.flip(sql`select 1 from no_such_table`)), "unusable")
        const pid = sql.withTransaction(sql`select pg_terminate_backend(pg_backend_pid())`)
        assert.strictEqual(troubleOf(yield* Effect.flip(pid)), "lost")
        assert.deepStrictEqual(yield* sql`select 1 as one`, [{ one: 1 }])
      })
    )
  )
})

describe("a connection whose server takes no writes any more", () => {
  for (const [how, use] of [
    ["statement", (_: SqlClient.SqlClient, statement: Effect.Effect<unknown, SqlError.SqlError>) => statement],
    [
      "transaction",
      (sql: SqlClient.SqlClient, statement: Effect.Effect<unknown, SqlError.SqlError>) => sql.withTransaction(statement)
    ]
  ] as const) {
    it.live(`is given up by the ${how} that finds out, and nothing was written`, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const context = yield* Layer.build(postgres(yield* freshDatabase, 1))
          const sql = Context.get(context, SqlClient.SqlClient)
          const write = use(sql, sql`insert into mails select * from mails where false`)
          yield* write
          yield* sql`set session characteristics as transaction read only`
          assert.strictEqual(troubleOf(yield* Effect.flip(write)), "readOnly")
          yield* eventually("a new connection", Effect.match(write, { onFailure: () => false, onSuccess: () => true }))
        })
      )
    )
  }
})

describe("a Postgres that was away", () => {
  it.live("has a log line for the beginning and one for the end, and none for what failed because of it", () =>
    Effect.gen(function* () {
      const wire = yield* cable(yield* freshDatabase)
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const context = yield* Effect.provide(Layer.build(postgres(wire.url)), Logger.layer([logger]))
      const sql = Context.get(context, SqlClient.SqlClient)
      const told = Effect.ignore(sql`select 1`, { log: "Warn", message: "not done" }).pipe(
        Effect.provideContext(context)
      )
      const logged = (words: RegExp) =>
        eventually(
          String(words),
          Effect.sync(() => lines.some((line) => words.test(line)))
        )
      yield* told
      wire.cut()
      yield* told
      yield* logged(/does not answer since/)
      yield* told
      wire.heal()
      yield* logged(/answers again/)
      assert.lengthOf(lines, 2, lines.join("\n"))
      // A connection that is lost while Postgres answers is different.
      const other = yield* Effect.provide(Layer.build(postgres(wire.url)), Logger.layer([logger]))
      yield* Effect.ignore(Context.get(other, SqlClient.SqlClient)`select pg_terminate_backend(pg_backend_pid())`, {
        log: "Warn",
        message: "not done"
      }).pipe(Effect.provideContext(other))
      yield* logged(/not done/)
    }).pipe(Effect.scoped)
  )

  it.live("is found again while a new connection to it takes longer than a search for it", () =>
    Effect.gen(function* () {
      const wire = yield* cable(yield* freshDatabase)
      const context = yield* Layer.build(postgres(wire.url))
      const sql = Context.get(context, SqlClient.SqlClient)
      const works = Effect.match(sql`select 1`, { onFailure: () => false, onSuccess: () => true })
      assert.isTrue(yield* works)
      wire.cut()
      yield* eventually(
        "the runner to notice",
        Effect.match(sql`select 1`, {
          onFailure: ({ message }) => message.includes("Postgres does not answer"),
          onSuccess: () => false
        })
      )
      wire.slow(lookMillis / 6)
      wire.heal()
      yield* eventually("statements to succeed again", works, "30 seconds")
    }).pipe(Effect.scoped)
  )
})

describe("a connection that carries nothing any more", () => {
  it.live("is given up: statements and transactions fail within their limit, and the next ones have others", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const wire = yield* cable(yield* freshDatabase)
        const context = yield* Layer.build(postgres(wire.url))
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`select 1`
          wire.swallow()
          const shared = Effect.forEach([1, 2, 3], () => Effect.flip(sql`select 1`), { concurrency: "unbounded" })
          const outcomes = yield* Effect.all([shared, Effect.flip(sql.withTransaction(sql`select 1`))], {
            concurrency: "unbounded"
          })
          for (const error of outcomes.flat()) assert.strictEqual(troubleOf(error), "lost")
          wire.heal()
          const works = Effect.match(sql`select 1`, { onFailure: () => false, onSuccess: () => true })
          yield* eventually("statements to succeed again", works)
          assert.lengthOf(yield* sql.withTransaction(sql`select 1`), 1)
        }).pipe(Effect.provideContext(context))
      })
    )
  )

  it.live("a patient job may take longer than a request, and its connection is as impatient as before afterwards", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const limits = sql<{ statement: string; lock: string }>`
          select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
        const hurried = [{ statement: "3500ms", lock: "1s" }]
        assert.deepStrictEqual(yield* limits, hurried)
        const fiber = yield* Effect.forkChild(patiently("16 seconds")(sql`select pg_sleep(4.2)`))
        assert.deepStrictEqual(yield* patiently("16 seconds")(limits), [{ statement: "14s", lock: "1s" }])
        yield* Fiber.join(fiber)
        const all = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => sql.withTransaction(limits), { concurrency: 4 })
        for (const each of all) assert.deepStrictEqual(each, hurried)
      })
    )
  )

  it.live("a patient job whose connection has died ends when it is interrupted, however long it may take", () =>
    Effect.gen(function* () {
      const wire = yield* cable(yield* freshDatabase)
      const context = yield* Layer.build(postgres(wire.url))
      const sql = Context.get(context, SqlClient.SqlClient)
      const begun = yield* Deferred.make<void>()
      const job = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select 1`
          wire.swallow()
          yield* Deferred.succeed(begun, undefined)
          yield* sql`select 2`
        })
      )
      // Its ROLLBACK would wait for an hour, too, and then for the answer that the limits of the connection are set.
      const fiber = yield* Effect.forkChild(patiently("1 hour")(job))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.scoped)
  )

  it.live("a patient job whose connection dies at its end is not waited for, however long it may take", () =>
    Effect.gen(function* () {
      const wire = yield* cable(yield* freshDatabase)
      const context = yield* Layer.build(postgres(wire.url))
      const sql = Context.get(context, SqlClient.SqlClient)
      const job = sql.reserve.pipe(
        Effect.flatMap((own) => own.execute("select 1", [], undefined)),
        Effect.tap(() => Effect.sync(wire.swallow)),
        Effect.scoped
      )
      assert.lengthOf(yield* patiently("1 hour")(job), 1)
    }).pipe(Effect.scoped)
  )
})
