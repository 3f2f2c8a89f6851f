/** The filters of each list (spec: Endpoints, Orders; Balance and ledger; Events and logs; silences: E1). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { insertEvents, insertLedger, insertOrders } from "../../kit/rows/Rows.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/listFilters") {}

/** 2026-01-01T00:00:00Z */
const since = 1_767_225_600_000

const merchantWith = Effect.fnUntraced(function* (path: string) {
  const { api, sql } = yield* Service
  const { merchantId, sandboxKey } = yield* api.newMerchant()
  const list = (query: string) => api.get(`${path}?${query}`, sandboxKey)
  const fieldOf = (query: string, field: string) => Effect.map(list(query), (reply) => fieldsOf(reply, field))
  return { api, sql, key: sandboxKey, many: { merchantId, since, step: 1_000 }, list, fieldOf }
})

const fieldsOf = (reply: Reply, field: string): ReadonlyArray<unknown> => {
  assert.strictEqual(reply.status, 200, reply.text)
  return reply.body.data.data.map((object: Record<string, unknown>) => object[field])
}

const isRefused = (reply: Reply, param: string) => {
  assert.strictEqual(reply.status, 400, reply.text)
  assert.deepStrictEqual([reply.body.error, reply.body.param], ["invalid_request", param])
}

/** Every page of a filtered list, walked to its end and back again. */
const walked = Effect.fnUntraced(function* (list: (query: string) => Effect.Effect<Reply>, filter: string, id: string) {
  const there: Array<unknown> = []
  for (let query = `${filter}&limit=3`; ;) {
    const reply = yield* list(query)
    there.push(...fieldsOf(reply, id))
    if (!reply.body.data.has_more) break
    query = `${filter}&limit=3&starting_after=${String(there.at(-1))}`
  }
  const back: Array<unknown> = there.slice(-1)
  for (let more = there.length > 0; more;) {
    const reply = yield* list(`${filter}&limit=3&ending_before=${String(back[0])}`)
    back.unshift(...fieldsOf(reply, id))
    more = reply.body.data.has_more
  }
  assert.deepStrictEqual(back, there)
  return there
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("filters", (it) => {
  describe("of orders", () => {
    const statuses = ["pending", "paid", "failed", "expired"]

    it.effect("status is one status of an order", () =>
      Effect.gen(function* () {
        const { fieldOf, list, many, sql } = yield* merchantWith("/v1/orders")
        const status = `(array['${statuses.join("','")}'])[n % 4 + 1]`
        yield* insertOrders(sql, { ...many, count: 40 }, { status: `${status}::text` })
        for (const [index, one] of statuses.entries()) {
          const amounts = yield* fieldOf(`status=${one}`, "amount")
          assert.deepStrictEqual(
            amounts,
            Array.from({ length: 40 }, (_, at) => 40 - at).filter((n) => n % 4 === index)
          )
          assert.strictEqual((yield* walked(list, `status=${one}`, "trade_no")).length, 10)
        }
        assert.deepStrictEqual(yield* fieldOf("status=refunded", "amount"), [])
        for (const wrong of ["", "PAID", "succeeded", "paid&status=failed"]) {
          isRefused(yield* list(`status=${wrong}`), "status")
        }
      })
    )

    it.effect("receipt_email is a whole address in any capitals, and payment_method how an order was paid", () =>
      Effect.gen(function* () {
        const { fieldOf, list, many, sql } = yield* merchantWith("/v1/orders")
        yield* insertOrders(
          sql,
          { ...many, count: 20 },
          {
            receipt_email: `case when n % 3 = 0 then 'a@shop.example' when n % 3 = 1 then 'A@Shop.example'
              when n % 2 = 0 then 'aa@shop.example' end`,
            payment_method: `case when n % 2 = 0 then 'card' when n % 4 = 1 then 'alipay' end`
          }
        )
        const descending = Array.from({ length: 20 }, (_, at) => 20 - at)
        const cases = [
          ["receipt_email=a@shop.example", (n: number) => n % 3 !== 2],
          ["receipt_email=A@SHOP.example", (n: number) => n % 3 !== 2],
          ["payment_method=card", (n: number) => n % 2 === 0],
          ["payment_method=alipay", (n: number) => n % 4 === 1],
          [
            "payment_method=card&receipt_email=a@shop.example&status=pending",
            (n: number) => n % 2 === 0 && n % 3 !== 2
          ],
          ["receipt_email=nobody@shop.example", () => false],
          ["receipt_email=%00", () => false]
        ] as const
        for (const [query, isMeant] of cases) {
          assert.deepStrictEqual(yield* fieldOf(query, "amount"), descending.filter(isMeant), query)
        }
        assert.strictEqual((yield* walked(list, "receipt_email=a@shop.example", "trade_no")).length, 13)
        for (const wrong of ["", "cash", "CARD", "card&payment_method=alipay"]) {
          isRefused(yield* list(`payment_method=${wrong}`), "payment_method")
        }
      })
    )

    it.effect("amount[gte] and amount[lte] are a range with both its ends, of few orders and of many", () =>
      Effect.gen(function* () {
        const { fieldOf, list, many, sql } = yield* merchantWith("/v1/orders")
        yield* insertOrders(sql, { ...many, count: 700 })
        const descending = Array.from({ length: 700 }, (_, at) => 700 - at)
        const cases = [
          ["amount[gte]=7&amount[lte]=9", (n: number) => n >= 7 && n <= 9],
          ["amount[gte]=7&amount[lte]=7", (n: number) => n === 7],
          ["amount[lte]=20", (n: number) => n <= 20],
          ["amount[gte]=690", (n: number) => n >= 690],
          ["amount[gte]=9&amount[lte]=7", () => false],
          ["amount[gte]=1&status=pending", () => true],
          ["amount[lte]=5&status=paid", () => false]
        ] as const
        for (const [query, isMeant] of cases) {
          const found = yield* fieldOf(`${query}&limit=100`, "amount")
          assert.deepStrictEqual(found, descending.filter(isMeant).slice(0, 100), query)
        }
        assert.strictEqual((yield* walked(list, "amount[gte]=50&amount[lte]=70", "trade_no")).length, 21)
        for (const wrong of ["", "-1", "1.5", "1e3", "many", "9999999999999"]) {
          isRefused(yield* list(`amount[gte]=${wrong}`), "amount[gte]")
        }
      })
    )

    it.effect(
      "paid_at[gte] and paid_at[lte] are a range of payments, also of those that came days after the order",
      () =>
        Effect.gen(function* () {
          const { fieldOf, list, many, sql } = yield* merchantWith("/v1/orders")
          const hour = 3_600_000
          const at = (hours: number) =>
            new Intl.NumberFormat("en", { useGrouping: false }).format((since + hours * hour) / 1_000)
          // One an hour, paid half an hour later; the seventh is paid three days later, and each tenth never.
          yield* insertOrders(
            sql,
            { ...many, step: hour, count: 100 },
            {
              status: "case when n % 10 = 0 then 'pending' else 'paid' end",
              paid_at: `case when n % 10 = 0 then null when n = 7 then to_timestamp(${since / 1_000}) + interval '79 hours'
              else to_timestamp(${since / 1_000}) + n * interval '1 hour' + interval '30 minutes' end`
            }
          )
          const paidAt = (n: number) => (n === 7 ? 79 : n + 0.5)
          const within = (from: number, to: number) =>
            Array.from({ length: 100 }, (_, index) => 100 - index).filter(
              (n) => n % 10 !== 0 && paidAt(n) >= from && paidAt(n) <= to
            )
          for (const [query, from, to] of [
            [`paid_at[gte]=${at(75)}&paid_at[lte]=${at(85)}`, 75, 85],
            [`paid_at[gte]=${at(90)}`, 90, 1_000],
            [`paid_at[lte]=${at(12)}`, 0, 12],
            [`paid_at[gte]=${at(5)}&paid_at[lte]=${at(6)}`, 5, 6],
            [`paid_at[gte]=${at(200)}`, 200, 1_000]
          ] as const) {
            assert.deepStrictEqual(yield* fieldOf(`${query}&limit=100`, "amount"), within(from, to), query)
          }
          const days = `paid_at[gte]=${at(70)}&paid_at[lte]=${at(90)}`
          assert.strictEqual((yield* walked(list, days, "trade_no")).length, within(70, 90).length)
          for (const param of ["paid_at[gte]", "paid_at[lte]"]) {
            for (const wrong of ["", "yesterday", "2026-13-01T00:00:00Z"])
              isRefused(yield* list(`${param}=${wrong}`), param)
          }
          isRefused(yield* list("paid_at[gt]=5"), "paid_at[gt]")
        })
    )

    it.effect("out_trade_no is the merchant's own number, exactly", () =>
      Effect.gen(function* () {
        const { api, fieldOf, key } = yield* merchantWith("/v1/orders")
        const stranger = yield* api.newMerchant()
        const numbers = ["A-1", "a-1", "A-1 ", "%", "A_1", "茶/😀", "__proto__"]
        for (const number of numbers) {
          yield* api.post("/v1/orders", key, { amount: 1, out_trade_no: number })
          yield* api.post("/v1/orders", stranger.sandboxKey, { amount: 1, out_trade_no: number })
        }
        for (const number of numbers) {
          const found = yield* fieldOf(`out_trade_no=${encodeURIComponent(number)}`, "out_trade_no")
          assert.deepStrictEqual(found, [number])
        }
        for (const absent of ["", "A", "A-11", "%00", "a".repeat(2_000)]) {
          assert.deepStrictEqual(yield* fieldOf(`out_trade_no=${absent}`, "out_trade_no"), [], absent)
        }
        assert.deepStrictEqual(yield* fieldOf("out_trade_no=A-1&status=paid", "out_trade_no"), [])
        assert.deepStrictEqual(yield* fieldOf("out_trade_no=A-1&status=pending", "out_trade_no"), ["A-1"])
      })
    )

    it.effect("metadata[key] has a key that an order can have", () =>
      Effect.gen(function* () {
        const { list } = yield* merchantWith("/v1/orders")
        for (const format of ["", "&format=csv"]) {
          isRefused(yield* list(`metadata[]=c7${format}`), "metadata[]")
          isRefused(yield* list(`status=paid&metadata[%00]=c7${format}`), "metadata[\u0000]")
          isRefused(yield* list(`metadata[${"k".repeat(41)}]=c7${format}`), `metadata[${"k".repeat(41)}]`)
          isRefused(yield* list(`metadata=c7${format}`), "metadata")
        }
      })
    )

    it.effect("metadata[key] is exact, may come several times, and then all have to match", () =>
      Effect.gen(function* () {
        const { fieldOf, list, many, sql } = yield* merchantWith("/v1/orders")
        const stranger = yield* merchantWith("/v1/orders")
        const metadata = "jsonb_build_object('shop', 's' || n % 2, 'cart', 'c' || n, 'third', (n % 3 = 0)::text)"
        yield* insertOrders(sql, { ...many, count: 24 }, { metadata, status: "(array['paid','failed'])[n / 13 + 1]" })
        yield* insertOrders(sql, { ...stranger.many, count: 24 }, { metadata })
        for (const [query, amounts] of [
          ["metadata[cart]=c7", [7]],
          ["metadata%5Bcart%5D=c7", [7]],
          ["metadata[cart]=c", []],
          ["metadata[cart]=C7", []],
          ["metadata[Cart]=c7", []],
          ["metadata[cart]=", []],
          ["metadata[cart]=%00", []],
          ["metadata[cart]=c7&metadata[cart]=c7", [7]],
          ["metadata[cart]=c7&metadata[cart]=c8", []],
          ["metadata[shop]=s1&metadata[cart]=c7", [7]],
          ["metadata[cart]=c7&metadata[shop]=s1", [7]],
          ["metadata[shop]=s0&metadata[cart]=c7", []],
          ["metadata[shop]=s1&metadata[third]=true", [21, 15, 9, 3]],
          ["metadata[shop]=s1&metadata[third]=true&status=paid", [9, 3]],
          [`metadata[${"k".repeat(40)}]=c7`, []],
          ["metadata[cart]=c7&out_trade_no=none", []],
          [`metadata[shop]=s1&metadata[third]=true&created[gte]=${since / 1000 + 10}&limit=1`, [21]]
        ] as const) {
          assert.deepStrictEqual(yield* fieldOf(query, "amount"), amounts, query)
        }
        assert.strictEqual((yield* walked(list, "metadata[shop]=s1", "trade_no")).length, 12)
        assert.strictEqual((yield* walked(list, "metadata[shop]=s1&status=failed", "trade_no")).length, 6)
        assert.strictEqual((yield* stranger.fieldOf("metadata[cart]=c7", "amount")).length, 1)
        const crowd = Array.from({ length: 60 }, (_, index) => `metadata[k${index}]=v`).join("&")
        assert.deepStrictEqual(yield* fieldOf(crowd, "amount"), [])
      })
    )

    it.effect("any key and value that metadata can have can be asked for", () =>
      Effect.gen(function* () {
        const { api, fieldOf, key } = yield* merchantWith("/v1/orders")
        const pairs = [
          ["__proto__", "p"],
          ["constructor", "c"],
          ["a][b", "brackets"],
          ["a b", "\n\t\r\n"],
          ["茶", "😀"],
          ['"', "'; drop table orders; --"],
          ["empty", ""],
          ["number", "1"],
          ["long", "😀".repeat(500)]
        ] as const
        const raw = `{"amount":1,"metadata":{${pairs.map((pair) => pair.map((text) => JSON.stringify(text)).join(":")).join(",")}}}`
        const created = yield* api.call("POST", "/v1/orders", { key, raw })
        assert.strictEqual(created.status, 201, created.text)
        const queries = pairs.map(
          ([name, value]) => `metadata[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`
        )
        for (const query of [...queries, queries.join("&")]) {
          assert.deepStrictEqual(yield* fieldOf(query, "trade_no"), [created.body.data.trade_no], query)
        }
      })
    )

    it.effect("an order is found by the metadata it has now, and no longer by what it had", () =>
      Effect.gen(function* () {
        const { api, fieldOf, key } = yield* merchantWith("/v1/orders")
        const { body } = yield* api.post("/v1/orders", key, { amount: 5, metadata: { a: "1", b: "2" } })
        const path = `/v1/orders/${body.data.trade_no}`
        const found = (query: string) => Effect.map(fieldOf(query, "amount"), (amounts) => amounts.length === 1)
        yield* api.post(path, key, { metadata: { a: "one", c: "3" } })
        for (const [query, is] of [
          ["metadata[a]=1", false],
          ["metadata[a]=one", true],
          ["metadata[b]=2", true],
          ["metadata[c]=3&metadata[b]=2", true]
        ] as const) {
          assert.strictEqual(yield* found(query), is, query)
        }
        yield* api.post(`/v1/test_helpers${path.slice(3)}/pay`, key, {})
        assert.isTrue(yield* found("metadata[a]=one&status=paid"), "a payment leaves it findable")
        yield* api.post(path, key, { metadata: null })
        assert.isFalse(yield* found("metadata[b]=2"))
      })
    )
  })

  describe("of balance transactions", () => {
    it.effect("type, currency and reference_id, alone and together", () =>
      Effect.gen(function* () {
        const { fieldOf, list, many, sql } = yield* merchantWith("/v1/balance_transactions")
        const stranger = yield* merchantWith("/v1/balance_transactions")
        const rows = {
          currency: "(array['USD','HKD','CNY'])[n % 3 + 1]",
          type: "(array['payment_credit','fee_debit'])[n % 2 + 1]",
          reference: "'ref-' || n / 6"
        }
        yield* insertLedger(sql, { ...many, count: 36 }, rows)
        yield* insertLedger(sql, { ...stranger.many, count: 36 }, rows)
        const numbers = Array.from({ length: 36 }, (_, index) => 36 - index)
        for (const [query, matches] of [
          ["type=payment_credit", (n: number) => n % 2 === 0],
          ["type=refund_debit", () => false],
          ["currency=USD", (n: number) => n % 3 === 0],
          ["currency=HKD&type=fee_debit", (n: number) => n % 3 === 1 && n % 2 === 1],
          ["reference_id=ref-2", (n: number) => Math.floor(n / 6) === 2],
          ["reference_id=ref-2&type=fee_debit", (n: number) => Math.floor(n / 6) === 2 && n % 2 === 1],
          ["reference_id=ref-2&currency=CNY&type=fee_debit", (n: number) => n === 17],
          ["reference_id=ref", () => false],
          ["reference_id=", () => false],
          ["reference_id=%00", () => false],
          [`type=fee_debit&created[lte]=${since / 1000 + 9}`, (n: number) => n % 2 === 1 && n <= 10]
        ] as const) {
          const expected = numbers.filter(matches)
          const amounts = yield* fieldOf(`${query}&limit=100`, "amount")
          assert.deepStrictEqual(
            amounts,
            expected.map((n) => -n),
            query
          )
          assert.strictEqual((yield* walked(list, query, "id")).length, expected.length, query)
        }
      })
    )

    it.effect("words that are no type or currency are refused", () =>
      Effect.gen(function* () {
        const { list } = yield* merchantWith("/v1/balance_transactions")
        for (const wrong of ["", "refund", "fee_debit&type=fee_debit"]) isRefused(yield* list(`type=${wrong}`), "type")
        for (const wrong of ["", "EUR", "usd"]) isRefused(yield* list(`currency=${wrong}`), "currency")
      })
    )
  })

  describe("of events", () => {
    it.effect("type may come several times, and one has to match; object_id is exact", () =>
      Effect.gen(function* () {
        const { fieldOf, list, many, sql } = yield* merchantWith("/v1/events")
        const stranger = yield* merchantWith("/v1/events")
        const types = ["payment.succeeded", "payment.failed", "refund.failed"]
        const rows = { type: `(array['${types.join("','")}'])[n % 3 + 1]`, object: "'obj-' || n / 6" }
        yield* insertEvents(sql, { ...many, count: 24 }, rows)
        yield* insertEvents(sql, { ...stranger.many, count: 24 }, rows)
        const all = yield* fieldOf("limit=100", "id")
        for (const [query, matches] of [
          ["type=payment.succeeded", (n: number) => n % 3 === 0],
          ["type=payment.succeeded&type=refund.failed", (n: number) => n % 3 !== 1],
          ["type=refund.failed&type=refund.failed&type=dispute.won", (n: number) => n % 3 === 2],
          ["object_id=obj-1", (n: number) => Math.floor(n / 6) === 1],
          ["object_id=obj-1&type=payment.failed", (n: number) => Math.floor(n / 6) === 1 && n % 3 === 1],
          ["object_id=obj-1&type=payment.failed&type=refund.failed", (n: number) => [7, 8, 10, 11].includes(n)],
          ["object_id=obj", () => false],
          ["object_id=%00", () => false],
          [`type=payment.failed&created[gte]=${since / 1000 + 12}`, (n: number) => n % 3 === 1 && n > 12]
        ] as const) {
          const expected = all.filter((_, index) => matches(24 - index))
          assert.deepStrictEqual(yield* fieldOf(`${query}&limit=100`, "id"), expected, query)
          assert.deepStrictEqual(yield* walked(list, query, "id"), expected, query)
        }
      })
    )

    it.effect("a word that is no type of event is refused, alone and among others", () =>
      Effect.gen(function* () {
        const { list } = yield* merchantWith("/v1/events")
        for (const wrong of ["", "payment", "payment.*", "payment.failed&type=x", "payment.failed,refund.failed"]) {
          isRefused(yield* list(`type=${wrong}`), "type")
        }
      })
    )
  })
})
