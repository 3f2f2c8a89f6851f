/** Merchants with connected accounts of one platform: one key, and each one's money in its own account. */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf } from "../kit/Merchant.ts"
import { chooses, worlds } from "./kit.ts"

const key = "sk_test_ofThePlatform01"

/** Each has an endpoint of its own, to which Stripe sends what happens in all connected accounts. */
const platform = Effect.gen(function* () {
  const world = yield* worlds()
  const shop = (account: string) =>
    Effect.gen(function* () {
      const merchant = yield* world.api.newMerchant()
      const path = `/merchants/${merchant.merchantId}/channels/sandbox`
      const { body } = yield* world.api.operator("GET", path)
      const endpoint = yield* Effect.promise(() =>
        world
          .clientOf(key)
          .webhookEndpoints.create({ url: body.data.webhook_url, enabled_events: ["*"], connect: true })
      )
      const keys = { channel: "stripe", secret_key: key, webhook_secret: endpoint.secret, account }
      const set = yield* world.api.operator("POST", path, keys)
      assert.strictEqual(set.status, 200, set.text)
      yield* world.atRest
      return { account, merchant, ...merchantOf({ ...world, merchant }) }
    })
  const [one, other] = [yield* shop("acct_one"), yield* shop("acct_other")]
  return { ...world, one, other, settled: Effect.andThen(world.control.rest({}), world.atRest) }
})

describe("a merchant with a connected account", () => {
  it.live("is paid and refunds there, by the platform's key, unseen by other accounts", () =>
    Effect.gen(function* () {
      const { api, control, one, other, settled, simulator, sql } = yield* platform
      const { body } = yield* one.post("/v1/orders", { amount: 2_000 })
      yield* chooses(api, body.data, "card")
      yield* control.pay({ session: simulator.all("checkout.session", one.account)[0]!.id })
      yield* settled
      const paid = yield* one.order(body.data.trade_no)
      assert.strictEqual(paid["status"], "paid")
      const refund = yield* one.refund({ trade_no: paid["trade_no"], amount: 700 })
      assert.strictEqual(refund.body.data.status, "succeeded")
      yield* settled

      const moved = (account: string) => simulator.all("balance_transaction", account).map(({ amount }) => amount)
      assert.deepStrictEqual(moved(one.account), [2_000, -700])
      assert.deepStrictEqual([moved(other.account), moved(accountOf(key))], [[], []])
      const told = yield* sql<{ merchant_id: string }>`select distinct merchant_id from stripe_events`
      assert.deepStrictEqual(
        told.map(({ merchant_id }) => merchant_id),
        [one.merchant.merchantId]
      )
      assert.deepStrictEqual(yield* other.events(), [])
    })
  )

  it.live("gets its events by the one address that a platform has for all of its accounts, and no other does", () =>
    Effect.gen(function* () {
      const world = yield* worlds()
      const { api, control, simulator, sql } = world
      const made = yield* Effect.forEach(["acct_one", "acct_other", "acct_third"], (account) =>
        Effect.map(api.newMerchant(), (merchant) => ({ account, merchant, ...merchantOf({ ...world, merchant }) }))
      )
      const [one, other, third] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]]
      const pathOf = ({ merchant }: (typeof made)[0]) => `/merchants/${merchant.merchantId}/channels/sandbox`
      const { body } = yield* api.operator("GET", pathOf(one))
      const client = world.clientOf(key)
      const endpoint = yield* Effect.promise(() =>
        client.webhookEndpoints.create({ url: body.data.webhook_url, enabled_events: ["*"], connect: true })
      )
      // The third has an address of its own, which is lost: another's secret does not help it.
      const secrets = [endpoint.secret, endpoint.secret, "whsec_ofAnotherAddress00000"]
      yield* Effect.forEach(made, (shop, index) =>
        api.operator("POST", pathOf(shop), {
          channel: "stripe",
          secret_key: key,
          webhook_secret: secrets[index],
          account: shop.account
        })
      )
      yield* world.atRest
      const pay = Effect.fnUntraced(function* (shop: (typeof made)[0]) {
        const order = yield* shop.post("/v1/orders", { amount: 2_000 })
        yield* chooses(api, order.body.data, "card")
        yield* control.pay({ session: simulator.all("checkout.session", shop.account)[0]!.id })
        yield* control.rest({})
        yield* world.atRest
        return (yield* shop.order(order.body.data.trade_no))["status"]
      })
      assert.strictEqual(yield* pay(other), "paid")
      assert.strictEqual(yield* pay(one), "paid")
      assert.strictEqual(yield* pay(third), "pending")
      const heard = yield* sql<{ merchant_id: string }>`select distinct merchant_id from stripe_events`
      assert.deepStrictEqual(
        new Set(heard.map(({ merchant_id }) => merchant_id)),
        new Set([one.merchant.merchantId, other.merchant.merchantId])
      )
      const metrics = (yield* api.call("GET", "/metrics")).text
      assert.match(metrics, /coffer_stripe_webhooks_total\{[^}]*outcome="no_account"[^}]*\} [1-9]/)
    })
  )
})
