/** Two runners on one database, as separate processes: who serves what, and what happens when one dies. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { keysOf } from "../kit/callers/apiKeys.ts"
import { assertBooksWhole, type Coffer, eventually, seeded } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { stretched } from "../kit/run/slowness.ts"
import { rounds } from "../kit/run/soak.ts"
import {
  allAtOnce,
  assertDone,
  currencies,
  newKey,
  newOrder,
  perform,
  performAtLast,
  planned,
  read,
  seed,
  twoRunners,
  type Wallet
} from "../kit/runners/TwoRunners.ts"

/** Three currencies in equal parts; every fourth order is paid twice. */
const purchases = rounds(60, 240)

class Pair extends Context.Service<Pair, Effect.Success<typeof twoRunners>>()("test/twoRunners") {}

const isEmpty = <A, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>) => Effect.map(rows, ({ length }) => length === 0)

layer(Layer.effect(Pair, twoRunners), { excludeTestServices: true })("two runners", (it) => {
  it.effect(
    "any runner takes any request: the other shows at once what one has answered, and payments count once",
    () =>
      Effect.gen(function* () {
        const { a, b, sql } = yield* Pair
        const hook = yield* receiver
        const key = yield* newKey(a)
        const draw = seeded(seed)
        const shuffled = () => (draw(2) === 0 ? ([a, b] as const) : ([b, a] as const))

        const buy = Effect.fnUntraced(function* (number: number) {
          const wallet: Wallet = { key, currency: currencies[number % currencies.length]! }
          const terms = { out_trade_no: `cart-${number}`, notify_url: hook.url }
          const [one, other] = shuffled()
          const order = yield* newOrder(one, wallet, terms)
          const { currency } = wallet
          const again = yield* other.api.post("/v1/orders", key, { amount: 1000, currency, ...terms })
          assert.deepStrictEqual([again.status, again.body.data.trade_no], [200, order.tradeNo])

          const [payer, reader] = shuffled()
          // Every fourth buyer pays twice at once: the second payment has to go back.
          const payers = number % 4 === 0 ? [payer, reader] : [payer]
          const pay = (node: Coffer) => perform(node, "pay", order)
          const replies = yield* Effect.forEach(payers, pay, { concurrency: "unbounded" })
          for (const { body, status } of replies) assert.deepStrictEqual([status, body.data.status], [200, "paid"])
          assert.strictEqual((yield* read(reader, order)).status, "paid")
        })
        yield* Effect.forEach(Array(purchases).keys(), buy, { concurrency: 16, discard: true })

        yield* assertBooksWhole(sql)
        for (const currency of currencies) {
          const path = `/v1/balance?currency=${currency}`
          const balance = (yield* a.api.get(path, key)).body.data
          assert.strictEqual(balance.total_revenue, (purchases / currencies.length) * 1000)
          assert.deepStrictEqual((yield* b.api.get(path, key)).body.data, balance)
        }
        const unreturned = sql`select 1 from orders where unapplied_due_at is not null`
        yield* eventually("second payments to go back", isEmpty(unreturned))
        const undelivered = sql`select 1 from deliveries where status <> 'succeeded'`
        yield* eventually("all deliveries", isEmpty(undelivered))
        const arrived = hook.all.map(({ event }) => event.id)
        assert.strictEqual(
          arrived.length,
          purchases + purchases / 4,
          "each payment and each return, none of them told twice"
        )
        assert.strictEqual(new Set(arrived).size, arrived.length)
      })
  )

  it.effect("a key that is reset on one runner is refused immediately on the other", () =>
    Effect.gen(function* () {
      const { a, b } = yield* Pair
      const { merchantId, sandboxKey } = yield* a.api.newMerchant()
      let key = sandboxKey
      const statusOn = ({ api }: Coffer) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)
      for (const [here, there] of [
        [a, b],
        [b, a]
      ] as const) {
        assert.deepStrictEqual([yield* statusOn(here), yield* statusOn(there)], [200, 200])
        const reset = yield* here.api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
        assert.strictEqual(yield* statusOn(here), 401)
        const isDead = Effect.map(statusOn(there), (status) => status === 401)
        yield* eventually("the old key to be dead", isDead, yield* stretched("2 seconds"))
        key = reset.body.data.key
      }
    })
  )

  it.effect(
    "a key with scopes that is revoked, rolled, narrowed or reported on one runner is so at once on the other",
    () =>
      Effect.gen(function* () {
        const { a, b } = yield* Pair
        const merchant = yield* a.api.newMerchant()
        for (const [here, there] of [
          [a, b],
          [b, a]
        ] as const) {
          const { create, path } = keysOf({ api: here.api, merchant })
          const acts = [
            [401, (one: string) => here.api.operator("POST", `${one}/revoke`)],
            [401, (one: string) => here.api.operator("POST", `${one}/roll`, { overlap_minutes: 0 })],
            [403, (one: string) => here.api.operator("POST", one, { ip_allowlist: "203.0.113.7" })],
            [401, (_one: string, key: string) => here.api.post("/leaked_keys", undefined, { key })]
          ] as const
          for (const [ends, act] of acts) {
            const { key, key_id } = yield* create()
            const statusOn = ({ api }: Coffer) => Effect.map(api.get("/v1/balance", key), ({ status }) => status)
            assert.deepStrictEqual([yield* statusOn(here), yield* statusOn(there)], [200, 200])
            assert.isBelow((yield* act(`${path}/${key_id}`, key)).status, 300)
            assert.strictEqual(yield* statusOn(here), ends)
            const isRefused = Effect.map(statusOn(there), (status) => status === ends)
            yield* eventually("the key to be refused", isRefused, yield* stretched("2 seconds"))
          }
        }
      })
  )
})

describe("a runner that dies", () => {
  // Which of the two has the health singleton is not ours to choose, and the failover differs.
  for (const [which, other] of [
    ["a", "b"],
    ["b", "a"]
  ] as const) {
    it.live(`when runner ${which} dies, the other serves all its orders and wallets within 20 s`, () =>
      Effect.gen(function* () {
        const { sql, ...runners } = yield* twoRunners
        const { plans } = yield* planned(runners.a, runners.b, 6, ["pay", "annotate", "expire"])
        runners[which].signal("SIGKILL")
        yield* runners[which].ended

        const survivor = runners[other]
        const [duration] = yield* Effect.timed(
          Effect.forEach(plans, (plan) => performAtLast(survivor, plan.deed, plan), allAtOnce)
        )
        const promised = yield* stretched("20 seconds")
        assert.isBelow(Duration.toSeconds(duration), Duration.toSeconds(promised))
        for (const plan of plans) yield* assertDone(survivor, plan)
        yield* assertBooksWhole(sql)
      })
    )
  }
})
