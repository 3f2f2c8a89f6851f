/** How long API logs stay (spec: API log; Limits): 30 days, by the service's own clock, a day at a time. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { flushed } from "../../kit/rows/logs.ts"
import { ownersConnection, type Running, start } from "../../kit/Service.ts"

const service = start({ clock: "test" })

const partitions = ({ sql }: Running) =>
  Effect.map(
    sql<{ readonly name: string }>`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'api_logs'::regclass order by 1`,
    (rows) => rows.map(({ name }) => name)
  )

const nameOf = (day: number) =>
  `api_logs_${DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day * 86_400_000)).replaceAll("-", "")}`
const days = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => nameOf(from + index))

const balanceLogs = Effect.fnUntraced(function* (running: Running, query = "") {
  yield* flushed(running)
  return yield* running.api.get(`/v1/logs?path=/v1/balance${query}`, running.merchant.sandboxKey)
})

describe("retention", () => {
  it.live("the partitions of today and of the two days ahead are there, always", () =>
    Effect.gen(function* () {
      const running = yield* service
      yield* running.atRest
      assert.deepStrictEqual(yield* partitions(running), days(0, 2))
      yield* running.pass("23 hours")
      assert.deepStrictEqual(yield* partitions(running), days(0, 2))
      yield* running.pass("1 hour")
      assert.deepStrictEqual(yield* partitions(running), days(0, 3))
    })
  )

  it.live("a log is listed for 30 days; then it is gone, its cursor with it, and a day later its partition", () =>
    Effect.gen(function* () {
      const running = yield* service
      const { api, merchant, pass } = running
      yield* pass("12 hours")
      const old = (yield* api.get("/v1/balance", merchant.sandboxKey)).body.request_id
      yield* flushed(running)

      // A pass of a month looks at its end alone, and makes no days in between.
      for (let day = 0; day < 30; day++) yield* pass("1 day")
      const last = yield* balanceLogs(running)
      assert.deepStrictEqual(
        last.body.data.data.map(({ request_id }: { readonly request_id: string }) => request_id),
        [old]
      )
      assert.strictEqual((yield* balanceLogs(running, `&starting_after=${old}`)).status, 200)

      yield* pass("1 milli")
      assert.deepStrictEqual((yield* balanceLogs(running)).body.data.data, [])
      assert.deepStrictEqual((yield* balanceLogs(running, `&request_id=${old}`)).body.data.data, [])
      assert.deepStrictEqual((yield* balanceLogs(running, "&created[gte]=0")).body.data.data, [])
      for (const param of ["starting_after", "ending_before"]) {
        const { body, status } = yield* balanceLogs(running, `&${param}=${old}`)
        assert.deepStrictEqual([status, body.param], [400, param])
      }
      // Half of its day is not 30 days old yet.
      assert.deepStrictEqual(yield* partitions(running), days(0, 32))

      yield* pass("12 hours")
      assert.deepStrictEqual(yield* partitions(running), days(1, 33))
      assert.strictEqual((yield* balanceLogs(running, `&starting_after=${old}`)).status, 400)
    })
  )

  it.live("KEEP_API_LOGS keeps them longer, and retention_days says so", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test", env: { KEEP_API_LOGS: "40 days" } })
      yield* running.api.get("/v1/balance", running.merchant.sandboxKey)
      yield* flushed(running)
      yield* running.pass("39 days")
      const { body } = yield* balanceLogs(running)
      assert.deepStrictEqual([body.data.data.length, body.data.retention_days], [1, 40])
      yield* running.pass("2 days")
      assert.deepStrictEqual((yield* balanceLogs(running)).body.data.data, [])
      assert.deepStrictEqual((yield* partitions(running))[0], nameOf(1))
    })
  )

  it.live("calls of a day whose partition was dropped are kept: it is made again", () =>
    Effect.gen(function* () {
      const running = yield* service
      const { api, merchant } = running
      const sql = yield* ownersConnection(running.database)
      yield* running.atRest
      yield* sql`drop table api_logs_19700101`
      yield* api.get("/v1/balance", merchant.sandboxKey)
      yield* api.get("/v1/balance", merchant.sandboxKey)
      assert.strictEqual((yield* balanceLogs(running)).body.data.data.length, 2)
      assert.deepStrictEqual(yield* partitions(running), days(0, 2))
    })
  )

  it.live("while the table cannot be written calls are answered as ever, and only their logs are lost", () =>
    Effect.gen(function* () {
      const running = yield* service
      const { api, merchant } = running
      const sql = yield* ownersConnection(running.database)
      yield* sql`alter table api_logs rename to away`
      const created = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1 })
      assert.strictEqual(created.status, 201)
      yield* flushed(running)
      yield* sql`alter table away rename to api_logs`
      assert.strictEqual((yield* api.get(`/v1/orders/${created.body.data.trade_no}`, merchant.sandboxKey)).status, 200)
      yield* flushed(running)
      const { body } = yield* api.get("/v1/logs", merchant.sandboxKey)
      assert.deepStrictEqual(
        body.data.data.map(({ method }: { readonly method: string }) => method),
        ["GET"]
      )
    })
  )
})
