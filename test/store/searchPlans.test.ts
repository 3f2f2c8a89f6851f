/** What Postgres reads for an operator's search among very many rows and accounts. */
import { assert, it } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Context, Effect } from "effect"
import { AccountSearch } from "../../src/reads/lookup/AccountSearch.ts"
import { Search } from "../../src/reads/lookup/Search.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { insertDisputes, insertOrders, insertRefunds, settled } from "../kit/rows/Rows.ts"
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

it.live("a merchant's own number is found without a look at each account, and a call in the pages of its moment", () =>
  Effect.gen(function* () {
    const { context, database, merchant, sql } = yield* start()
    const many = { merchantId: merchant.merchantId, count, since: Date.UTC(2025, 0, 1), step: 1_000 }
    yield* insertOrders(sql, many, { status: "'paid'" })
    yield* insertRefunds(sql, many)
    yield* insertDisputes(sql, many)
    const owner = yield* ownersConnection(database)
    yield* owner`alter table merchant_modes drop constraint merchant_modes_merchant_id_fkey`
    yield* owner`alter table merchant_modes disable trigger main_secrets_are_carried`
    yield* owner`insert into merchant_modes select (jsonb_populate_record(m, jsonb_build_object('merchant_id', 'mer_' || n, 'key_hash', 'hash_' || n))).*
      from merchant_modes m, generate_series(1, 2000) n where m.mode = 'sandbox'`
    yield* owner`insert into api_logs (request_id, merchant_id, mode, method, path, status, duration_ms, created_at)
      select 'req_' || lpad(n::text, 26, '0'), ${merchant.merchantId}, 'sandbox', 'GET', '/v1/balance', 200, 1, now()
      from generate_series(1, ${count}) n`
    yield* settled(owner)
    yield* owner`vacuum analyze api_logs`
    const search = Context.get(context as Context.Context<Search>, Search)
    const one = `${many.since}-1`
    // Of each table of calls, one range of the index has sixteen pages.
    for (const [number, kinds, most] of [
      [`row-${one}`, ["order", "refund"], 2],
      [`dp_${one}`, ["dispute"], 1],
      [`req_${"7".padStart(26, "0")}`, ["api_log"], 2_000]
    ] as const) {
      const { plans, result } = yield* explained(sql, search.find({ number }))
      assert.deepStrictEqual<ReadonlyArray<string>>(
        result.map(({ kind }) => kind),
        kinds,
        number
      )
      assert.isAtMost(rowsRead(scansIn(plans)), most, JSON.stringify(plans, null, 1))
    }
  })
)

it.live("a page of one kind that a merchant searched reads no rows of the other kinds", () =>
  Effect.gen(function* () {
    const { api, context, merchant, sql } = yield* start()
    const many = { merchantId: merchant.merchantId, count: 50, since: Date.UTC(2025, 0, 1), step: 1_000 }
    yield* insertOrders(sql, many, { status: "'paid'", subject: "'A book'" })
    const link = yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 2_500, subject: "A book" })
    assert.strictEqual(link.status, 201)
    const search = Context.get(context as Context.Context<AccountSearch>, AccountSearch)
    const account = { merchantId: MerchantId.make(merchant.merchantId), mode: "sandbox" } as const
    for (const [kind, other] of [
      ["order", "payment_links"],
      ["payment_link", "orders"]
    ] as const) {
      const { plans, result } = yield* explained(sql, search.page(account, "book", { after: "", kind }))
      assert.deepStrictEqual([...new Set(result.map((found) => found.kind))], [kind])
      const ofOther = scansIn(plans).filter((node) => node["Relation Name"] === other)
      assert.strictEqual(rowsRead(ofOther), 0, JSON.stringify(plans, null, 1))
    }
  })
)
