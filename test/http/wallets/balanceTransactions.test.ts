/** GET /v1/balance_transactions as a list: order, pages, cursors and what they refuse (spec: List conventions). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/balanceTransactions") {}

interface Row {
  readonly id: string
  readonly amount: number
  readonly balance_before: number
  readonly balance_after: number
  readonly reference_id: string
}

/** A merchant with so many payments, two rows each. */
const merchantWith = Effect.fnUntraced(function* ({ api }: Running, payments: number) {
  const { sandboxKey: key } = yield* api.newMerchant()
  const tradeNos: Array<string> = []
  for (let number = 1; number <= payments; number++) {
    const created = yield* api.post("/v1/orders", key, { amount: 100 * number })
    tradeNos.push(created.body.data.trade_no)
    yield* api.post(`/v1/test_helpers/orders/${created.body.data.trade_no}/pay`, key, {})
  }
  const page = Effect.fnUntraced(function* (query: string) {
    const { body, status } = yield* api.get(`/v1/balance_transactions${query}`, key)
    assert.strictEqual(status, 200, query)
    return { rows: body.data.data as ReadonlyArray<Row>, hasMore: body.data.has_more as boolean }
  })
  return { key, page, tradeNos }
})

const isRising = (ids: ReadonlyArray<string>) => ids.every((id, index) => index === 0 || ids[index - 1]! < id)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("GET /v1/balance_transactions", (it) => {
  it.effect("lists newest first, and each row's balance continues the one before it", () =>
    Effect.gen(function* () {
      const { page, tradeNos } = yield* merchantWith(yield* Service, 5)
      const { hasMore, rows } = yield* page("?limit=100")
      assert.isFalse(hasMore)
      const oldestFirst = rows.toReversed()
      assert.isTrue(isRising(oldestFirst.map(({ id }) => id)))
      assert.deepStrictEqual(
        oldestFirst.map(({ reference_id }) => reference_id),
        tradeNos.flatMap((tradeNo) => [tradeNo, tradeNo])
      )
      let available = 0
      for (const { amount, balance_after, balance_before } of oldestFirst) {
        assert.strictEqual(balance_before, available)
        available += amount
        assert.strictEqual(balance_after, available)
      }
    })
  )

  it.effect("limit is 1 to 100 and 20 by default; the end is known by has_more", () =>
    Effect.gen(function* () {
      const { page } = yield* merchantWith(yield* Service, 11)
      for (const [query, length, more] of [
        ["", 20, true],
        ["?limit=1", 1, true],
        ["?limit=21", 21, true],
        ["?limit=22", 22, false],
        ["?limit=100", 22, false]
      ] as const) {
        const { hasMore, rows } = yield* page(query)
        assert.deepStrictEqual([rows.length, hasMore], [length, more], query)
      }
    })
  )

  it.effect("a merchant without movements has an empty list", () =>
    Effect.gen(function* () {
      const { page } = yield* merchantWith(yield* Service, 0)
      assert.deepStrictEqual(yield* page(""), { rows: [], hasMore: false })
    })
  )

  for (const limit of [1, 3, 7, 14, 20]) {
    it.effect(`pages of ${limit} by starting_after hold every row once, in order`, () =>
      Effect.gen(function* () {
        const { page } = yield* merchantWith(yield* Service, 7)
        const whole = yield* page("?limit=100")
        const seen: Array<Row> = []
        for (let cursor = "", more = true; more; cursor = `&starting_after=${seen.at(-1)!.id}`) {
          const { hasMore, rows } = yield* page(`?limit=${limit}${cursor}`)
          assert.strictEqual(rows.length, Math.min(limit, 14 - seen.length))
          seen.push(...rows)
          more = hasMore
        }
        assert.deepStrictEqual(seen, [...whole.rows])
      })
    )
  }

  it.effect("payments that arrive between two pages neither repeat nor hide a row", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { key, page } = yield* merchantWith(yield* Service, 4)
      const whole = yield* page("?limit=100")
      const first = yield* page("?limit=3")
      const created = yield* api.post("/v1/orders", key, { amount: 100, currency: "HKD" })
      yield* api.post(`/v1/test_helpers/orders/${created.body.data.trade_no}/pay`, key, {})
      const second = yield* page(`?limit=100&starting_after=${first.rows[2]!.id}`)
      assert.deepStrictEqual([...first.rows, ...second.rows], [...whole.rows])
    })
  )

  it.effect("payments at the same time chain all the same", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      const numbers = Array.from({ length: 20 }, (_, index) => String(index))
      yield* Effect.forEach(numbers, (number) => api.post("/v1/orders", key, { amount: 1000, out_trade_no: number }))
      yield* Effect.forEach(numbers, (number) => api.post(`/v1/test_helpers/orders/${number}/pay`, key, {}), {
        concurrency: "unbounded"
      })
      const { body } = yield* api.get("/v1/balance_transactions?limit=100", key)
      const rows: ReadonlyArray<Row> = body.data.data.toReversed()
      assert.strictEqual(rows.length, 40)
      assert.isTrue(isRising(rows.map(({ id }) => id)))
      let available = 0
      for (const [index, { amount, balance_after, balance_before }] of rows.entries()) {
        assert.deepStrictEqual([amount, balance_before], [index % 2 === 0 ? 1000 : -59, available])
        available = balance_after
      }
      assert.strictEqual(available, 20 * 941)
      assert.strictEqual((yield* api.get("/v1/balance", key)).body.data.available_balance, available)
    })
  )

  it.effect("a limit outside 1 to 100, or none at all, is 400 with param limit", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const limit of ["0", "101", "-1", "abc", "", "1.5", "10x", "%00", "NaN", "Infinity", "1e300", "1&limit=2"]) {
        const { body, status } = yield* api.get(`/v1/balance_transactions?limit=${limit}`, merchant.sandboxKey)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "limit"], limit)
      }
    })
  )

  it.effect(
    "an unknown cursor, or one of another merchant, environment or kind, is 400 with param starting_after",
    () =>
      Effect.gen(function* () {
        const running = yield* Service
        const { api } = running
        const stranger = yield* merchantWith(running, 1)
        const mine = yield* api.newMerchant()
        yield* api.operator("POST", `/merchants/${mine.merchantId}`, { approved: true })
        const created = yield* api.post("/v1/orders", mine.sandboxKey, { amount: 100 })
        const tradeNo: string = created.body.data.trade_no
        yield* api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, mine.sandboxKey, {})
        const own: string = (yield* api.get("/v1/balance_transactions", mine.sandboxKey)).body.data.data[0].id
        const foreign = (yield* stranger.page("")).rows[0]!.id
        for (const [cursor, key] of [
          [foreign, mine.sandboxKey],
          [own, mine.liveKey],
          [own.toLowerCase(), mine.sandboxKey],
          [own.slice(0, -1), mine.sandboxKey],
          [tradeNo, mine.sandboxKey],
          ["nothing", mine.sandboxKey],
          ["", mine.sandboxKey],
          ["%00", mine.sandboxKey],
          [`${own}%00`, mine.sandboxKey],
          ["%ff", mine.sandboxKey],
          ["LED_'or'1'='1", mine.sandboxKey],
          ["x".repeat(5000), mine.sandboxKey]
        ] as const) {
          const { body, status } = yield* api.get(`/v1/balance_transactions?starting_after=${cursor}`, key)
          assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "starting_after"], cursor)
        }
        assert.strictEqual(
          (yield* api.get(`/v1/balance_transactions?starting_after=${own}`, mine.sandboxKey)).status,
          200
        )
      })
  )
})
