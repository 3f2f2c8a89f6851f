/**
 * What comes between an authorisation and its end: two requests at once, answers that are lost, a bank that is late,
 * refuses, acts by itself or is away (silences: O75). Retries after each kind of failure are in cluster/retries.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocking, dying } from "../../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import type { Reply } from "../../kit/Api.ts"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { type Options, start } from "../../kit/Service.ts"

const opened = (options: Options = {}) =>
  Effect.gen(function* () {
    const service = yield* start({ clock: "test", ...options })
    const shop = merchantOf(service)
    const { trade_no } = yield* shop.authorized(1_000)
    /** The order's end: its status, what the bank has of it, and all events, when nothing is to be done any more. */
    const ends = Effect.fnUntraced(function* (
      status: string,
      atBank: ReadonlyArray<unknown>,
      ...events: Array<string>
    ) {
      yield* service.atRest
      assert.strictEqual((yield* shop.order(trade_no))["status"], status)
      const rows = yield* service.sql`select state, amount::int as amount from sandbox_payments
        where trade_no = ${trade_no} order by payment_id`
      assert.deepStrictEqual(
        rows.map(({ amount, state }) => [state, amount]),
        atBank
      )
      assert.deepStrictEqual(yield* shop.events(trade_no), ["payment.authorized", ...events])
      const due = yield* service.sql`select 1 from orders where trade_no = ${trade_no} and hold_due_at is not null`
      assert.strictEqual(due.length, status === "authorized" ? 1 : 0)
      yield* assertLedgerWhole(service.sql)
    })
    return { service, shop, trade_no: trade_no as string, ends }
  })

const whyOf = ({ body, headers, status }: Reply) => [status, headers.get("coffer-reason") ?? body.data?.status]
const paidWith = ["payment.succeeded", "payment.captured"]

