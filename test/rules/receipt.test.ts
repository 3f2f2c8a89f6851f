/** The order's receipt: who may ask for it, and how often (spec: Orders, send_receipt; silences: O20, O26). */
import { decide } from "@coffer/rules/order/decide"
import { evolve } from "@coffer/rules/order/evolve"
import { type Order, OrderCommand } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { facts, PaymentSucceeded, pendingOrder } from "../kit/fixtures.ts"

const { NumberReceipt, RequestReceipt } = OrderCommand.cases
const start = facts.paidAt
const paid = evolve(pendingOrder, PaymentSucceeded.make({ facts }))
const after = (order: Order, ...commands: ReadonlyArray<OrderCommand>) =>
  commands.reduce((state, command) => decide(state, command).events.reduce(evolve, state), order)
const request = (millis: number, save = false, address = "a@b.c") =>
  RequestReceipt.make({ at: DateTime.add(start, { milliseconds: millis }), mailId: `mail_${millis}`, address, save })
const hour = 3_600_000

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

  it("is asked for once when the same command arrives twice", () =>
    assert.lengthOf(after(paid, request(0), request(0)).receipt?.requestedAt ?? [], 1))
})
