/** Reports that are written as files: made once, written step by step, read in parts, and removed (docs/reports.md). */
import { reportsKeptMax, reportsPendingMax } from "@coffer/model/Limits"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { cable } from "../../kit/servers/Cable.ts"
import { blocking, dying } from "../../kit/faults/Faults.ts"
import { assertRefused, type Json, said } from "../../kit/Merchant.ts"
import { freshDatabase, type Running, start, withNewMerchant } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/reportFiles") {}

/** Bytes of the byte order mark, which the reader of a text drops. */
const mark = 3

const begins = Date.UTC(2026, 2, 27, 11)

/** Movements of one wallet, a minute apart, which no service has made. */
const insertMovements = ({ merchant, sql }: Running, count: number) => {
  const id = `${merchant.merchantId}/sandbox/USD`
  const row = `test_id('LED_', ${begins} + n * 60000, n, '${id}'), '${id}', n, '${merchant.merchantId}', 'sandbox', 'USD',
    'payment_credit', 7, 7 * (n - 1), 7 * n, 0, 'ref-' || n, 'Text, with a comma', to_timestamp((${begins} + n * 60000) / 1000.0),
    '', '\\x0a'`
  return Effect.andThen(
    sql`insert into wallets select ${id}, 0, ${merchant.merchantId}, 'sandbox', 'USD', 0, 0, 0, 0, 0, 0, '', '',
      timestamptz '2026-01-01' on conflict do nothing`,
    sql`select test_without_triggers(${`insert into ledger select ${row} from generate_series(1, ${count}::bigint) n`})`
  )
}
const monthOf = {
  report: "transactions",
  from: "2026-03-27",
  to: "2026-04-03",
  currency: "USD",
  time_zone: "Europe/Berlin"
}

const fileOf = Effect.fnUntraced(function* (
  { api, merchant }: Running,
  no: string,
  headers: Record<string, string> = {}
) {
  return yield* api.call("GET", `/v1/reports/${no}/file`, { key: merchant.sandboxKey, headers })
})
const made = Effect.fnUntraced(function* (running: Running, terms: Json, headers: Record<string, string> = {}) {
  const { api, merchant } = running
  const reply = yield* api.call("POST", "/v1/reports", { key: merchant.sandboxKey, body: terms, headers })
  assert.strictEqual(reply.status, 202, reply.text)
  return reply.body.data as Json
})
const found = ({ api, merchant }: Running, no: string): Effect.Effect<Json> =>
  said(api.get(`/v1/reports/${no}`, merchant.sandboxKey))
const succeeded = Effect.fnUntraced(function* (running: Running, terms: Json) {
  const { report_no } = yield* made(running, terms)
  yield* running.settle
  const report = yield* found(running, report_no)
  assert.strictEqual(report["status"], "succeeded")
  return report
})

