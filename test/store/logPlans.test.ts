/**
 * Every filter of the list of API logs, over 200,000 calls of 30 days: Postgres reads an index, and little more than
 * the page.
 */
import type { LogQuery } from "@coffer/contract/Logs"
import { MerchantId } from "@coffer/model/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { patiently } from "../../src/platform/runtime/patience.ts"
import * as Logs from "../../src/shared/logs/Logs.ts"
import * as LogStore from "../../src/shared/logs/LogStore.ts"
import { merchantId, numbers, owner, withLogs } from "../kit/rows/logStore.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"

const smallMerchant = MerchantId.make("mer_00000000000000000000000002")
/** A merchant without a success for weeks. */
const changedMerchant = MerchantId.make("mer_00000000000000000000000003")

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
         idempotency_key, request_body, response_body, created_at, source)
       select 'req_' || ${millisText} || lpad(n::text, 16, '0'),
         case when n % 1000 = 5 then $3 when n % 10 = 9 then $4 when n % 4 = 0 then 'mer_other' else $1 end,
         case when n % 40 = 1 then 'live' else 'sandbox' end,
         'GET', '/v1/orders/' || n % 2000,
         case when n % 10 = 9 then case when n < 2000 then 200 else 400 end
           when n % 20000 = 2 then 503 when n % 500 = 3 then 404 when n % 7 = 0 then 400 else 200 end,
         case when n % 10 = 9 then null when n % 20000 = 2 then 'internal_error' when n % 500 = 3 then 'order_not_found'
           when n % 7 = 0 then 'invalid_request' end,
         1, '127.0.0.1', 'test', null, null, '{"code": 200}', to_timestamp(ms / 1000.0),
         case when n % 20000 = 6 then 'console' else 'api' end
       from (select n, $2::bigint - (200000 - n) * 12900::bigint as ms from generate_series(1, 200000) n) calls`,
      [merchantId, DateTime.toEpochMillis(now), smallMerchant, changedMerchant]
    )
    yield* (yield* owner)`analyze api_logs`
  }, patiently("5 minutes"))

  /** A page, the scans of each of its statements, and those of the last one: the page's own. */
  const pageOf = Effect.fnUntraced(function* (query: LogQuery, owner = merchantId) {
    const sql = yield* SqlClient.SqlClient
    const logs = yield* Logs.Logs
    const { plans, result } = yield* explained(sql, logs.page({ merchantId: owner, mode: "sandbox" }, query))
    return { data: result.data, scans: scansIn(plans), last: plans.at(-1)!.nodes }
  })

  it.live("reads an index, and little more than the page, whatever the filter and however rare its value", () =>
    withLogs(
      Effect.gen(function* () {
        const now = yield* DateTime.now
        yield* fill(now)
        const iso = (days: number) => DateTime.formatIso(DateTime.subtract(now, { days }))
        const middle = (yield* pageOf({ "created[lte]": iso(15) })).data[0]!.request_id
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
          [{ source: "console" }, 10, "source_request_id"],
          [{ source: "api" }, 20, ""],
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
          const { data, last, scans } = yield* pageOf(query)
          assert.strictEqual(data.length, found, what)
          for (const scan of scans) assert.match(scan["Node Type"], /^Index/, what)
          // Where few rows remain, the key is as good as any other index.
          const indexes = last.map((node) => node["Index Name"] ?? "")
          assert.isTrue(found === 0 || indexes.some((name) => name.includes(index)), `${what} has its index`)
          assert.isAtMost(rowsRead(scans), 100, what)
        }
        for (const [query, owner] of [
          [{}, smallMerchant],
          [{ status: "200" }, changedMerchant],
          [{ status: "2xx" }, changedMerchant],
          [{ status: "4xx" }, changedMerchant]
        ] as const) {
          const { data, scans } = yield* pageOf(query, owner)
          assert.strictEqual(data.length, 20)
          assert.isAtMost(rowsRead(scans), 100, JSON.stringify(query))
        }
        // A timeline looks for the calls that were running when something was made: those of a path within a minute.
        const sql = yield* SqlClient.SqlClient
        const logs = yield* Logs.Logs
        const moments = numbers(20).map((n) => ({
          path: `/v1/orders/${n}`,
          at: DateTime.subtract(now, { seconds: n * 3_600 })
        }))
        const atWork = yield* explained(sql, logs.atWork({ merchantId, mode: "sandbox" }, moments))
        const scans = scansIn(atWork.plans).filter((node) => node["Relation Name"]!.startsWith("api_logs"))
        assert.isAbove(scans.length, 0)
        for (const scan of scans) assert.match(scan["Node Type"], /^Index|^Bitmap/, JSON.stringify(scan))
        // Each of these paths has a call in seven hours.
        assert.isAtMost(rowsRead(scans), moments.length, JSON.stringify(scans.filter((scan) => rowsRead([scan]) > 0)))
        // The rarer of two filters leads; each is counted up to 500 before.
        for (const [query, found] of [
          [{ path: "/v1/orders/1234", status: "404" }, 0],
          [{ path: "/v1/orders/3", status: "404" }, 20],
          [{ path: "/v1/orders/1234", status: "2xx" }, 20],
          [{ status: "4xx", error_code: "order_not_found" }, 20],
          [{ path: "/v1/orders/2", status: "5xx", error_code: "internal_error" }, 10]
        ] as const) {
          const { data, scans } = yield* pageOf(query)
          assert.strictEqual(data.length, found, JSON.stringify(query))
          assert.isAtMost(rowsRead(scans), 1_700, JSON.stringify(query))
        }
      })
    )
  )
})
