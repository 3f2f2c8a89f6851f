/**
 * CSV files of lists: their form, their cells and their filters (spec: List conventions, CSV files; silences: P4,
 * P7).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { BalanceTransactionResource } from "@coffer/contract/Balance"
import { OrderResource } from "@coffer/contract/Orders"
import { Context, Effect, Layer, type Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { insertLedger, insertOrders } from "../../kit/rows/Rows.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/csv") {}

/** 2026-01-01T00:00:00Z */
const since = 1_767_225_600_000

/** All fields of the resource but its kind, and those that only some objects have, in the order of the contract. */
const headerOf = ({ fields }: { readonly fields: Readonly<Record<string, Schema.Top>> }) =>
  Object.entries(fields)
    .flatMap(([name, { ast }]) => (name === "object" || ast.context?.isOptional === true ? [] : [name]))
    .join()
const orderHeader = headerOf(OrderResource)
const ledgerHeader = headerOf(BalanceTransactionResource)

const anyMerchant = Effect.fnUntraced(function* () {
  const { api, baseUrl, sql } = yield* Service
  const { merchantId, sandboxKey: key } = yield* api.newMerchant()
  return { api, sql, key, baseUrl, many: { merchantId, since, step: 1_000 } }
})

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>
const document = OpenApi.fromApi(Api) as Json

