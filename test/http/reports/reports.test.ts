/** Reports that are answered at once, on a day on which everything happens to money (docs/reports.md). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { busyDay } from "../../kit/stories/busyDay.ts"
import { assertRefused, type Json, merchantOf, said } from "../../kit/Merchant.ts"
import { type Running, start, withNewMerchant } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/reports") {}

/** Noon in Berlin. */
const begins = Date.UTC(2026, 2, 27, 11)
const service = Effect.gen(function* () {
  const running = yield* start({ clock: "test", begins })
  yield* busyDay(running)
  // A report has what happened before its call, and this clock is stopped.
  yield* running.pass("1 second")
  return running
})

const get = Effect.fnUntraced(function* (path: string) {
  const { api, merchant } = yield* Service
  return yield* api.get(`/v1/reports/${path}`, merchant.sandboxKey)
})
const lines = (path: string): Effect.Effect<ReadonlyArray<Json>, never, Service> =>
  Effect.map(get(path), ({ body, status, text }) => {
    assert.strictEqual(status, 200, text)
    return body.data.lines
  })
const days = "from=2026-03-26&to=2026-04-02"
const zones = ["UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns"]
const sum = (some: ReadonlyArray<Json>, of: string) => some.reduce((total, line) => total + line[of], 0)

/** The lines of each wallet and period. */
const periodsIn = (all: ReadonlyArray<Json>) => [
  ...Map.groupBy(all, ({ currency, from, to }) => `${currency} ${from} ${to}`).values()
]

