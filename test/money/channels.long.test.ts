/**
 * The same money stories through two channels: the sandbox's bank, and a third channel that exists in tests alone
 * (`test/kit/stories/memoryChannel.ts`). Rooms name no channel, so each story ends with the same answers, events and books.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { disputed, sold } from "../kit/stories/disputed.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { memoryChannel } from "../kit/stories/memoryChannel.ts"
import { assertRefused, feeOf, merchantOf } from "../kit/Merchant.ts"
import { start } from "../kit/Service.ts"

const channels = [
  { name: "sandbox", options: () => ({}) },
  { name: "memory", options: () => ({ channels: memoryChannel() }) }
]

describe.each(channels)("through the channel $name", ({ name, options }) => {
  const opened = Effect.gen(function* () {
    const service = yield* start({ clock: "test", ...options() })
    const shop = merchantOf(service)
    const { trade_no } = (yield* shop.post("/v1/orders", { amount: 1_000 })).body.data
    const tradeNo: string = trade_no
    const unapplied = Effect.map(
      service.sql<{
        readonly unapplied_payments: ReadonlyArray<{ reason: string; state: string; channel: string }>
      }>`select unapplied_payments from orders where trade_no = ${tradeNo}`,
      ([row]) => row!.unapplied_payments.map(({ channel, reason, state }) => [channel, reason, state])
    )
    return {
      service,
      shop,
      tradeNo,
      pay: (body: object = {}) => shop.post(`/v1/test_helpers/orders/${tradeNo}/pay`, body),
      expire: shop.post(`/v1/orders/${tradeNo}/expire`),
      status: Effect.map(shop.order(tradeNo), ({ status }) => status),
      unapplied,
      whole: assertLedgerWhole(service.sql)
    }
  })

  it.live("a payment is credited with its fee, and its row says which channel has it", () =>
    Effect.gen(function* () {
      const { pay, service, shop, tradeNo, whole } = yield* opened
      assert.strictEqual((yield* pay()).body.data.status, "paid")
      assert.strictEqual((yield* shop.balance()).available, 1_000 - feeOf(1_000))
      assert.deepStrictEqual(yield* shop.events(tradeNo), ["payment.succeeded"])
      const [row] = yield* service.sql`select channel from orders where trade_no = ${tradeNo}`
      assert.deepStrictEqual(row, { channel: name })
      yield* whole
    })
  )

  it.live("an operator finds the order by the number that the channel gave to its payment", () =>
    Effect.gen(function* () {
      const { pay, service, tradeNo } = yield* opened
      const { payment_id } = (yield* pay()).body.data
      const found = yield* service.api.operator("GET", `/search?number=${payment_id}`)
      assert.deepStrictEqual(
        found.body.data.data.map((each: { id: string; field: string }) => [each.id, each.field]),
        [[tradeNo, "payment_id"]]
      )
    })
  )

  it.live("a declined attempt leaves the order payable, and a final failure ends it", () =>
    Effect.gen(function* () {
      const { pay, shop, whole } = yield* opened
      assert.strictEqual((yield* pay({ outcome: "decline" })).body.data.status, "pending")
      assert.strictEqual((yield* pay({ outcome: "fail" })).body.data.status, "failed")
      assert.strictEqual((yield* shop.balance()).available, 0)
      yield* whole
    })
  )

  it.live("ten declined attempts make the bank pause", () =>
    Effect.gen(function* () {
      const { pay } = yield* opened
      for (let attempt = 0; attempt < 10; attempt++) yield* pay({ outcome: "decline" })
      assert.strictEqual((yield* pay()).status, 429)
    })
  )

  it.live("an order whose buyer is at the bank cannot be closed, and is paid when the buyer comes back", () =>
    Effect.gen(function* () {
      const { expire, pay, status } = yield* opened
      yield* pay({ outcome: "redirect" })
      assertRefused(yield* expire, 409, "conflict")
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual((yield* pay()).body.data.status, "paid")
    })
  )

  it.live("a payment that was not reported is found when the order is closed, and credited", () =>
    Effect.gen(function* () {
      const { expire, pay, shop, status, whole } = yield* opened
      yield* pay({ outcome: "succeed_unreported" })
      assertRefused(yield* expire, 409, "conflict")
      assert.strictEqual(yield* status, "paid")
      assert.strictEqual((yield* shop.balance()).available, 1_000 - feeOf(1_000))
      yield* whole
    })
  )

  it.live("a payment that was not reported is found at the deadline, and credited", () =>
    Effect.gen(function* () {
      const { pay, service, status } = yield* opened
      yield* pay({ outcome: "succeed_unreported" })
      yield* service.pass("25 hours")
      assert.strictEqual(yield* status, "paid")
    })
  )

  it.live("money that comes too late, twice or in another amount is not credited, and goes back or is parked", () =>
    Effect.gen(function* () {
      const { pay, service, shop, unapplied, whole } = yield* opened
      yield* pay({ amount: 999 })
      yield* pay()
      yield* pay()
      yield* service.pass("1 minute")
      assert.deepStrictEqual(yield* unapplied, [
        [name, "mismatch", "parked"],
        [name, "second", "returned"]
      ])
      assert.strictEqual((yield* shop.balance()).available, 1_000 - feeOf(1_000))
      yield* whole

      const late = yield* opened
      assert.strictEqual((yield* late.expire).body.data.status, "expired")
      yield* late.pay()
      yield* late.service.pass("1 minute")
      assert.deepStrictEqual(yield* late.unapplied, [[name, "late", "returned"]])
      yield* late.whole
    })
  )

  it.live("a channel that cannot be reached changes nothing", () =>
    Effect.gen(function* () {
      const { expire, pay, shop, status, tradeNo, whole } = yield* opened
      yield* shop.reachable(false)
      assertRefused(yield* pay(), 502, "processor_error")
      assertRefused(yield* expire, 502, "processor_error")
      assert.strictEqual(yield* status, "pending")
      yield* shop.reachable(true)
      yield* pay()
      yield* shop.reachable(false)
      assertRefused(yield* shop.refund({ trade_no: tradeNo, amount: 400 }), 502, "processor_error")
      yield* shop.reachable(true)
      assert.deepInclude(yield* shop.order(tradeNo), { status: "paid", refunded_amount: 0 })
      yield* whole
    })
  )

  it.live("a card is refunded at once, in parts, and never beyond what was paid", () =>
    Effect.gen(function* () {
      const { refund, shop, tradeNo, whole } = yield* sold(yield* start({ clock: "test", ...options() }))
      yield* shop.paid(10_000)
      assert.deepInclude((yield* refund({ amount: 400 })).body.data, { status: "succeeded", amount: 400 })
      assertRefused(yield* refund({ amount: 700 }), 400, "invalid_request", "amount")
      assert.strictEqual((yield* refund()).body.data.amount, 600)
      assert.deepInclude(yield* shop.order(tradeNo), { status: "refunded", refunded_amount: 1_000 })
      yield* whole
    })
  )

  it.live("a wallet's refund settles after a minute, or as the helper says, and a rejected one is given back", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test", ...options() })
      const { balance, refund, shop, whole } = yield* sold(service, { method: "alipay", amount: 100_000 })
      const before = yield* balance
      const first = (yield* refund({ amount: 400 })).body.data
      assert.deepInclude(first, { status: "pending", funds_frozen: true })
      yield* service.pass("10 minutes")
      assert.deepInclude((yield* shop.get(`/v1/refunds/${first.refund_no}`)).body.data, { status: "succeeded" })

      const second = (yield* refund({ amount: 500 })).body.data
      const rejected = (yield* shop.settle(second.refund_no, "failed")).body.data
      assert.deepInclude(rejected, {
        status: "failed",
        failure_reason: "the buyer's account cannot be credited"
      })
      assert.strictEqual((yield* shop.settle(second.refund_no, "succeeded")).status, 409)
      assert.strictEqual((yield* balance).available, before.available - 400)
      yield* whole
    })
  )

  it.live("a dispute is lost with its fee, won, or closed", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test", ...options() })
      for (const outcome of ["lost", "won", "closed"]) {
        const dispute = yield* disputed(service, {}, { amount: 100_000 })
        assert.deepInclude(dispute.opened, { status: "needs_response", funds_frozen: true })
        yield* dispute.resolve(outcome)
        const { fee, status } = yield* dispute.read
        assert.deepStrictEqual([status, fee], [outcome, outcome === "lost" ? 1_500 : null])
        const kept = 100_000 - feeOf(100_000)
        assert.strictEqual((yield* dispute.balance).available, outcome === "lost" ? kept - 101_500 : kept)
        yield* dispute.whole
      }
      const rows = yield* service.sql`select distinct channel from disputes`
      assert.deepStrictEqual(rows, [{ channel: name }])
    })
  )

  it.live("evidence goes to the bank, a concession is lost some seconds later, and silence after the deadline", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test", ...options() })
      const answered = yield* disputed(service)
      const reply = yield* answered.respond({ evidence: { customer_name: "A" }, submit: true })
      assert.deepInclude(reply.body.data, { status: "under_review", processor_status: "under_review" })
      const conceded = yield* disputed(service)
      assert.deepInclude((yield* conceded.accept()).body.data, { processor_status: "accepted" })
      const silent = yield* disputed(service)
      yield* service.pass("1 minute")
      assert.strictEqual((yield* conceded.read)["status"], "lost")
      yield* service.pass("10 days")
      assert.strictEqual((yield* silent.read)["status"], "lost")
      assert.strictEqual((yield* answered.read)["status"], "under_review")
      yield* answered.whole
    })
  )
})
