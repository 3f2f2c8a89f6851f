/**
 * The queue before the table of API logs, on a real database: its bound, and the fate of a failed insert.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger, Metric } from "effect"
import { waitingMax } from "../../src/shared/logs/logQueue.ts"
import * as Logs from "../../src/shared/logs/Logs.ts"
import { blocking } from "../kit/faults/Faults.ts"
import { collectGarbage } from "../kit/run/heap.ts"
import { appendAll, callOf, count, idOf, layerOn, merchantId, numbers, owner, withLogs } from "../kit/rows/logStore.ts"
import { freshDatabase } from "../kit/Service.ts"

const dropped = Effect.map(
  Metric.snapshot,
  (metrics) =>
    metrics.find(({ id }) => id === "coffer_api_logs_dropped_total")?.state as { readonly count: number } | undefined
).pipe(Effect.map((state) => Number(state?.count ?? 0)))

describe("the queue", () => {
  it.live(
    "takes 10,000 while an insert is under way; further calls are dropped and counted, and no request waits",
    () =>
      Effect.gen(function* () {
        const fault = yield* blocking("Logs.insert", "before")
        yield* withLogs(
          Effect.gen(function* () {
            const before = yield* dropped
            yield* appendAll([callOf(0)])
            yield* Deferred.await(fault.reached)
            yield* appendAll(numbers(waitingMax, 1).map((index) => callOf(index)))
            assert.strictEqual(yield* dropped, before)
            yield* appendAll(numbers(7, 20_000).map((index) => callOf(index)))
            assert.strictEqual(yield* dropped, before + 7)
            yield* fault.release
            yield* (yield* Logs.Logs).flushed
            assert.strictEqual(yield* count, waitingMax + 1)
          }),
          fault.layer
        )
      })
  )

  it.live("holds 64 MB of bodies and no more", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("Logs.insert", "before")
      yield* withLogs(
        Effect.gen(function* () {
          const before = yield* dropped
          yield* appendAll([callOf(0)])
          yield* Deferred.await(fault.reached)
          const large = `{"a":"${"x".repeat(16 * 1024 - 8)}"}`
          yield* appendAll(
            numbers(5_000, 1).map((index) => callOf(index, { requestBody: large, responseBody: undefined }))
          )
          assert.strictEqual(yield* dropped, before + 5_000 - 4_096)
          yield* fault.release
          yield* (yield* Logs.Logs).flushed
          assert.strictEqual(yield* count, 4_097)
        }),
        fault.layer
      )
    })
  )

  it.live("a call that waits for its row keeps nothing of its request in memory", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("Logs.insert", "before")
      yield* withLogs(
        Effect.gen(function* () {
          yield* appendAll([callOf(0)])
          yield* Deferred.await(fault.reached)
          const logs = yield* Logs.Logs
          const answered = Effect.sync(() => {
            const record = { requestId: idOf(1), account: { merchantId, mode: "sandbox" as const } }
            logs.begun(record)
            logs.append(callOf(1), record)
            return new WeakRef(record)
          })
          const record = yield* answered
          // A weak reference holds its object until the turn of the event loop is over.
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          collectGarbage()
          assert.isUndefined(record.deref())
          yield* fault.release
          yield* logs.flushed
          assert.strictEqual(yield* count, 2)
        }),
        fault.layer
      )
    })
  )

  it.live("an insert is one message to Postgres, and its commit does not wait for the disk", () =>
    withLogs(
      Effect.gen(function* () {
        const sql = yield* owner
        // Runs when the transaction ends. The statement is a COMMIT, or none if the message that began it ends it.
        yield* sql`create table ends (setting text, statement text)`
        yield* sql`create function note_end() returns trigger language plpgsql security definer as $$ begin
          insert into ends values (current_setting('synchronous_commit'), current_query()); return null; end $$`
        yield* sql`create constraint trigger note_end after insert on api_logs deferrable initially deferred
          for each row execute function note_end()`
        yield* appendAll([callOf(0)])
        yield* (yield* Logs.Logs).flushed
        assert.deepStrictEqual(yield* sql`select * from ends`, [{ setting: "off", statement: null }])
      })
    )
  )

  it.live("an insert that fails drops its batch, counts it, says so once, and the next is written", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => lines.push(message))
    return withLogs(
      Effect.gen(function* () {
        const sql = yield* owner
        const logs = yield* Logs.Logs
        const before = yield* dropped
        yield* sql`alter table api_logs rename to away`
        yield* appendAll(numbers(3).map((index) => callOf(index)))
        yield* logs.flushed
        assert.strictEqual(yield* dropped, before + 3)
        assert.deepStrictEqual(
          lines.flat().filter((line) => String(line).includes("API logs")),
          ["3 API logs were dropped"]
        )
        yield* sql`alter table away rename to api_logs`
        yield* appendAll(numbers(3, 3).map((index) => callOf(index)))
        yield* logs.flushed
        assert.strictEqual(yield* dropped, before + 3)
        assert.strictEqual(yield* count, 3)
      })
    ).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.live("what is queued when the service ends is written", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* freshDatabase
        yield* Effect.scoped(
          Effect.gen(function* () {
            const context = yield* Layer.build(layerOn(url))
            yield* appendAll(numbers(2_300).map((index) => callOf(index))).pipe(Effect.provideContext(context))
          })
        )
        assert.strictEqual(yield* Effect.provide(count, layerOn(url)), 2_300)
      })
    )
  )

  it.live("a flush waits for what was appended before it, and for nothing when all is written", () =>
    withLogs(
      Effect.gen(function* () {
        const logs = yield* Logs.Logs
        yield* logs.flushed
        for (const index of numbers(20)) {
          logs.append(callOf(index))
          yield* logs.flushed
          assert.strictEqual(yield* count, index + 1)
        }
      })
    )
  )
})
