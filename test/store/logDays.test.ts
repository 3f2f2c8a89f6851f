/** The table of API logs has a partition for each day: days are made as rows come, and dropped whole. */
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Logs from "../../src/shared/logs/Logs.ts"
import * as LogStore from "../../src/shared/logs/LogStore.ts"
import {
  appendAll,
  callOf,
  count,
  idOf,
  layerOn,
  merchantId,
  now,
  numbers,
  owner,
  withLogs
} from "../kit/rows/logStore.ts"
import { errorsLoggedIn, freshDatabase } from "../kit/Service.ts"

describe("days", () => {
  const partitions = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly name: string }>`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'api_logs'::regclass order by 1`
  ).pipe(Effect.map((rows) => rows.map(({ name }) => name)))

  it.live("a batch over midnight makes the partitions it misses and is written whole", () =>
    withLogs(
      Effect.gen(function* () {
        const at = (text: string) => DateTime.makeUnsafe(text)
        yield* appendAll([
          callOf(1, { at: at("2026-02-28T23:59:59.999Z") }),
          callOf(2, { at: at("2026-03-01T00:00:00.000Z") }),
          callOf(3, { at: at("2026-03-01T23:59:59.999Z") })
        ])
        yield* (yield* Logs.Logs).flushed
        assert.deepStrictEqual(yield* partitions, ["api_logs_20260228", "api_logs_20260301"])
        const sql = yield* owner
        assert.strictEqual((yield* sql`select 1 from api_logs_20260228`).length, 1)
        assert.strictEqual((yield* sql`select 1 from api_logs_20260301`).length, 2)
      })
    )
  )

  it.live("a call of a sandbox whose clock is a month ahead is kept beside those of others", () =>
    withLogs(
      Effect.gen(function* () {
        yield* appendAll([callOf(1), callOf(2, { aheadMillis: 31 * 86_400_000 }), callOf(3)])
        yield* (yield* Logs.Logs).flushed
        assert.strictEqual(yield* count, 3)
      })
    )
  )

  it.live("the first calls of a day are no error in Postgres' log", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.provide(appendAll([callOf(1)]), layerOn(url))
      assert.deepStrictEqual(errorsLoggedIn(url), [])
    })
  )

  it.live("runners that miss the same partition at once all write", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const runners = yield* Effect.forEach(numbers(4), () => Layer.build(layerOn(url)))
        yield* Effect.forEach(
          runners.flatMap((runner) => numbers(4).map((index) => [runner, index] as const)),
          ([runner, index], place) =>
            Context.get(runner, LogStore.LogStore).insert([
              {
                request_id: idOf(place),
                merchant_id: merchantId,
                mode: "sandbox",
                method: "GET",
                path: "/",
                status: 200,
                error_code: null,
                duration_ms: 1,
                ip: null,
                user_agent: null,
                idempotency_key: null,
                request_body: null,
                response_body: null,
                created_at: DateTime.makeUnsafe(`2026-03-0${index + 1}T12:00:00.000Z`)
              }
            ]),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* Effect.provideContext(count, runners[0]!), 16)
      })
    )
  )

  it.live("all days before one are dropped, and no other", () =>
    withLogs(
      Effect.gen(function* () {
        const store = yield* LogStore.LogStore
        const days = numbers(5).map((index) => DateTime.add(now, { days: index }))
        yield* store.openDays(days)
        yield* store.openDays(days)
        yield* store.dropBefore(days[3]!)
        assert.deepStrictEqual(yield* partitions, ["api_logs_20260304", "api_logs_20260305"])
      })
    )
  )
})
