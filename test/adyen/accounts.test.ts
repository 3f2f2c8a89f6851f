/** Accounts at Adyen, their keys, and the books that its reports tell. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { connected, onOneWorld } from "./kit.ts"

onOneWorld((it) => {
  describe("an account at Adyen", () => {
    it.effect("is shown without its keys, beside the other acquirer", () =>
      Effect.gen(function* () {
        const { api, atAdyen, bank, path } = yield* connected
        const { body, text } = yield* api.operator("GET", path)
        assert.deepStrictEqual(
          [body.data.channel, body.data.account, body.data.has_keys],
          ["adyen", bank.account, true]
        )
        assert.deepStrictEqual(
          body.data.acquirers.map((one: { channel: string; is_active: boolean }) => [one.channel, one.is_active]),
          [
            ["stripe", false],
            ["adyen", true]
          ]
        )
        assert.notInclude(text, atAdyen.apiKey)
        assert.notInclude(text, atAdyen.hmacKey)
      })
    )

    it.effect("with a key that Adyen refuses, or one of another acquirer, is not stored", () =>
      Effect.gen(function* () {
        const { api, path } = yield* connected
        const { body } = yield* api.operator("GET", path)
        for (const change of [{ secret_key: "AQEunknownKey0123456789" }, { secret_key: "sk_test_0123456789" }]) {
          const refused = yield* api.operator("POST", path, { channel: "adyen", ...change })
          assert.deepStrictEqual([refused.status, refused.body.param], [400, "secret_key"], refused.text)
        }
        assert.deepStrictEqual((yield* api.operator("GET", path)).body.data, body.data)
      })
    )

    it.effect("takes new keys, and notices that are signed with the one before for a day", () =>
      Effect.gen(function* () {
        const { api, atAdyen, bank, begun, jump, path, settled, shop, simulator } = yield* connected
        const first = yield* begun()
        const next = simulator.roll(atAdyen, `${atAdyen.apiKey}x`)
        const hmacKey = "ab".repeat(32)
        const set = yield* api.operator("POST", path, {
          channel: "adyen",
          secret_key: next.apiKey,
          webhook_secret: hmacKey
        })
        assert.strictEqual(set.status, 200, set.text)
        yield* settled
        assert.strictEqual((yield* shop.order(first.made.trade_no))["status"], "paid", "signed with the key before")
        const second = yield* begun()
        yield* jump("25 hours")
        yield* settled
        assert.lengthOf(bank.notices, 1, "the key before is refused")
        next.hmacKey = hmacKey
        yield* settled
        assert.lengthOf(bank.notices, 0)
        assert.include(["paid", "expired"], (yield* shop.order(second.made.trade_no))["status"])
      })
    )

    it.effect("is not changed for another one while something needs it", () =>
      Effect.gen(function* () {
        const { api, choose, order, path, simulator } = yield* connected
        yield* choose(yield* order())
        simulator.account("AQEofAnotherAccount0123456789", "Another", "ab".repeat(32))
        const change = { channel: "adyen", secret_key: "AQEofAnotherAccount0123456789", account: "Another" }
        const refused = yield* api.operator("POST", path, change)
        assert.strictEqual(refused.status, 409, refused.text)
        assert.include(refused.body.message, "1 open payment links")
      })
    )

    it.effect("that is switched off begins no payment, and those under way are finished", () =>
      Effect.gen(function* () {
        const { api, begun, choose, links, order, path, settled, shop } = yield* connected
        const { made } = yield* begun()
        assert.strictEqual((yield* api.operator("POST", path, { channel: "sandbox" })).status, 200)
        yield* settled
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
        const later = yield* order()
        yield* choose(later)
        assert.lengthOf(links(later), 0)
      })
    )
  })

  describe("the books", () => {
    const differences = (world: Effect.Success<typeof connected>) =>
      Effect.map(
        world.api.operator("GET", `/reconciliation?status=open&merchant_id=${world.shop.merchantId}`),
        ({ body }) => body.data.data as ReadonlyArray<Record<string, unknown>>
      )

    it.effect("are read from the first report on, also when a later one is announced before it could be read", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, begun, leap, settled, shop, simulator } = world
        simulator.faults.add({ on: "webhook AUTHORISATION", kind: "lose", times: 10, account: bank.account })
        const { made } = yield* begun()
        bank.closeBatch()
        simulator.faults.add({ on: "GET /reports/*", kind: "error_before", times: 1, account: bank.account })
        yield* settled
        bank.closeBatch()
        yield* settled
        yield* leap("7 hours")
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
      })
    )

    it.effect("are read from the first announced report on where there is no first one", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, begun, leap, settled, shop, simulator } = world
        for (let number = 1; number < 4; number++) bank.closeBatch()
        bank.notices.length = 0
        bank.reports[0] = undefined as never
        simulator.faults.add({ on: "webhook AUTHORISATION", kind: "lose", times: 10, account: bank.account })
        const { made } = yield* begun()
        bank.closeBatch()
        yield* settled
        yield* leap("1 minute")
        assert.strictEqual((yield* shop.order(made.trade_no))["status"], "paid")
      })
    )

    it.effect("agree with the report, which also tells Adyen's fees", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, leap, paid, settled, shop, sql } = world
        yield* paid({ amount: 50_000 })
        const order = yield* paid()
        yield* shop.refund({ trade_no: order.trade_no, amount: 500 })
        bank.decide([...bank.modifications.keys()][0]!, "done")
        yield* settled
        bank.closeBatch()
        yield* leap("12 days")
        assert.deepStrictEqual(yield* differences(world), [])
        const rows = yield* sql`select type, amount::int4, fee::int4, checked_at is not null as checked
          from adyen_movements where payment_id = ${order.payment.pspReference} order by type`
        assert.deepStrictEqual(rows, [
          { type: "Refunded", amount: -500, fee: 0, checked: true },
          { type: "Settled", amount: 2_000, fee: 32, checked: true }
        ])
      })
    )

    it.effect("that differ are shown to the operator once neither has moved for ten days", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, leap, paid } = world
        const order = yield* paid()
        bank.closeBatch()
        yield* leap("1 day")
        // A refund in Adyen's own pages, which no notice of ours names.
        bank.moved.length = 0
        yield* world.sql`update adyen_movements set amount = 1500 where payment_id = ${order.payment.pspReference}`
        yield* leap("12 days")
        const [difference, ...others] = yield* differences(world)
        assert.lengthOf(others, 0)
        assert.deepStrictEqual(
          [difference!["channel"], difference!["payment_id"], difference!["ours"], difference!["theirs"]],
          ["adyen", order.payment.pspReference, 2_000, 1_500]
        )
        assert.strictEqual(difference!["channel_fee"], 32)
      })
    )

    it.effect("tell of a payment, a refund and a dispute whose notices never came", () =>
      Effect.gen(function* () {
        const world = yield* connected
        const { bank, begun, leap, paid, shop, simulator } = world
        yield* paid({ amount: 50_000 })
        simulator.faults.add({ on: "webhook *", kind: "lose", times: 1_000 })
        const { made, payment } = yield* begun()
        yield* simulator.rest
        bank.closeBatch()
        yield* leap("7 hours")
        const order = yield* shop.order(made.trade_no)
        assert.deepStrictEqual([order["status"], order["payment_id"]], ["paid", payment!.pspReference])
        yield* shop.refund({ trade_no: made.trade_no, amount: 500 })
        bank.decide([...bank.modifications.keys()][0]!, "done")
        bank.charge(bank.open(payment!))
        yield* simulator.rest
        bank.closeBatch()
        yield* leap("7 hours")
        const { body: refunds } = yield* shop.get(`/v1/refunds?trade_no=${made.trade_no}`)
        const { body: disputes } = yield* shop.get(`/v1/disputes?trade_no=${made.trade_no}`)
        assert.deepStrictEqual(
          [refunds.data.data[0].status, disputes.data.data[0].status],
          ["succeeded", "needs_response"]
        )
        const { text } = yield* world.api.get("/metrics")
        assert.match(text, /coffer_adyen_notices_found_total\{mode="sandbox"\S* [3-9]/)
      })
    )
  })
})