layer(Layer.effect(Service, service), { excludeTestServices: true })("a statement", (it) => {
  it.effect("of each day adds up, begins where the day before ended, and ends with the wallet, in every zone", () =>
    Effect.gen(function* () {
      const { sql } = yield* Service
      for (const zone of zones) {
        for (const currency of ["USD", "HKD"]) {
          const some = periodsIn(yield* lines(`statement?${days}&currency=${currency}&time_zone=${zone}`))
          let before: Json | undefined
          for (const period of some) {
            const [opening, closing] = [period[0]!, period.at(-1)!]
            assert.deepStrictEqual([opening["line"], closing["line"]], ["opening", "closing"])
            for (const name of ["available", "frozen"]) {
              assert.strictEqual(sum(period.slice(0, -1), name), closing[name], `${zone} ${opening["from"]}`)
              assert.strictEqual(opening[name], before?.[name] ?? 0)
            }
            assert.strictEqual(opening["sequence"] + sum(period.slice(1, -1), "count"), closing["sequence"])
            before = closing
          }
          const { merchant } = yield* Service
          const [wallet] = yield* sql<Json>`select available, frozen, sequence, head_hash as hash
            from wallets where wallet_id = ${`${merchant.merchantId}/sandbox/${currency}`}`
          const { available, frozen, hash, sequence } = before!
          assert.deepStrictEqual({ available, frozen, sequence, hash }, wallet as never)
        }
      }
    })
  )

  it.effect("has each movement in the period of its local day, and the sum of each type as the ledger lists it", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const rows: Array<Json> = []
      for (let cursor = ""; ;) {
        const { body } = yield* api.get(`/v1/balance_transactions?limit=100${cursor}`, merchant.sandboxKey)
        rows.push(...body.data.data)
        if (!body.data.has_more) break
        cursor = `&starting_after=${rows.at(-1)!["id"]}`
      }
      for (const zone of zones) {
        const dayOf = (row: Json) =>
          new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(Date.parse(row["created_at"]))
        const expected = Map.groupBy(rows, (row) => `${row["currency"]} ${dayOf(row)} ${row["type"]}`)
        const movements = (yield* lines(`statement?${days}&time_zone=${zone}`)).filter(
          ({ line }) => line !== "opening" && line !== "closing"
        )
        assert.deepStrictEqual(
          movements
            .map(({ amount, count, currency, from, line }) => [`${currency} ${from} ${line}`, count, amount])
            .toSorted(),
          [...expected].map(([key, some]) => [key, some.length, sum(some, "amount")]).toSorted()
        )
      }
    })
  )

  it.effect("of a whole range, and of months, has the same movements as that of its days", () =>
    Effect.gen(function* () {
      const counts = (all: ReadonlyArray<Json>) => [sum(all, "count"), sum(all, "amount")]
      const byDay = yield* lines(`statement?${days}`)
      const months = yield* lines(`statement?${days}&interval=month`)
      const range = yield* lines(`statement?${days}&interval=range`)
      assert.deepStrictEqual(counts(months), counts(byDay))
      assert.deepStrictEqual(counts(range), counts(byDay))
      assert.strictEqual(periodsIn(range).length, 2)
      const [opening] = range
      assert.deepStrictEqual([opening!["from"], opening!["to"]], ["2026-03-26", "2026-04-02"])
    })
  )

  it.effect("says up to when it is whole, and goes on with the day", () =>
    Effect.gen(function* () {
      const { merchant, now } = yield* Service
      const { body } = yield* get(`statement?${days}`)
      const { lines: _, ...report } = body.data
      assert.deepStrictEqual(report, {
        object: "statement",
        merchant_id: merchant.merchantId,
        mode: "sandbox",
        time_zone: "UTC",
        as_of: new Date(now()).toISOString(),
        complete: false
      })
      const past = (yield* get("statement?from=2026-03-27")).body.data
      assert.deepStrictEqual([past.as_of, past.complete], ["2026-03-28T00:00:00.000Z", true])
    })
  )

  it.effect("as a CSV file has the same lines, amounts with two decimals", () =>
    Effect.gen(function* () {
      const all = yield* lines(`statement?${days}`)
      const { headers, text } = yield* get(`statement?${days}&format=csv`)
      assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(
        headers.get("content-disposition"),
        'attachment; filename="statement_2026-03-26_2026-04-02_all_UTC.csv"'
      )
      const [head, ...rows] = text.trimEnd().split("\r\n")
      // The reader of a text drops the byte order mark.
      assert.strictEqual(head, "currency,from,to,line,count,amount,available,frozen,sequence,hash")
      assert.strictEqual(rows.length, all.length)
      const { amount, available, count, currency, from, frozen, line, to } = all[1]!
      const money = (minor: number) => (minor / 100).toFixed(2)
      assert.strictEqual(
        rows[1],
        [currency, from, to, line, count, money(amount), money(available), money(frozen), "", ""].join(",")
      )
    })
  )

  it.effect("counts days in the merchant's own zone where the call names none", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const path = `/merchants/${merchant.merchantId}`
      assertRefused(yield* api.operator("POST", path, { time_zone: "+01:00" }), 400, "invalid_request", "time_zone")
      assert.strictEqual(
        (yield* said(api.operator("POST", path, { time_zone: "Europe/Berlin" })))["time_zone"],
        "Europe/Berlin"
      )
      const { body } = yield* get("statement?from=2026-03-27")
      assert.deepStrictEqual([body.data.time_zone, body.data.as_of], ["Europe/Berlin", "2026-03-27T23:00:00.000Z"])
      yield* said(api.operator("POST", path, { time_zone: "UTC" }))
    })
  )

  it.effect("refuses days that are none, that are too many, and what it does not take, by name", () =>
    Effect.gen(function* () {
      const cases = [
        ["statement?from=2026-02-30", "from"],
        ["statement?to=2026-03-27", "from"],
        ["statement?from=2026-03-27&to=2026-03-26", "to"],
        ["statement?from=2026-03-27&to=2026-04-27", "to"],
        ["statement?from=2027-01-01", "from"],
        ["statement?from=2026-03-27&time_zone=Mars/Base", "time_zone"],
        ["statement?from=2026-03-27&time_zone=%2B01:00", "time_zone"],
        ["statement?from=2026-03-27&interval=week", "interval"],
        ["payout?payout_no=pyt_nothing", "payout_no"],
        ["frozen?at=2027-01-01T00:00:00Z", "at"],
        ["frozen?at=now", "at"]
      ] as const
      for (const [path, param] of cases) assertRefused(yield* get(path), 400, "invalid_request", param)
    })
  )

  it.effect("of more than 5,000 movements is refused, and says how to have it as a file", () =>
    Effect.gen(function* () {
      const running = yield* withNewMerchant(yield* Service)
      const { api, merchant, sql } = running
      const id = `${merchant.merchantId}/sandbox/USD`
      yield* merchantOf(running).paid(1_000)
      yield* sql`select test_without_triggers(${`insert into ledger select
        test_id('LED_', ${begins} + n, n, 'many'), '${id}', n + 2, '${merchant.merchantId}', 'sandbox', 'USD', 'payment_credit',
        1, 0, 1, 0, 'ref', 'text', to_timestamp((${begins} + n) / 1000.0), '', '' from generate_series(1, 5001) n`})`
      const reply = yield* api.get("/v1/reports/statement?from=2026-03-27", merchant.sandboxKey)
      assertRefused(reply, 400, "invalid_request", "from")
      assert.include(reply.body.message, "POST /v1/reports")
    })
  )

  it.effect("shows nothing of another merchant, nor of the other environment", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* withNewMerchant(yield* Service)
      const { body } = yield* api.get(`/v1/reports/statement?${days}`, merchant.sandboxKey)
      assert.deepStrictEqual(body.data.lines, [])
      const asked = yield* api.get(`/v1/reports/statement?from=2026-03-27&currency=USD`, merchant.sandboxKey)
      assert.deepStrictEqual(
        asked.body.data.lines.map((line: Json) => [line["line"], line["available"], line["sequence"]]),
        [
          ["opening", 0, 0],
          ["closing", 0, 0]
        ]
      )
    })
  )
})

