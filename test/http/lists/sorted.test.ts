/** Lists that are sorted by amount and by time (silences: P28). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { assertRefused, merchantOf, said } from "../../kit/Merchant.ts"
import { insertOrders } from "../../kit/rows/Rows.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/sortedLists") {}

const shopOf = Effect.gen(function* () {
  const running = yield* Service
  const { merchantId, sandboxKey } = yield* running.api.newMerchant()
  return { ...merchantOf(running, sandboxKey), merchantId, sql: running.sql }
})
type Shop = Effect.Success<typeof shopOf>

const create = (shop: Shop, amounts: ReadonlyArray<number>) =>
  Effect.forEach(amounts, (amount) => shop.post("/v1/orders", { amount }))

/** The pages of a list, two objects each, to its end. `between` runs after each of them. */
const pagesOf = Effect.fnUntraced(function* (
  shop: Shop,
  path: string,
  key: string,
  between: ReturnType<typeof create>
) {
  const amounts: Array<number> = []
  let next = ""
  for (let page = 0; page < 20; page++) {
    const list = yield* said(shop.get(`${path}&limit=2${next}`))
    amounts.push(...list.data.map(({ amount }: { amount: number }) => amount))
    if (list["has_more"] === false) return amounts
    const { sorted } = list
    const picture = sorted === undefined ? "" : `&created[lte]=${sorted.to}`
    next = `&starting_after=${list.data.at(-1)[key]}${picture}`
    yield* between
  }
  return amounts
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a sorted list", (it) => {
  describe("of orders", () => {
    it.effect("by amount, both ways, has each order of its picture once, while others are created", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        yield* create(shop, [300, 100, 500, 200, 400, 200])
        const more = create(shop, [250, 50])
        assert.deepStrictEqual(
          yield* pagesOf(shop, "/v1/orders?sort=amount", "trade_no", more),
          [100, 200, 200, 300, 400, 500]
        )
        const down = yield* pagesOf(shop, "/v1/orders?sort=-amount", "trade_no", create(shop, [450]))
        assert.deepStrictEqual(down, [500, 400, 300, 250, 250, 200, 200, 100, 50, 50])
      })
    )

    it.effect("goes back to the page before with ending_before", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        yield* create(shop, [300, 100, 500, 200])
        const { data } = yield* said(shop.get("/v1/orders?sort=-amount"))
        const before = yield* said(shop.get(`/v1/orders?sort=-amount&limit=2&ending_before=${data[3].trade_no}`))
        assert.deepStrictEqual(before.data, data.slice(1, 3))
        assert.isTrue(before.has_more)
      })
    )

    it.effect("by time from the oldest, followed to its end and on, misses none that are created meanwhile", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        yield* create(shop, [1, 2, 3, 4])
        const first = yield* said(shop.get("/v1/orders?sort=created&limit=3"))
        assert.deepStrictEqual(
          first.data.map(({ amount }: { amount: number }) => amount),
          [1, 2, 3]
        )
        yield* create(shop, [5])
        const rest = yield* said(shop.get(`/v1/orders?sort=created&starting_after=${first.data[2].trade_no}`))
        assert.deepStrictEqual(
          rest.data.map(({ amount }: { amount: number }) => amount),
          [4, 5]
        )
        assert.isFalse(rest.has_more)
      })
    )

    it.effect("keeps to its filters and says which orders were sorted", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        yield* create(shop, [300, 100])
        yield* shop.paid(200)
        const pending = yield* said(shop.get("/v1/orders?sort=-amount&status=pending"))
        assert.deepStrictEqual(
          pending.data.map(({ amount }: { amount: number }) => amount),
          [300, 100]
        )
        const [newest, oldest] = pending.data.toSorted((a: { trade_no: string }, b: { trade_no: string }) =>
          a.trade_no < b.trade_no ? 1 : -1
        )
        assert.deepStrictEqual(pending.sorted, { from: oldest.created_at, to: newest.created_at, is_whole: true })
      })
    )

    it.effect("by amount is of the newest 10,000, and says from when on", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        const since = Date.now() - 20_000_000
        yield* insertOrders(shop.sql, {
          merchantId: shop.merchantId,
          mode: "sandbox",
          count: 10_005,
          since,
          step: 1_000
        })
        const { data, sorted } = yield* said(shop.get("/v1/orders?sort=amount&limit=1"))
        assert.isFalse(sorted.is_whole)
        assert.strictEqual(data[0].created_at, sorted.from)
        const earlier = yield* said(shop.get(`/v1/orders?sort=amount&created[lte]=${sorted.from}&limit=1`))
        assert.isBelow(earlier.data[0].amount, data[0].amount)
        assert.isTrue(earlier.sorted.is_whole)
      })
    )

    it.effect("is the same for operators", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        yield* create(shop, [300, 100, 200])
        const { api } = yield* Service
        const list = `/merchants/${shop.merchantId}/orders?mode=sandbox&sort=amount`
        const { data } = yield* said(api.operator("GET", list))
        assert.deepStrictEqual(
          data.map(({ amount }: { amount: number }) => amount),
          [100, 200, 300]
        )
      })
    )

    it.effect("by anything else is refused by its name", () =>
      Effect.gen(function* () {
        const shop = yield* shopOf
        assertRefused(yield* shop.get("/v1/orders?sort=subject"), 400, "invalid_request", "sort")
      })
    )
  })

  it.effect("of refunds and disputes is sorted by amount, too", () =>
    Effect.gen(function* () {
      const shop = yield* shopOf
      for (const amount of [100, 300, 200]) {
        const { trade_no } = yield* shop.paid(1_000)
        yield* shop.refund({ trade_no, amount })
        yield* shop.dispute((yield* shop.paid(amount))["trade_no"], {})
      }
      for (const path of ["/v1/refunds", "/v1/disputes"]) {
        const { data } = yield* said(shop.get(`${path}?sort=-amount`))
        assert.deepStrictEqual(
          data.map(({ amount }: { amount: number }) => amount),
          [300, 200, 100],
          path
        )
      }
    })
  )
})
