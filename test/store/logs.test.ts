/** The queue of API logs and their table, on a real database: bounds, failures, days, and what a list reads. */
import { MerchantId } from "@coffer/model/Ids"
import type { LogQuery } from "@coffer/contract/Logs"
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Layer, Logger, Metric, Redacted } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { patiently } from "../../src/platform/runtime/patience.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { waitingMax } from "../../src/logs/logQueue.ts"
import type { LoggedCall } from "../../src/logs/logRow.ts"
import * as Logs from "../../src/logs/Logs.ts"
import * as LogStore from "../../src/logs/LogStore.ts"
import { blocking } from "../kit/Faults.ts"
import { freshDatabase } from "../kit/Service.ts"

const merchantId = MerchantId.make("mer_00000000000000000000000001")
const smallMerchant = MerchantId.make("mer_00000000000000000000000002")
/** Has had no success for weeks. */
const changedMerchant = MerchantId.make("mer_00000000000000000000000003")
const now = DateTime.makeUnsafe("2026-03-01T12:00:00.000Z")
const idOf = (index: number) => `req_${String(index).padStart(26, "0")}`

const callOf = (index: number, more: Partial<LoggedCall> = {}): LoggedCall => ({
  requestId: idOf(index),
  merchantId,
  mode: "sandbox",
  method: "GET",
  path: "/v1/balance",
  status: 200,
  at: now,
  durationMillis: 1,
  ip: undefined,
  userAgent: undefined,
  idempotencyKey: undefined,
  requestBody: undefined,
  responseBody: '{"code":200}',
  ...more
})

const layerOn = (url: string, faults: Layer.Layer<Faults.Faults> = Faults.layer) =>
  Logs.layer.pipe(
    Layer.provide(faults),
    Layer.provideMerge(LogStore.layer),
    Layer.provideMerge(Postgres.layer({ url: Redacted.make(url), connections: 8, name: "test" }))
  )

const withLogs = <A, E>(
  use: Effect.Effect<A, E, Logs.Logs | LogStore.LogStore | SqlClient.SqlClient>,
  faults?: Layer.Layer<Faults.Faults>
) => Effect.scoped(Effect.flatMap(freshDatabase, (url) => Effect.provide(use, layerOn(url, faults))))

