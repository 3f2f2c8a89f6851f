/** The order's receipt: who may ask for it, and how often (spec: Orders, send_receipt; silences: O20, O26). */
import { OutTradeNo } from "@coffer/model/Ids"
import { accept } from "@coffer/rules/Decision"
import { decide, evolve } from "@coffer/rules/order/decide"
import { type Order, OrderCommand } from "@coffer/rules/order/Order"
import { shopsNumber } from "@coffer/rules/order/receipt"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { facts, PaymentSucceeded, pendingOrder } from "../kit/rules/fixtures.ts"

const { Annotate, ConfirmReceiptSent, FailReceipt, NumberReceipt, RequestReceipt, TakeBuyersAddress } =
  OrderCommand.cases
const start = facts.paidAt
const paid = evolve(pendingOrder, PaymentSucceeded.make({ facts }))
const after = (order: Order, ...commands: ReadonlyArray<OrderCommand>) =>
  commands.reduce((state, command) => decide(state, command).events.reduce(evolve, state), order)
const request = (millis: number, save = false, address = "a@b.c", mailId = `mail_${millis}`) =>
  RequestReceipt.make({ at: DateTime.add(start, { milliseconds: millis }), mailId, address, save })
const hour = 3_600_000

describe("a buyer", () => {
  it("reads the merchant's number of an order, and none that was made by us or by a payment link", () => {
    const named = (outTradeNo: string) => shopsNumber({ ...paid, outTradeNo: OutTradeNo.make(outTradeNo) })
    assert.strictEqual(named("cart-4711"), "cart-4711")
    assert.isUndefined(named(paid.tradeNo))
    assert.isUndefined(named("plink_01M8C77W0G6FT6DYJEZK2D70S0_1"))
  })
})

describe("receipt", () => {
  it("keeps the number that it got first", () => {
    const numbered = after(paid, NumberReceipt.make({ number: "RCP-1" }), NumberReceipt.make({ number: "RCP-2" }))
    assert.strictEqual(numbered.receipt?.number, "RCP-1")
  })

  it("is sent five times within any hour, and the sixth time once the first is an hour ago", () => {
    const five = after(paid, ...[0, 1, 2, 3, 4].map((millis) => request(millis)))
    assert.strictEqual(decide(five, request(hour - 1)).refusal?._tag, "OrderConflict")
    assert.isUndefined(decide(five, request(hour)).refusal)
    assert.lengthOf(after(five, request(hour)).receipt?.requestedAt ?? [], 5)
  })

  it("goes to the order's address from then on when an address was given, and only then", () => {
    assert.strictEqual(after(paid, request(0, true, "new@b.c")).receiptEmail, "new@b.c")
    assert.isNull(after(paid, request(0, false, "old@b.c")).receiptEmail)
  })

  it("is asked for once when the same command arrives twice, also after the five of the hour", () => {
    assert.lengthOf(after(paid, request(0), request(0)).receipt?.requestedAt ?? [], 1)
    const five = after(paid, ...[0, 1, 2, 3, 4].map((millis) => request(millis)))
    for (const millis of [0, 4]) assert.deepStrictEqual(decide(five, request(millis)), accept())
  })

  it("is asked for twice when two requests come in one millisecond", () => {
    const both = after(paid, request(0, true, "one@b.c", "mail_A"), request(0, true, "other@b.c", "mail_B"))
    assert.lengthOf(both.receipt?.requestedAt ?? [], 2)
    assert.strictEqual(both.receiptEmail, "other@b.c")
  })

  it("goes where the buyer says while nothing is paid, if the merchant did not say", () => {
    const take = (address: string) => TakeBuyersAddress.make({ address })
    const first = after(pendingOrder, take("buyer@b.c"))
    assert.strictEqual(first.receiptEmail, "buyer@b.c")
    assert.strictEqual(after(first, take("other@b.c")).receiptEmail, "other@b.c")
    assert.deepStrictEqual(decide(first, take("buyer@b.c")), accept())
    const merchants = after(first, Annotate.make({ receiptEmail: "shop@b.c" }))
    assert.deepStrictEqual(decide(merchants, take("other@b.c")), accept())
    assert.deepStrictEqual(decide(paid, take("buyer@b.c")), accept())
    assert.strictEqual(
      after(first, Annotate.make({ metadata: { a: "1" } }), take("other@b.c")).receiptEmail,
      "other@b.c"
    )
  })

  it("of an older version, without numbers, still counts its requests", () => {
    const requestedAt = [0, 1, 2, 3, 4].map((millis) => request(millis).at)
    const old: Order = { ...paid, receipt: { number: null, sentAt: null, requestedAt } }
    assert.strictEqual(decide(old, request(5)).refusal?._tag, "OrderConflict")
  })

  it("says when the last mail was taken, however the reports of two mails come", () => {
    const sent = (millis: number) => ConfirmReceiptSent.make({ at: DateTime.add(start, { milliseconds: millis }) })
    for (const order of [after(paid, sent(5), sent(0)), after(paid, sent(0), sent(5))]) {
      assert.deepStrictEqual(order.receipt?.sentAt, DateTime.add(start, { milliseconds: 5 }))
    }
    assert.lengthOf(decide(after(paid, sent(5)), sent(5)).events, 1, "the mail's own row is written with each")
  })

  it("begins with nothing but what is said of it", () => {
    const empty = { number: null, sentAt: null, requestedAt: [] }
    assert.deepStrictEqual(after(paid, NumberReceipt.make({ number: "RCP-1" })).receipt, { ...empty, number: "RCP-1" })
    const { at } = request(0)
    assert.deepStrictEqual(after(paid, request(0)).receipt, { ...empty, requestedAt: [at], mailIds: ["mail_0"] })
    assert.deepStrictEqual(after(paid, FailReceipt.make({ reason: "full" })).receipt, { ...empty, failure: "full" })
  })

  it("keeps its requests when it gets its number, and its number when a mail fails", () => {
    const numbered = after(paid, request(0), NumberReceipt.make({ number: "RCP-1" }))
    const failed = after(numbered, FailReceipt.make({ reason: "no such user" }))
    const { at } = request(0)
    const kept = { number: "RCP-1", sentAt: null, requestedAt: [at], mailIds: ["mail_0"] }
    assert.deepStrictEqual(numbered.receipt, kept)
    assert.deepStrictEqual(failed.receipt, { ...kept, failure: "no such user" })
  })

  it("says why the last mail failed until another is asked for or taken", () => {
    const failed = after(paid, FailReceipt.make({ reason: "full" }))
    assert.isFalse("failure" in after(failed, request(0)).receipt!)
    assert.isFalse("failure" in after(failed, ConfirmReceiptSent.make({ at: start })).receipt!)
  })

  it("remembers the last five mails", () => {
    const seven = [0, 1, 2, 3, 4, 5, 6].map((count) => request(count * hour))
    assert.deepStrictEqual(
      after(paid, ...seven).receipt?.mailIds,
      seven.slice(2).map(({ mailId }) => mailId)
    )
  })
})