layer(Layer.effect(Service, service), { excludeTestServices: true })("the other reports", (it) => {
  it.effect("fees by method are those of the ledger, charged on what was paid", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      const all = yield* lines(`fees?${days}`)
      const ledger =
        yield* sql<Json>`select currency, type, count(*)::int4 as count, -sum(amount)::int4 as fee from ledger
        where merchant_id = ${merchant.merchantId} and type like '%fee%' group by currency, type`
      const sources: Json = { fee_debit: "payment", dispute_fee: "dispute", payout_fee: "payout" }
      for (const { count, currency, fee, type } of ledger) {
        const some = all.filter((line) => line["currency"] === currency && line["source"] === sources[type])
        assert.deepStrictEqual([sum(some, "count"), sum(some, "fee")], [count, fee], `${currency} ${type}`)
      }
      const paid =
        yield* sql<Json>`select currency, payment_method, count(*)::int4 as count, sum(amount)::int4 as volume,
        sum(fee)::int4 as fee from orders where merchant_id = ${merchant.merchantId} and paid_at is not null group by 1, 2`
      const shown = all.filter(({ source }) => source === "payment")
      assert.sameDeepMembers(
        shown.map(({ object: _, source: __, ...line }) => line),
        paid.map((row) => ({ ...row })) as never
      )
      assert.include(
        all.map(({ payment_method, source }) => `${source} ${payment_method}`),
        "dispute card"
      )
    })
  )

  it.effect("a payout is made of what came and went since the payout before it", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      const freezes = yield* sql<Json>`select reference_id, balance_after, amount from ledger
        where merchant_id = ${merchant.merchantId} and type = 'payout_freeze' order by id`
      assert.strictEqual(freezes.length, 5)
      for (const [index, { amount, balance_after, reference_id }] of freezes.entries()) {
        const all = yield* lines(`payout?payout_no=${reference_id}`)
        const [opening, closing] = [all[0]!, all.at(-1)!]
        assert.strictEqual(opening["available"], freezes[index - 1]?.["balance_after"] ?? 0)
        assert.strictEqual(closing["available"], balance_after)
        assert.strictEqual(sum(all.slice(0, -1), "available"), balance_after)
        const own = all.filter(({ line }) => line === "payout_freeze")
        assert.deepStrictEqual(
          own.map((line) => [line["count"], line["amount"]]),
          [[1, amount]]
        )
      }
    })
  )

  it.effect("the first payout's report begins with the day of the wallet's first movement", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      const [first] = yield* sql<Json>`select reference_id, currency from ledger
        where merchant_id = ${merchant.merchantId} and type = 'payout_freeze' order by id limit 1`
      const days = yield* sql<Json>`select to_char(created_at at time zone 'Pacific/Kiritimati', 'YYYY-MM-DD') as day
        from ledger where merchant_id = ${merchant.merchantId} and currency = ${first!["currency"]} order by id`
      const [opening] = yield* lines(`payout?payout_no=${first!["reference_id"]}&time_zone=Pacific/Kiritimati`)
      assert.strictEqual(opening!["from"], days[0]!["day"])
    })
  )

  it.effect("a statement and a payout are answered as journals, and other reports have none", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      for (const format of ["hledger", "beancount"]) {
        const { headers, status, text } = yield* get(`statement?${days}&time_zone=Europe/Berlin&format=${format}`)
        assert.deepStrictEqual([status, headers.get("content-type")], [200, "text/plain; charset=utf-8"])
        assert.include(text, "Days are in Europe/Berlin")
        const wallets = yield* sql<Json>`select currency, available from wallets
          where merchant_id = ${merchant.merchantId} and mode = 'sandbox' and sequence > 0`
        for (const { available, currency } of wallets) {
          const amount = `${(available / 100).toFixed(2)} ${currency}`
          assert.include(text, format === "hledger" ? `= ${amount}` : `balance Assets:Coffer:Available ${amount}`)
        }
        assertRefused(yield* get(`fees?${days}&format=${format}`), 400, "invalid_request", "format")
      }
      const { api } = yield* Service
      const body = { report: "frozen", format: "hledger" }
      const refused = yield* api.call("POST", "/v1/reports", { key: merchant.sandboxKey, body })
      assertRefused(refused, 400, "invalid_request", "format")
    })
  )

  it.effect("frozen money at a moment is each hold that had begun and not ended, and adds up to the balance", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      const moments =
        yield* sql<Json>`select distinct to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
        from ledger where merchant_id = ${merchant.merchantId} order by 1`
      for (const at of [undefined, ...moments.map((row) => row["at"] as string)]) {
        const all = yield* lines(at === undefined ? "frozen" : `frozen?at=${at}`)
        for (const currency of ["USD", "HKD", "CNY"]) {
          const some = all.filter((line) => line["currency"] === currency)
          const [total, ...others] = some.toReversed()
          assert.strictEqual(total!["kind"], "total")
          assert.strictEqual(sum(others, "amount"), total!["amount"], `${currency} at ${at}`)
          const [head] = yield* sql<Json>`select frozen_after from ledger where merchant_id = ${merchant.merchantId}
            and currency = ${currency} and created_at < ${at ?? "2100-01-01T00:00:00Z"}::text::timestamptz
            order by sequence desc limit 1`
          assert.strictEqual(total!["amount"], head?.["frozen_after"] ?? 0, `${currency} at ${at}`)
        }
      }
      const now = yield* lines("frozen")
      assert.includeMembers(
        now.map(({ kind }) => kind),
        ["dispute", "payout", "refund", "total"]
      )
      const orders =
        yield* sql<Json>`select trade_no, out_trade_no from orders where merchant_id = ${merchant.merchantId}`
      const numbers = new Map(orders.map(({ out_trade_no, trade_no }) => [trade_no, out_trade_no]))
      for (const { kind, out_trade_no, trade_no } of now) {
        const isAboutOrder = kind === "dispute" || kind === "refund"
        assert.strictEqual(out_trade_no, isAboutOrder ? numbers.get(trade_no) : null, String(kind))
      }
    })
  )

  it.effect("an inquiry is an open dispute that holds nothing", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      yield* sql`insert into disputes (dispute_no, version, merchant_id, mode, trade_no, channel, processor_dispute_id,
          currency, reason, opened_at, created_at, stage, amount, processor_status, status, updated_at, checks,
          out_trade_no)
        select 'dsp_01000000000000000000000000', 1, merchant_id, mode, trade_no, 'sandbox', 'inquiry', 'USD', 'why', paid_at,
          paid_at, 'inquiry', 100, 'open', 'needs_response', paid_at, 0, out_trade_no
        from orders where merchant_id = ${merchant.merchantId} and paid_at is not null limit 1`
      const found = (yield* lines("frozen?currency=USD")).filter(({ number }) =>
        String(number).startsWith("dsp_0100000")
      )
      assert.deepStrictEqual(
        found.map(({ amount, kind }) => [kind, amount]),
        [["dispute", 0]]
      )
      yield* sql`delete from disputes where dispute_no = 'dsp_01000000000000000000000000'`
    })
  )
})