const count = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select 1 from api_logs`, (rows) => rows.length)
)

const dropped = Effect.map(
  Metric.snapshot,
  (metrics) =>
    metrics.find(({ id }) => id === "coffer_api_logs_dropped")?.state as { readonly count: number } | undefined
).pipe(Effect.map((state) => Number(state?.count ?? 0)))

const appendAll = (calls: ReadonlyArray<LoggedCall>) =>
  Effect.flatMap(Logs.Logs, (logs) => Effect.forEach(calls, logs.append, { discard: true }))

const numbers = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index)

describe("the queue", () => {
  it.live("takes 10,000 while an insert is under way; what comes then is dropped and counted, and nobody waits", () =>
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

  it.live("an insert that fails drops its batch, counts it, says so once, and the next is written", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => lines.push(message))
    return withLogs(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const logs = yield* Logs.Logs
        const before = yield* dropped
        yield* sql`alter table api_logs rename to away`
        yield* appendAll(numbers(3).map((index) => callOf(index)))
        yield* logs.flushed
        assert.strictEqual(yield* dropped, before + 3)
        assert.deepStrictEqual(lines.flat(), ["3 API logs were dropped"])
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
          yield* logs.append(callOf(index))
          yield* logs.flushed
          assert.strictEqual(yield* count, index + 1)
        }
      })
    )
  )
})

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
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`select 1 from api_logs_20260228`).length, 1)
        assert.strictEqual((yield* sql`select 1 from api_logs_20260301`).length, 2)
      })
    )
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

describe("a list over 200,000 calls of 30 days", () => {
  const millisText = numbers(10)
    .map((digit) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${45 - 5 * digit}) & 31)::int + 1, 1)`)
    .join(" || ")

  /** Time-ordered ids as `NewIds` makes them: ten characters of milliseconds, then the number of the row. */
  const fill = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const sql = yield* SqlClient.SqlClient
    const store = yield* LogStore.LogStore
    yield* store.openDays(numbers(31).map((days) => DateTime.subtract(now, { days })))
    yield* sql.unsafe(
      `insert into api_logs (request_id, merchant_id, mode, method, path, status, error_code, duration_ms, ip, user_agent,
         idempotency_key, request_body, response_body, created_at)
       select 'req_' || ${millisText} || lpad(n::text, 16, '0'),
         case when n % 1000 = 5 then $3 when n % 10 = 9 then $4 when n % 4 = 0 then 'mer_other' else $1 end, case when n % 40 = 1 then 'live' else 'sandbox' end,
         'GET', '/v1/orders/' || n % 2000,
         case when n % 10 = 9 then case when n < 2000 then 200 else 400 end when n % 20000 = 2 then 503 when n % 500 = 3 then 404 when n % 7 = 0 then 400 else 200 end,
         case when n % 10 = 9 then null when n % 20000 = 2 then 'internal_error' when n % 500 = 3 then 'order_not_found'
           when n % 7 = 0 then 'invalid_request' end,
         1, '127.0.0.1', 'test', null, null, '{"code": 200}', to_timestamp(ms / 1000.0)
       from (select n, $2::bigint - (200000 - n) * 12900::bigint as ms from generate_series(1, 200000) n) calls`,
      [merchantId, DateTime.toEpochMillis(now), smallMerchant, changedMerchant]
    )
    yield* sql`analyze api_logs`
  }, patiently("5 minutes"))

  interface Plan {
    readonly "Node Type": string
    readonly "Relation Name"?: string
    readonly "Index Name"?: string
    readonly "Actual Rows": number
    readonly "Actual Loops": number
    readonly "Rows Removed by Filter"?: number
    readonly Plans?: ReadonlyArray<Plan>
  }
  const nodes = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
  /** Rows taken out of indexes or tables, also those that no condition kept. */
  const rowsRead = (plan: ReadonlyArray<Plan>) =>
    plan
      .filter((node) => node["Relation Name"] !== undefined)
      .reduce(
        (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
        0
      )

  /** The statements of one page as they were sent, each with its plan. */
  const plansOf = Effect.fnUntraced(function* (query: LogQuery, owner = merchantId) {
    const sql = yield* SqlClient.SqlClient
    const logs = yield* Logs.Logs
    const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
    const { data } = yield* logs.page({ merchantId: owner, mode: "sandbox" }, query).pipe(
      Effect.provideService(Statement.CurrentTransformer, (statement) =>
        Effect.sync(() => {
          sent.push(statement.compile())
          return statement
        })
      )
    )
    const plans = yield* Effect.forEach(sent, ([text, params]) =>
      Effect.map(
        sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
          `explain (analyze, format json) ${text}`,
          params
        ),
        ([row]) => nodes(row!["QUERY PLAN"][0]!.Plan)
      )
    )
    return { data, plans }
  })

  it.live("reads an index, and little more than the page, whatever the filter and however rare its value", () =>
    withLogs(
      Effect.gen(function* () {
        const now = yield* DateTime.now
        yield* fill(now)
        const iso = (days: number) => DateTime.formatIso(DateTime.subtract(now, { days }))
        const middle = (yield* plansOf({ "created[lte]": iso(15) })).data[0]!.request_id
        for (const [query, found, index] of [
          [{}, 20, ""],
          [{ status: "503" }, 10, "status_request_id"],
          [{ status: "404" }, 20, "status_request_id"],
          [{ status: "418" }, 0, "status_request_id"],
          [{ status: "5xx" }, 10, "status_class_request_id"],
          [{ status: "4xx" }, 20, "status_class_request_id"],
          [{ status: "2xx" }, 20, "status_request_id"],
          [{ status: "3xx" }, 0, "status_class_request_id"],
          [{ status: "1xx" }, 0, "status_class_request_id"],
          [{ path: "/v1/orders/1234" }, 20, "path_request_id"],
          [{ path: "/v1/none" }, 0, "path_request_id"],
          [{ error_code: "internal_error" }, 10, "error_code_request_id"],
          [{ error_code: "order_not_found" }, 20, "error_code_request_id"],
          [{ error_code: "nothing" }, 0, "error_code_request_id"],
          [{ request_id: middle }, 1, ""],
          [{ request_id: "req_none" }, 0, ""],
          [{ starting_after: middle }, 20, ""],
          [{ ending_before: middle }, 20, ""],
          [{ starting_after: middle, status: "404" }, 20, "status_request_id"],
          [{ ending_before: middle, error_code: "internal_error" }, 5, "error_code_request_id"],
          [{ "created[gte]": iso(20), "created[lte]": iso(10) }, 20, ""],
          [{ "created[lte]": iso(20), path: "/v1/orders/1234" }, 20, "path_request_id"]
        ] as ReadonlyArray<readonly [LogQuery, number, string]>) {
          const what = JSON.stringify(query)
          const { data, plans } = yield* plansOf(query)
          assert.strictEqual(data.length, found, what)
          const scans = plans.flat().filter((node) => node["Relation Name"] !== undefined)
          for (const scan of scans) assert.match(scan["Node Type"], /^Index/, what)
          // Where few rows are left, the key is as good as any other index.
          const indexes = plans.at(-1)!.map((node) => node["Index Name"] ?? "")
          assert.isTrue(found === 0 || indexes.some((name) => name.includes(index)), `${what} has its index`)
          assert.isAtMost(rowsRead(scans), 100, what)
        }
        for (const [query, owner] of [
          [{}, smallMerchant],
          [{ status: "200" }, changedMerchant],
          [{ status: "2xx" }, changedMerchant],
          [{ status: "4xx" }, changedMerchant]
        ] as const) {
          const { data, plans } = yield* plansOf(query, owner)
          assert.strictEqual(data.length, 20)
          assert.isAtMost(rowsRead(plans.flat()), 100, JSON.stringify(query))
        }
        // Of two filters the rarer one leads, whichever it is; each is counted up to 500 before.
        for (const [query, found] of [
          [{ path: "/v1/orders/1234", status: "404" }, 0],
          [{ path: "/v1/orders/3", status: "404" }, 20],
          [{ path: "/v1/orders/1234", status: "2xx" }, 20],
          [{ status: "4xx", error_code: "order_not_found" }, 20],
          [{ path: "/v1/orders/2", status: "5xx", error_code: "internal_error" }, 10]
        ] as const) {
          const { data, plans } = yield* plansOf(query)
          assert.strictEqual(data.length, found, JSON.stringify(query))
          assert.isAtMost(rowsRead(plans.flat()), 1_700, JSON.stringify(query))
        }
      })
    )
  )
})
