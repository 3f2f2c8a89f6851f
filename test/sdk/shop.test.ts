/** The whole shop of the README, on a real socket against the service: a buyer, a refund, a dispute, and the books. */
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { webhooks } from "@coffer/sdk"
import { reconcile } from "../../packages/sdk/examples/reconcile.ts"
import { makeShop } from "../../packages/sdk/examples/shop.ts"
import { clientOf } from "../kit/callers/sdk.ts"
import { start } from "../kit/Service.ts"

const linesOf = (name: string) => readFileSync(`packages/sdk/examples/${name}.ts`, "utf8").trimEnd().split("\n").length

describe("a shop that is written from the documents", () => {
  it("has less than 120 lines, and its reconciliation less than 25", () => {
    assert.isBelow(linesOf("shop"), 120)
    assert.isBelow(linesOf("reconcile"), 25)
  })

  it.live(
    "sells, reads the order that an event names, refunds, answers the bank, and finds where its books differ",
    () =>
      Effect.gen(function* () {
        const running = yield* start()
        const coffer = clientOf(running)
        let secret = ""
        const { sales, server } = makeShop({ coffer, secret: () => secret, home: "http://shop.example" })
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
          () => Effect.sync(() => server.close().closeAllConnections())
        )
        const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const post = (path: string) =>
          Effect.promise(() => fetch(`${shop}${path}`, { method: "POST", redirect: "manual" }))
        const from = new Date((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - 60_000)
        ;({ secret } = yield* Effect.promise(async () => coffer.webhookEndpoints.create({ url: `${shop}/hook` })))

        const bought = yield* post("/buy?title=Moby+Dick&buyer=ada@example.com")
        assert.deepStrictEqual([bought.status, sales.size], [303, 1])
        assert.match(bought.headers.get("location")!, /\/checkout\//)
        const [number = ""] = sales.keys()
        const sale = sales.get(number)!
        yield* Effect.promise(async () => coffer.testHelpers.orders.pay(number))
        yield* running.atRest
        assert.deepInclude(sale, { status: "paid", parcel: `SF-${number}` })
        const page = yield* Effect.promise(async () => (await fetch(`${shop}/orders/${number}`)).text())
        assert.strictEqual(page, "Moby Dick: paid")

        for (const _ of [1, 2]) assert.strictEqual((yield* post(`/orders/${number}/refund?amount=500`)).status, 200)
        yield* running.atRest
        assert.strictEqual(sale.refunded, 500)

        // Late, and of a time that never was.
        const stale = JSON.stringify({
          id: "evt_stale",
          type: "refund.succeeded",
          data: { object: { out_trade_no: number, amount: 1 } }
        })
        const headers = yield* Effect.promise(() => webhooks.sign(stale, secret))
        const told = yield* Effect.promise(() => fetch(`${shop}/hook`, { method: "POST", body: stale, headers }))
        assert.deepStrictEqual([told.status, sale.refunded], [200, 500])

        const opened = yield* Effect.promise(async () => coffer.testHelpers.orders.dispute(number, { amount: 1_000 }))
        yield* running.atRest
        const dispute = yield* Effect.promise(async () => coffer.disputes.get(opened.dispute_no))
        assert.strictEqual(dispute.status, "under_review")
        const { evidence, submitted } = yield* Effect.promise(async () =>
          coffer.disputes.getEvidence(opened.dispute_no)
        )
        assert.isTrue(submitted)
        assert.strictEqual(evidence.shipping_tracking_number, sale.parcel)
        assert.strictEqual((yield* post("/hook")).status, 400)

        const books = new Map([[number, sale.amount - sale.refunded]])
        const to = new Date(from.getTime() + 3_600_000)
        const found = yield* Effect.promise(() => reconcile(coffer, books, from, to))
        assert.notInclude(found, number)
        const wrong = new Map([[number, sale.amount]])
        assert.include(yield* Effect.promise(() => reconcile(coffer, wrong, from, to)), number)
      })
  )

  it.live("agrees with its books after a refund came back, and after a dispute was won that had been lost", () =>
    Effect.gen(function* () {
      const running = yield* start()
      const coffer = clientOf(running)
      const from = new Date((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - 60_000)
      const call = <A>(make: () => PromiseLike<A>) => Effect.promise(async () => make())
      const paid = Effect.fnUntraced(function* (out_trade_no: string, payment_method: "card" | "alipay") {
        yield* call(() => coffer.orders.create({ amount: 2_000, out_trade_no }))
        yield* call(() => coffer.testHelpers.orders.pay(out_trade_no, { payment_method }))
      })
      const refund = Effect.fnUntraced(function* (
        trade_no: string,
        ...outcomes: ReadonlyArray<"succeeded" | "failed">
      ) {
        yield* call(() => coffer.refunds.create({ trade_no, amount: 500, out_refund_no: `refund-${trade_no}` }))
        for (const outcome of outcomes) {
          yield* call(() => coffer.testHelpers.refunds.settle(`refund-${trade_no}`, { outcome }))
          yield* running.atRest
        }
      })
      const dispute = Effect.fnUntraced(function* (trade_no: string, ...outcomes: ReadonlyArray<"lost" | "won">) {
        const { dispute_no } = yield* call(() => coffer.testHelpers.orders.dispute(trade_no))
        for (const outcome of outcomes) {
          yield* call(() => coffer.testHelpers.disputes.resolve(dispute_no, { outcome }))
          yield* running.atRest
        }
      })
      yield* paid("pending", "alipay")
      yield* refund("pending")
      yield* paid("refunded", "alipay")
      yield* refund("refunded", "succeeded")
      yield* paid("came-back", "alipay")
      yield* refund("came-back", "succeeded", "failed")
      yield* paid("lost", "card")
      yield* dispute("lost", "lost")
      yield* paid("won-at-last", "card")
      yield* dispute("won-at-last", "lost", "won")
      const to = new Date(from.getTime() + 3_600_000)
      const books = new Map([
        ["pending", 2_000],
        ["refunded", 1_500],
        ["came-back", 2_000],
        ["lost", 0],
        ["won-at-last", 2_000]
      ])
      assert.deepStrictEqual(yield* Effect.promise(() => reconcile(coffer, books, from, to)), [])
    })
  )
})
