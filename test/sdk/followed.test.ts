/**
 * A reader who goes on from the newest order that was seen misses none, whichever runner has written it: through the
 * SDK, and with files (docs/decisions/0050).
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { NewIds } from "../../src/platform/runtime/NewIds.ts"
import { allOf, clientOf } from "../kit/callers/sdk.ts"
import { asRunner, freshDatabase, type Running, start } from "../kit/Service.ts"

/** The other runner's numbers are behind by this. */
const behindMillis = 20_000
const turns = 6

it.live(
  "a reader who follows orders through the SDK or by files misses none of a runner whose numbers are behind",
  () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const one = yield* start({ database, env: yield* asRunner })
      const two = yield* start({ database, env: yield* asRunner })
      const key = one.merchant.sandboxKey
      const coffer = clientOf(one)
      const behind = ({ context }: Running) =>
        Context.get(context as Context.Context<NewIds>, NewIds).correct(behindMillis)
      const create = ({ api }: Running) =>
        Effect.map(api.post("/v1/orders", key, { amount: 100 }), ({ body, status, text }) => {
          assert.strictEqual(status, 201, text)
          return body.data.trade_no as string
        })
      const newerThan = (tradeNo: string) => Effect.promise(() => allOf(coffer.orders.list({ ending_before: tradeNo })))
      const fileFrom = (createdAt: string) =>
        Effect.map(one.api.get(`/v1/orders?format=csv&created[gte]=${createdAt}`, key), ({ text }) => text)

      yield* create(one)
      let [newest] = (yield* Effect.promise(() => coffer.orders.list({ limit: 1 }).page())).data
      for (let turn = 0; turn < turns; turn++) {
        behind(two)
        const made = yield* create(turn % 2 === 0 ? two : one)
        const seen = yield* newerThan(newest!.trade_no)
        assert.deepStrictEqual(
          seen.map(({ trade_no }) => trade_no),
          [made],
          `turn ${turn}`
        )
        assert.include(yield* fileFrom(newest!.created_at), made, `turn ${turn}`)
        newest = seen[0]
      }
    })
)

it.live("a report is whole up to its moment: a runner whose numbers are behind writes nothing earlier after it", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const one = yield* start({ database, env: yield* asRunner })
    const two = yield* start({ database, env: yield* asRunner })
    const key = one.merchant.sandboxKey
    for (let turn = 0; turn < turns; turn++) {
      const order = yield* one.api.post("/v1/orders", key, { amount: 100 })
      const today = new Date().toISOString().slice(0, 10)
      const report = yield* one.api.get(`/v1/reports/statement?currency=USD&from=${today}&time_zone=UTC`, key)
      assert.strictEqual(report.status, 200, report.text)
      Context.get(two.context as Context.Context<NewIds>, NewIds).correct(behindMillis)
      const paid = yield* two.api.post(`/v1/test_helpers/orders/${order.body.data.trade_no}/pay`, key)
      assert.strictEqual(paid.status, 200, paid.text)
      const [row] = yield* one.sql<{ at: number; count: number }>`select count(*)::int as count,
        (extract(epoch from min(created_at)) * 1000)::float8 as at from ledger where reference_id = ${order.body.data.trade_no}`
      assert.strictEqual(row!.count, 2)
      assert.isAtLeast(row!.at, Date.parse(report.body.data.as_of), `turn ${turn}`)
    }
  })
)