layer(Layer.effect(Service, start({ clock: "test", begins: begins + 30 * 86_400_000 })), { excludeTestServices: true })(
  "a report that is a file",
  (it) => {
    it.effect("has every movement, without a limit of rows, and tells how far it is", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        yield* insertMovements(running, 10_050)
        const { report_no, ...rest } = yield* made(running, monthOf)
        assert.match(report_no, /^rpt_[0-9A-Z]{26}$/)
        assert.deepStrictEqual([rest["status"], rest["rows_done"], rest["rows_total"]], ["pending", 0, 10_050])
        yield* running.settle
        const report = yield* found(running, report_no)
        assert.deepStrictEqual([report["status"], report["rows_done"]], ["succeeded", 10_050])
        assert.deepInclude(report, monthOf)
        const { headers, status, text } = yield* fileOf(running, report_no)
        assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/csv; charset=utf-8"])
        assert.strictEqual(Buffer.byteLength(text) + mark, report["bytes"])
        const [head, ...rows] = text.trimEnd().split("\r\n")
        assert.isTrue(head!.startsWith("id,sequence,type,currency,amount,"))
        assert.strictEqual(rows.length, 10_050)
        assert.deepStrictEqual(
          rows.map((row) => Number(row.split(",")[1])),
          Array.from({ length: 10_050 }, (_, index) => index + 1)
        )
        // Summer time began on the 29th: 22:00 in UTC is the next day.
        assert.match(rows[0]!, /,"Text, with a comma",2026-03-27,.*,0\.07,0\.00,Europe\/Berlin,2026-04-03T22:.*,true$/)
        assert.deepStrictEqual([report["as_of"], report["complete"]], ["2026-04-03T22:00:00.000Z", true])
        assert.include(
          rows.find((row) => row.includes("2026-03-28T22:59:00"))!,
          ",2026-03-28,"
        )
        assert.include(
          rows.find((row) => row.includes("2026-03-28T23:00:00"))!,
          ",2026-03-29,"
        )
        assert.include(
          rows.find((row) => row.includes("2026-03-29T22:00:00"))!,
          ",2026-03-30,"
        )
      })
    )

    it.effect("as JSON has one object on each line, with amounts in minor units", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        yield* insertMovements(running, 3)
        const report = yield* succeeded(running, { ...monthOf, format: "jsonl" })
        const { headers, text } = yield* fileOf(running, report["report_no"])
        assert.strictEqual(headers.get("content-type"), "application/x-ndjson")
        const rows = text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.deepStrictEqual(
          rows.map(({ amount, object, sequence }) => [object, sequence, amount]),
          [
            ["transaction_line", 1, 7],
            ["transaction_line", 2, 7],
            ["transaction_line", 3, 7]
          ]
        )
      })
    )

    it.effect("that is a journal has every movement of all wallets, in the order of time", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        yield* insertMovements(running, 4_500)
        const report = yield* succeeded(running, { ...monthOf, currency: undefined, format: "hledger" })
        const { headers, text } = yield* fileOf(running, report["report_no"])
        assert.strictEqual(headers.get("content-type"), "text/plain; charset=utf-8")
        const dates = text.match(/^\d{4}-\d\d-\d\d(?= \*)/gm) ?? []
        assert.deepStrictEqual(dates, dates.toSorted())
        assert.lengthOf([...text.matchAll(/; type:payment_credit/g)], 4_500)
        assert.deepStrictEqual([report["rows_done"], report["rows_total"]], [4_500, 4_500])
        assert.match(text, /Closing balance\n {4}Assets:Coffer:Available {2}0\.00 USD = 315\.00 USD\n/)
      })
    )

    it.effect("of a long statement has the lines that the same statement answers at once", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const { api, merchant } = running
        yield* insertMovements(running, 4_500)
        const query = "from=2026-03-20&to=2026-04-19&time_zone=Asia/Kolkata"
        const { body } = yield* api.get(`/v1/reports/statement?${query}`, merchant.sandboxKey)
        const range = { from: "2026-03-20", to: "2026-04-19", time_zone: "Asia/Kolkata" }
        const report = yield* succeeded(running, { report: "statement", format: "jsonl", ...range })
        const { text } = yield* fileOf(running, report["report_no"])
        assert.deepStrictEqual(
          text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line)),
          body.data.lines
        )
        assert.isAbove(body.data.lines.length, 20)
      })
    )

    it.effect("is one for two identical requests with one key, at once and later", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const { sql } = running
        const headers = { "Idempotency-Key": "march" }
        const { api, merchant } = running
        const send = api.call("POST", "/v1/reports", { key: merchant.sandboxKey, body: monthOf, headers })
        const replies = yield* Effect.all([send, send, send], { concurrency: 3 })
        for (const { body, status } of replies)
          if (status !== 202) assert.strictEqual(body.error, "idempotency_in_progress")
        const again = yield* send
        assert.strictEqual(again.status, 202)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        const rows = yield* sql<Json>`select report_no from reports where merchant_id = ${merchant.merchantId}`
        assert.deepStrictEqual(
          rows.map((row) => row["report_no"]),
          [again.body.data.report_no]
        )
        assertRefused(
          yield* api.call("POST", "/v1/reports", {
            key: merchant.sandboxKey,
            body: { ...monthOf, format: "jsonl" },
            headers
          }),
          400,
          "idempotency_error"
        )
      })
    )

    it.effect("is read in two halves, which are the whole", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        yield* insertMovements(running, 6_000)
        const report = yield* succeeded(running, monthOf)
        const [no, bytes] = [report["report_no"], report["bytes"]]
        const whole = yield* fileOf(running, no)
        assert.deepStrictEqual(
          [whole.headers.get("accept-ranges"), whole.headers.get("content-length"), whole.headers.get("etag")],
          ["bytes", String(bytes), `"${no}"`]
        )
        const middle = Math.floor(bytes / 2) + 1
        const first = yield* fileOf(running, no, { Range: `bytes=0-${middle - 1}` })
        const second = yield* fileOf(running, no, { Range: `bytes=${middle}-`, "If-Range": `"${no}"` })
        assert.deepStrictEqual([first.status, second.status], [206, 206])
        assert.strictEqual(second.headers.get("content-range"), `bytes ${middle}-${bytes - 1}/${bytes}`)
        assert.isTrue(first.text + second.text === whole.text)
        const other = yield* fileOf(running, no, { Range: "bytes=5-", "If-Range": '"rpt_other"' })
        assert.deepStrictEqual([other.status, other.text.length], [200, whole.text.length])
        assert.strictEqual(Buffer.byteLength(whole.text) + mark, bytes)
        const beyond = yield* fileOf(running, no, { Range: `bytes=${bytes}-` })
        assertRefused(beyond, 416, "invalid_request", "Range")
        assert.strictEqual(beyond.headers.get("content-range"), `bytes */${bytes}`)
      })
    )

    it.effect("is in a list of its account's, newest first, page by page, until it is removed", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const { api, merchant } = running
        const numbers: Array<string> = []
        for (const report of ["frozen", "fees", "frozen"]) {
          const { report_no } = yield* made(running, report === "fees" ? { report, from: "2026-04-01" } : { report })
          numbers.unshift(report_no)
        }
        yield* running.settle
        const list = (query: string, key = merchant.sandboxKey): Effect.Effect<Json> =>
          said(api.get(`/v1/reports${query}`, key))
        const all = yield* list("")
        assert.deepStrictEqual(
          all["data"].map(({ report_no }: Json) => report_no),
          numbers
        )
        assert.deepStrictEqual(all["data"][0], yield* found(running, numbers[0]!))
        const first = yield* list("?limit=2")
        assert.deepStrictEqual([first["has_more"], first["data"].length], [true, 2])
        const next = yield* list(`?limit=2&starting_after=${numbers[1]}`)
        assert.deepStrictEqual(next["data"], all["data"].slice(2))
        assertRefused(
          yield* api.get(`/v1/reports?starting_after=${numbers[1]}`, (yield* api.newMerchant()).sandboxKey),
          400,
          "invalid_request",
          "starting_after"
        )
        assert.deepStrictEqual((yield* list("", (yield* api.newMerchant()).sandboxKey))["data"], [])
      })
    )

    it.effect("refuses what its kind does not take, by name", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const cases = [
          [{ ...monthOf, interval: "day" }, "interval"],
          [{ report: "statement" }, "from"],
          [{ report: "statement", from: "2022-01-01", to: "2026-01-01" }, "to"],
          [{ report: "frozen", from: "2026-03-27" }, "from"],
          [{ report: "payout" }, "payout_no"],
          [{ report: "transactions", from: "2026-03-27", payout_no: "pyt_1" }, "from"],
          [{ report: "everything" }, "report"],
          [{ ...monthOf, format: "pdf" }, "format"]
        ] as const
        for (const [body, param] of cases) {
          assertRefused(yield* api.post("/v1/reports", merchant.sandboxKey, body), 400, "invalid_request", param)
        }
      })
    )

    it.effect("is only its own account's, and a malformed number is not found", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const report = yield* succeeded(running, { report: "frozen" })
        const other = yield* withNewMerchant(running)
        for (const no of [report["report_no"], "rpt_1", "%00"]) {
          const path = `/v1/reports/${no}`
          assertRefused(yield* other.api.get(path, other.merchant.sandboxKey), 404, "report_not_found")
          assertRefused(yield* other.api.get(`${path}/file`, other.merchant.sandboxKey), 404, "report_not_found")
        }
      })
    )

    it.effect("asks for its scopes by name: reading makes none", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const { api } = running
        const keys = keysOf(running)
        const reader = yield* keys.of(["reports:read"])
        const refused = yield* api.post("/v1/reports", reader, { report: "frozen" })
        assertRefused(refused, 403, "forbidden")
        assert.include(refused.body.message, "reports:write")
        const stranger = yield* api.get("/v1/reports/frozen", yield* keys.of(["balance:read"]))
        assertRefused(stranger, 403, "forbidden")
        assert.include(stranger.body.message, "reports:read")
        assert.strictEqual((yield* api.get("/v1/reports/frozen", reader)).status, 200)
        assert.strictEqual(
          (yield* api.post("/v1/reports", yield* keys.of(["reports:write"]), { report: "frozen" })).status,
          202
        )
      })
    )

    it.effect("is removed with its file a week after it was made", () =>
      Effect.gen(function* () {
        const running = yield* withNewMerchant(yield* Service)
        const { api, leap, merchant, settle, sql } = running
        yield* insertMovements(running, 10)
        const { report_no } = (yield* succeeded(running, monthOf)) as { report_no: string }
        yield* Effect.andThen(leap("6 days"), settle)
        assert.strictEqual((yield* fileOf(running, report_no)).status, 200)
        yield* Effect.andThen(leap("26 hours"), settle)
        assertRefused(yield* api.get(`/v1/reports/${report_no}`, merchant.sandboxKey), 404, "report_not_found")
        const parts = yield* sql<Json>`select 1 from report_parts where report_no = ${report_no}`
        assert.strictEqual(parts.length, 0)
      })
    )
  }
)