describe("a capture", () => {
  it.live("keeps a cancellation out while the channel is asked, and then the order is paid", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("HoldChannel.ask", "before")
      const { ends, shop, trade_no } = yield* opened({ faults: fault.layer })
      const first = yield* Effect.forkChild(shop.capture(trade_no, { amount: 600 }))
      yield* Deferred.await(fault.reached)
      assert.deepInclude(yield* shop.order(trade_no), { status: "authorized", capturing_amount: 600 })
      assert.deepStrictEqual(whyOf(yield* shop.expire(trade_no)), [409, "capturing"])
      assert.deepStrictEqual(whyOf(yield* shop.capture(trade_no, { amount: 500 })), [409, "capturing"])
      yield* fault.release
      assert.deepStrictEqual(whyOf(yield* Fiber.join(first)), [200, "paid"])
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("is kept out while the hold is being given up, and nothing is charged", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("HoldChannel.ask", "after")
      const { ends, shop, trade_no } = yield* opened({ faults: fault.layer })
      const first = yield* Effect.forkChild(shop.expire(trade_no))
      yield* Deferred.await(fault.reached)
      assert.deepStrictEqual(whyOf(yield* shop.capture(trade_no)), [409, "canceling"])
      yield* fault.release
      assert.deepStrictEqual(whyOf(yield* Fiber.join(first)), [200, "canceled"])
      yield* ends("canceled", [["released", 1_000]], "payment.canceled")
    })
  )

  it.live("is not needed to cancel an order that its buyer authorises while the channel is asked to close it", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("OrderChannel.cancel", "after")
      const { service, shop } = yield* opened({ faults: fault.layer })
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 1_000, capture: "manual" }))
      const closing = yield* Effect.forkChild(shop.expire(trade_no))
      yield* Deferred.await(fault.reached)
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/authorize`, {}))
      yield* fault.release
      assert.deepStrictEqual(whyOf(yield* Fiber.join(closing)), [200, "canceled"])
      yield* service.atRest
      assert.deepStrictEqual(yield* shop.events(trade_no), ["payment.authorized", "payment.canceled"])
    })
  )

  it.live("sent many times at once charges once: the same amount is answered alike, and others are refused", () =>
    Effect.gen(function* () {
      const { ends, shop, trade_no } = yield* opened()
      const amounts = [700, 700, 700, 600, 500]
      const replies = yield* Effect.forEach(amounts, (amount) => shop.capture(trade_no, { amount }), {
        concurrency: "unbounded"
      })
      const { captured_amount: captured } = yield* shop.order(trade_no)
      for (const [index, reply] of replies.entries()) {
        if (amounts[index] === captured) assert.deepInclude(reply.body.data, { captured_amount: captured })
        else assert.include(["capturing", "captured"], whyOf(reply)[1])
      }
      yield* ends("paid", [["succeeded", captured]], ...paidWith)
    })
  )

  it.live("that another request has joined is not taken back by its first one, which did not reach the bank", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("HoldChannel.ask", "before")
      const { ends, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      const first = yield* Effect.forkChild(shop.capture(trade_no, { amount: 600 }))
      yield* Deferred.await(fault.reached)
      yield* shop.reachable(false)
      const underWay = { status: "authorized", capturing_amount: 600 }
      assert.deepInclude(yield* said(shop.capture(trade_no, { amount: 600 })), underWay)
      yield* fault.release
      assert.deepInclude(yield* said(Fiber.join(first)), underWay)
      yield* shop.reachable(true)
      yield* service.pass("2 minutes")
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("whose answer is lost is asked again with the same key, and charged once", () =>
    Effect.gen(function* () {
      const fault = dying("HoldChannel.ask", "after")
      const { ends, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      assert.strictEqual((yield* shop.capture(trade_no, { amount: 600 })).status, 500)
      assert.deepInclude(yield* shop.order(trade_no), { status: "authorized", capturing_amount: 600 })
      yield* service.pass("1 minute")
      assert.strictEqual(fault.times("HoldChannel.ask"), 2)
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("that has begun is not overtaken by the end of the hold", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("HoldChannel.ask", "after")
      const { ends, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      const first = yield* Effect.forkChild(shop.capture(trade_no, { amount: 600 }))
      yield* Deferred.await(fault.reached)
      yield* service.pass("8 days")
      yield* fault.release
      yield* Fiber.join(first)
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("that the bank makes later is answered as under way, and told when it is done", () =>
    Effect.gen(function* () {
      const { ends, service, shop, trade_no } = yield* opened()
      yield* said(shop.bankCaptures(trade_no, { outcome: "late" }))
      const answered = yield* said(shop.capture(trade_no, { amount: 600 }))
      assert.deepInclude(answered, { status: "authorized", capturing_amount: 600, captured_amount: null })
      assert.deepStrictEqual(whyOf(yield* shop.expire(trade_no)), [409, "capturing"])
      yield* service.pass("10 seconds")
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("that the bank refuses is 502, and the order stays authorized: it may be canceled", () =>
    Effect.gen(function* () {
      const { ends, shop, trade_no } = yield* opened()
      yield* said(shop.bankCaptures(trade_no, { outcome: "refuse" }))
      const refused = yield* shop.capture(trade_no)
      assert.deepStrictEqual(whyOf(refused), [502, "capture_refused"])
      assert.match(refused.body.message, /does not confirm the amount; the order stays authorized/)
      assert.deepInclude(yield* shop.order(trade_no), { status: "authorized", capturing_amount: null })
      yield* said(shop.expire(trade_no))
      yield* ends("canceled", [["released", 1_000]], "payment.canceled")
    })
  )

  it.live("that the bank reports before its answer comes is recorded once; another amount than ours is told", () =>
    Effect.gen(function* () {
      for (const [amount, told] of [
        [600, [200, "paid"]],
        [1_000, [409, "captured"]]
      ] as const) {
        const fault = yield* blocking("HoldChannel.ask", "before")
        const { ends, shop, trade_no } = yield* opened({ faults: fault.layer })
        const first = yield* Effect.forkChild(shop.capture(trade_no, { amount }))
        yield* Deferred.await(fault.reached)
        assert.strictEqual((yield* said(shop.bankCaptures(trade_no, { amount: 600 })))["status"], "paid")
        yield* fault.release
        assert.deepStrictEqual(whyOf(yield* Fiber.join(first)), [...told])
        yield* ends("paid", [["succeeded", 600]], ...paidWith)
      }
    })
  )

  it.live("and a cancellation change nothing while the bank is away, and work when it is back", () =>
    Effect.gen(function* () {
      const { ends, service, shop, trade_no } = yield* opened()
      yield* shop.reachable(false)
      for (const call of [shop.capture(trade_no), shop.expire(trade_no)]) {
        assert.deepStrictEqual(whyOf(yield* call), [502, "channel_unanswered"])
        assert.deepInclude(yield* shop.order(trade_no), { status: "authorized", capturing_amount: null })
      }
      yield* service.pass("2 minutes")
      yield* ends("authorized", [["authorized", 1_000]])
      yield* shop.reachable(true)
      yield* said(shop.capture(trade_no))
      yield* ends("paid", [["succeeded", 1_000]], ...paidWith)
    })
  )
})

describe("a hold", () => {
  it.live("that ends while the bank is away is released once it is back", () =>
    Effect.gen(function* () {
      const { ends, service, shop, trade_no } = yield* opened()
      yield* shop.reachable(false)
      yield* service.pass("7 days")
      assert.strictEqual((yield* shop.order(trade_no))["status"], "authorized")
      assert.deepStrictEqual(whyOf(yield* shop.capture(trade_no)), [409, "canceling"])
      yield* shop.reachable(true)
      yield* service.pass("2 hours")
      yield* ends("expired", [["released", 1_000]], "payment.authorization_expired")
    })
  )

  it.live("that the bank gives up ends the order, and a capture is told that it has expired", () =>
    Effect.gen(function* () {
      const { ends, shop, trade_no } = yield* opened()
      assert.strictEqual((yield* said(shop.bankCaptures(trade_no, { outcome: "release" })))["status"], "expired")
      assert.deepStrictEqual(whyOf(yield* shop.capture(trade_no)), [409, "authorization_expired"])
      yield* ends("expired", [["released", 1_000]], "payment.authorization_expired")
    })
  )

  it.live("that was captured at the bank without a word is found by a cancellation, and the order is paid", () =>
    Effect.gen(function* () {
      const { ends, shop, trade_no } = yield* opened()
      yield* said(shop.bankCaptures(trade_no, { outcome: "succeed_unreported", amount: 600 }))
      assert.deepStrictEqual(whyOf(yield* shop.expire(trade_no)), [409, "just_paid"])
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("that was captured without a word is found at its end, too", () =>
    Effect.gen(function* () {
      const { ends, service, shop, trade_no } = yield* opened()
      yield* said(shop.bankCaptures(trade_no, { outcome: "succeed_unreported", amount: 600 }))
      yield* service.pass("7 days")
      yield* ends("paid", [["succeeded", 600]], ...paidWith)
    })
  )

  it.live("for an order that has ended, or that has one, is released at the bank, and no merchant hears of it", () =>
    Effect.gen(function* () {
      const { ends, service, shop, trade_no } = yield* opened()
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/authorize`, {}))
      yield* service.atRest
      const states = service.sql`select state from sandbox_payments where trade_no = ${trade_no} order by payment_id`
      assert.deepStrictEqual(
        (yield* states).map(({ state }) => state),
        ["authorized", "released"]
      )
      yield* said(shop.expire(trade_no))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, {}))
      const all = [
        ["released", 1_000],
        ["released", 1_000],
        ["released", 1_000]
      ]
      yield* ends("canceled", all, "payment.canceled")
      assert.deepStrictEqual(yield* shop.ledger(), [])
    })
  )

  it.live("that the bank has not reported is found when the order is closed, and given up with it", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened()
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 1_000, capture: "manual" }))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { outcome: "succeed_unreported" }))
      const expire = shop.post(`/v1/orders/${trade_no}/expire`, {}, { "Idempotency-Key": "close" })
      for (const time of ["the first time", "again"]) {
        assert.strictEqual((yield* said(expire))["status"], "canceled", time)
      }
      yield* service.atRest
      assert.deepStrictEqual(yield* shop.events(trade_no), ["payment.authorized", "payment.canceled"])
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("that comes later than the order's end is released, and the bank sends nothing back", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened()
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 1_000, capture: "manual" }))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { outcome: "succeed_unreported" }))
      // As a card does whose bank takes its time.
      yield* service.sql`update sandbox_payments set report_due_at = created_at + interval '5 seconds'
        where trade_no = ${trade_no}`
      yield* said(shop.expire(trade_no))
      yield* service.pass("1 minute")
      assert.deepStrictEqual(yield* shop.events(trade_no), ["payment.authorized", "payment.canceled"])
      assert.lengthOf(yield* service.sql`select 1 from sandbox_refunds`, 0)
    })
  )
})
