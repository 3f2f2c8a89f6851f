/** Merchants as the operator lists, suspends and resumes them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { asRunner, freshDatabase, start } from "../../kit/Service.ts"

it.live("a suspended merchant's keys are refused at once on all runners, and work again when it is resumed", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const { api, merchant } = yield* start({ database, env: yield* asRunner })
    const other = yield* start({ database, env: yield* asRunner })
    const path = `/merchants/${merchant.merchantId}`
    const ask = () => other.api.get("/v1/balance", merchant.sandboxKey)
    assert.strictEqual((yield* ask()).status, 200)
    const suspended = yield* api.operator("POST", `${path}/suspend`)
    assert.isString(suspended.body.data.suspended_at)
    const here = yield* api.get("/v1/balance", merchant.sandboxKey)
    assert.deepStrictEqual([here.status, here.body.error], [403, "forbidden"])
    yield* Effect.repeat(ask(), { until: ({ status }) => status === 403 })
    const again = yield* api.operator("POST", `${path}/suspend`)
    assert.strictEqual(again.body.data.suspended_at, suspended.body.data.suspended_at)
    yield* api.operator("POST", `${path}/resume`)
    assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 200)
    yield* Effect.repeat(ask(), { until: ({ status }) => status === 200 })
  })
)

it.live("a suspended merchant's link makes no order", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const link = yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 500 })
    yield* api.operator("POST", `/merchants/${merchant.merchantId}/suspend`)
    const { pathname } = new URL(link.body.data.url)
    assert.strictEqual((yield* api.call("GET", pathname)).status, 200)
    yield* api.operator("POST", `/merchants/${merchant.merchantId}/resume`)
    assert.deepStrictEqual((yield* api.get("/v1/orders", merchant.sandboxKey)).body.data.data, [])
    assert.strictEqual((yield* api.call("GET", pathname)).status, 303)
  })
)

it.live("merchants are listed newest first, by a part of their name and by their state", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    const ids: Array<string> = []
    for (const name of ["Blue Shop", "Red SHOP", "Green"]) {
      ids.push((yield* api.operator("POST", "/merchants", { name, seed: false })).body.data.merchant_id)
    }
    const [blue, red, green] = ids
    yield* api.operator("POST", `/merchants/${red}`, { approved: true, note: "called on Monday" })
    yield* api.operator("POST", `/merchants/${green}/suspend`)
    const list = (query: string) =>
      Effect.map(api.operator("GET", `/merchants?${query}`), ({ body }) =>
        body.data.data.map(({ merchant_id }: { merchant_id: string }) => merchant_id)
      )
    assert.deepStrictEqual((yield* list("")).slice(0, 3), [green, red, blue])
    assert.deepStrictEqual(yield* list("search=shop"), [red, blue])
    assert.deepStrictEqual(yield* list("search=shop&limit=1&starting_after=" + red), [blue])
    assert.deepStrictEqual(yield* list("status=approved"), [red])
    assert.deepStrictEqual(yield* list("status=suspended"), [green])
    assert.deepStrictEqual(yield* list("search=%25"), [])
    assert.strictEqual((yield* api.operator("GET", `/merchants/${red}`)).body.data.note, "called on Monday")
  })
)

it.live("an operator lists a merchant's orders, without the tokens of their checkout pages", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const made = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 700, currency: "USD" })
    const { checkout_url, trade_no } = made.body.data
    const listed = yield* api.operator("GET", `/merchants/${merchant.merchantId}/orders?mode=sandbox`)
    assert.deepStrictEqual(
      listed.body.data.data.map((order: Record<string, unknown>) => order["trade_no"]),
      [trade_no]
    )
    assert.notInclude(listed.text, checkout_url.split("/").at(-1))
    const live = yield* api.operator("GET", `/merchants/${merchant.merchantId}/orders?mode=live`)
    assert.deepStrictEqual(live.body.data.data, [])
    const unknown = yield* api.operator("GET", "/merchants/mer_00000000000000000000000000/orders?mode=live")
    assert.strictEqual(unknown.status, 404)
  })
)