/** A service whose reports stop before their second step. */
const standing = Effect.fnUntraced(function* (database: string, where: "before" | "after" = "before") {
  let steps = 0
  const fault = yield* blocking("Report.step", where, () => ++steps === 2)
  const running = yield* start({ database, clock: "test", begins: begins + 30 * 86_400_000, faults: fault.layer })
  return { running, fault }
})

describe("a report that is being written", () => {
  for (const where of ["before", "after"] as const) {
    it.effect(`goes on where it was when its runner is killed ${where} a step, and has each row once`, () =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const scope = yield* Scope.make()
        const wire = yield* cable(database)
        const { fault, running } = yield* Scope.provide(standing(wire.url, where), scope)
        yield* insertMovements(running, 9_000)
        const { report_no } = (yield* made(running, monthOf)) as { report_no: string }
        yield* Deferred.await(fault.reached)
        const half = yield* found(running, report_no)
        assert.deepStrictEqual([half["status"], half["rows_done"]], ["pending", where === "before" ? 2_000 : 4_000])
        assertRefused(yield* fileOf(running, report_no), 409, "conflict")
        wire.cut()
        yield* Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })

        const next = yield* start({ database, clock: "test", begins: begins + 31 * 86_400_000 })
        const heir: Running = { ...next, merchant: running.merchant }
        yield* next.pass("2 minutes")
        const whole = yield* found(heir, report_no)
        assert.deepStrictEqual([whole["status"], whole["rows_done"]], ["succeeded", 9_000])
        const { text } = yield* fileOf(heir, report_no)
        const rows = text.trimEnd().split("\r\n").slice(1)
        assert.deepStrictEqual(
          rows.map((row) => Number(row.split(",")[1])),
          Array.from({ length: 9_000 }, (_, index) => index + 1)
        )
        assert.strictEqual(Buffer.byteLength(text) + mark, whole["bytes"])
      }).pipe(Effect.scoped)
    )
  }

  it.effect("needs an operator's attention while its newest step has failed, and no longer when one succeeds", () =>
    Effect.gen(function* () {
      const { layer: faults } = dying("Report.step", "before")
      const running = yield* start({ clock: "test", begins: begins + 30 * 86_400_000, faults })
      const { report_no } = yield* made(running, { report: "frozen" })
      const held = Effect.map(
        said(running.api.operator("GET", "/held_up?kind=report")),
        ({ counts, data }) => [counts.report, data] as const
      )
      yield* running.settle
      const [count, [one]] = yield* held
      assert.strictEqual(count, 1)
      assert.deepInclude(one, { kind: "report", id: report_no, status: "pending", waits_for: "operator" })
      assert.isString(one.last_error)
      assert.isString(one.next_attempt_at)
      yield* running.pass("2 minutes")
      assert.strictEqual((yield* found(running, report_no))["status"], "succeeded")
      assert.deepStrictEqual(yield* held, [0, []])
    }).pipe(Effect.scoped)
  )

  it.effect("is one of ten at most, and of a hundred that are kept", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("Report.step", "before", () => true)
      const running = yield* start({ clock: "test", begins: begins + 30 * 86_400_000, faults: fault.layer })
      const { api, merchant, sql } = running
      yield* Effect.replicateEffect(made(running, { report: "frozen" }), reportsPendingMax)
      const send = api.post("/v1/reports", merchant.sandboxKey, { report: "frozen" })
      const refused = yield* send
      assertRefused(refused, 409, "conflict")
      assert.include(refused.body.message, "being created")
      yield* fault.release
      yield* running.settle
      yield* sql`insert into reports (report_no, merchant_id, mode, terms, status, created_at, expires_at)
        select 'rpt_' || lpad(n::text, 26, '0'), merchant_id, mode, terms, 'failed', created_at, expires_at
        from reports, generate_series(1, ${reportsKeptMax}::int4) n where report_no = (select min(report_no) from reports)`
      const full = yield* send
      assertRefused(full, 409, "conflict")
      assert.include(full.body.message, "Report limit reached (100)")
    }).pipe(Effect.scoped)
  )
})
