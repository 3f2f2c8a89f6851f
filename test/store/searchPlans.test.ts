/** The search by a payment's number at Stripe, among very many orders, reads the one row of its index. */
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Search } from "../../src/reads/lookup/Search.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { insertOrders, settled } from "../kit/rows/Rows.ts"
import { ownersConnection, start } from "../kit/Service.ts"

const count = 20_000

it.live("an order is found by the number of its payment at Stripe along that index, and no other order is read", () =>
  Effect.gen(function* () {
    const { context, database, merchant, sql } = yield* start()
    const { merchantId } = merchant
    yield* insertOrders(sql, { merchantId, count, since: Date.UTC(2025, 0, 1), step: 1_000 }, { status: "'paid'" })
    const owner = yield* ownersConnection(database)
    // Half of them were paid at Stripe.
    yield* owner`update orders set channel = 'stripe', payment_id = 'pi_' || amount where amount % 2 = 0`
    yield* settled(owner)
    const search = Context.get(context as Context.Context<Search>, Search)
    for (const whose of [{}, { merchant_id: merchantId }]) {
      for (const [number, found] of [
        ["pi_5000", 1],
        ["pi_5001", 0],
        ["pi_", 0]
      ] as const) {
        const { plans, result } = yield* explained(sql, search.find({ number, ...whose }))
        assert.lengthOf(result, found, number)
        const why = JSON.stringify(plans, null, 1)
        const ofOrders = scansIn(plans).filter((node) => node["Relation Name"] === "orders")
        assert.isAtMost(rowsRead(ofOrders), found, why)
        const used = plans.flatMap(({ nodes }) => nodes.map((node) => node["Index Name"]))
        assert.include(used, "orders_channel_payment", why)
      }
    }
  })
)