/** The file as its lines of cells, none of which has a comma, a quote or a line break in it. */
const linesOf = (text: string) => text.split("\r\n").map((line) => line.split(","))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("CSV files", (it) => {
  describe("a file", () => {
    it.effect(
      "is UTF-8 with BOM, a header row, CRLF after each line, and comes as an attachment with a request id",
      () =>
        Effect.gen(function* () {
          const { api, baseUrl, key } = yield* anyMerchant()
          const bytes = yield* Effect.promise(() =>
            fetch(`${baseUrl}/v1/orders?format=csv`, { headers: { "X-Api-Key": key } }).then((r) => r.arrayBuffer())
          )
          assert.strictEqual(Buffer.from(bytes).toString("latin1"), `\u00EF\u00BB\u00BF${orderHeader}\r\n`)
          for (const [name, header] of [
            ["orders", orderHeader],
            ["balance_transactions", ledgerHeader]
          ] as const) {
            const { headers, status, text } = yield* api.get(`/v1/${name}?format=csv`, key)
            assert.strictEqual(status, 200)
            // `text()` has removed the byte order mark.
            assert.strictEqual(text, `${header}\r\n`)
            assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8")
            assert.strictEqual(headers.get("content-disposition"), `attachment; filename="${name}.csv"`)
            assert.match(headers.get("x-request-id")!, /^req_/)
            assert.isNull(headers.get("x-truncated"))
          }
        })
    )

    for (const [path, { get }] of Object.entries<Json>(document["paths"])) {
      const example: string | undefined = get?.responses[200].content["text/csv"]?.example
      // Files of reports: test/http/reports.
      if (example === undefined || path.startsWith("/v1/reports/")) continue
      it.effect(`of ${path} has the columns that the published document shows`, () =>
        Effect.gen(function* () {
          const { api, key } = yield* anyMerchant()
          const { text } = yield* api.get(`${path}?format=csv`, key)
          assert.deepStrictEqual(linesOf(text)[0], linesOf(example)[0])
        })
      )
    }

    it.effect("of orders has the fields that the API answers, amounts with two decimals, and nothing for null", () =>
      Effect.gen(function* () {
        const { api, baseUrl, key } = yield* anyMerchant()
        const terms = { amount: 1999, out_trade_no: "茶-1", metadata: { source: "web" } }
        const { body } = yield* api.post("/v1/orders", key, terms)
        const path = `/v1/orders/${body.data.trade_no}`
        yield* api.post(`/v1/test_helpers${path.slice(3)}/pay`, key, {})
        const { object: _, ...order } = (yield* api.get(path, key)).body.data
        const [header, row] = (yield* api.get("/v1/orders?format=csv", key)).text.split("\r\n")
        const cells = row!
          .replace('"{""source"":""web""}"', "METADATA")
          .replace('"{""brand"":""visa"",""last4"":""4242""}"', "CARD")
          .split(",")
        assert.deepStrictEqual(Object.fromEntries(header!.split(",").map((name, index) => [name, cells[index]])), {
          ...Object.fromEntries(Object.entries(order).map(([name, value]) => [name, value ?? ""])),
          amount: "19.99",
          fee: "0.88",
          net_amount: "19.11",
          refunded_amount: "0.00",
          checkout_url: `${baseUrl}/checkout/[redacted]`,
          receipt_url: `${baseUrl}/receipts/[redacted]`,
          metadata: "METADATA",
          paid_card: "CARD"
        })
      })
    )

    it.effect("of balance transactions has signed amounts as numbers, with no quote in front", () =>
      Effect.gen(function* () {
        const { api, key } = yield* anyMerchant()
        const { body } = yield* api.post("/v1/orders", key, { amount: 1000 })
        yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, key, {})
        const [, fee, credit, end] = linesOf((yield* api.get("/v1/balance_transactions?format=csv", key)).text)
        assert.deepStrictEqual(fee!.slice(2, 8), ["fee_debit", "USD", "-0.59", "10.00", "9.41", body.data.trade_no])
        assert.deepStrictEqual(credit!.slice(2, 8), [
          "payment_credit",
          "USD",
          "10.00",
          "0.00",
          "10.00",
          body.data.trade_no
        ])
        assert.deepStrictEqual(end, [""])
      })
    )

    it.effect("has a single quote in front of text that a spreadsheet would run", () =>
      Effect.gen(function* () {
        const { api, key } = yield* anyMerchant()
        for (const subject of ["=1+1", "+1", "-1", "@x", "1-1"]) {
          yield* api.post("/v1/orders", key, {
            amount: 1,
            subject,
            out_trade_no: `${subject}/no`,
            metadata: { a: "=1" }
          })
        }
        const { text } = yield* api.get("/v1/orders?format=csv", key)
        const cells = linesOf(text)
          .slice(1, -1)
          .map((line) => [line[1], line[8], line.includes(`"{""a"":""'=1""}"`)])
        assert.deepStrictEqual(cells, [
          ["1-1/no", "1-1", true],
          ["'@x/no", "'@x", true],
          ["'-1/no", "'-1", true],
          ["'+1/no", "'+1", true],
          ["'=1+1/no", "'=1+1", true]
        ])
      })
    )

    it.effect("ignores limit and cursors, right or wrong, and applies the other filters", () =>
      Effect.gen(function* () {
        const { api, key, many, sql } = yield* anyMerchant()
        const stranger = yield* anyMerchant()
        const rows = {
          status: "(array['paid','failed'])[n % 2 + 1]",
          metadata: "jsonb_build_object('third', (n % 3)::text)"
        }
        yield* insertOrders(sql, { ...many, count: 150 }, rows)
        yield* insertOrders(sql, { ...stranger.many, count: 3 }, rows)
        const amounts = (query: string) =>
          Effect.map(api.get(`/v1/orders?format=csv&${query}`, key), ({ text }) =>
            linesOf(text)
              .slice(1, -1)
              .map((line) => Math.round(Number(line[3]) * 100))
          )
        const all = Array.from({ length: 150 }, (_, index) => 150 - index)
        for (const query of [
          "",
          "limit=1",
          "limit=0",
          "limit=x",
          "starting_after=x",
          "starting_after=x&ending_before=y",
          "limit=1&limit=2",
          "limit=&limit=x&limit",
          "starting_after=x&starting_after=y",
          "ending_before=x&ending_before=x&limit=0&limit=0"
        ]) {
          assert.deepStrictEqual(yield* amounts(query), all, query)
        }
        for (const path of ["refunds", "disputes", "balance_transactions"]) {
          const file = yield* api.get(`/v1/${path}?limit=1&limit=2&starting_after=x&starting_after=y&format=csv`, key)
          assert.strictEqual(file.status, 200, path)
        }
        const from = since / 1000 + 99
        assert.deepStrictEqual(
          yield* amounts("status=failed"),
          all.filter((n) => n % 2 === 1)
        )
        assert.deepStrictEqual(
          yield* amounts(`metadata[third]=0&status=failed&created[gte]=${from}`),
          all.filter((n) => n % 6 === 3 && n >= 100)
        )
      })
    )

    it.effect("of the ledger, filtered, is as its list", () =>
      Effect.gen(function* () {
        const { api, key, many, sql } = yield* anyMerchant()
        const rows = {
          currency: "(array['USD','HKD'])[n % 2 + 1]",
          type: "(array['fee_debit','payout_fee'])[n % 3 / 2 + 1]"
        }
        yield* insertLedger(sql, { ...many, count: 90 }, rows)
        for (const query of ["type=fee_debit", "currency=HKD", "type=payout_fee&currency=USD", "reference_id=ref-7"]) {
          const { body } = yield* api.get(`/v1/balance_transactions?limit=100&${query}`, key)
          const { text } = yield* api.get(`/v1/balance_transactions?format=csv&${query}`, key)
          assert.deepStrictEqual(
            linesOf(text)
              .slice(1, -1)
              .map(([id]) => id),
            body.data.data.map(({ id }: { id: string }) => id),
            query
          )
        }
      })
    )

    it.effect("that cannot be had is refused as JSON", () =>
      Effect.gen(function* () {
        const { api, key } = yield* anyMerchant()
        for (const [query, param] of [
          ["created[gte]=soon", "created[gte]"],
          ["status=x", "status"]
        ]) {
          const { body, headers, status } = yield* api.get(`/v1/orders?format=csv&${query}`, key)
          assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", param])
          assert.match(headers.get("content-type")!, /^application\/json/)
        }
        assert.strictEqual((yield* api.get("/v1/orders?format=csv")).body.error, "missing_api_key")
      })
    )
  })
})
