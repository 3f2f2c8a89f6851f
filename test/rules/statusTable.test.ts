/** The table that the console shows says what the order's rules decide. */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/order/decide"
import { statusOf } from "@coffer/rules/order/Hold"
import { type Order, OrderCommand } from "@coffer/rules/order/Order"
import {
  type Cell,
  commandOf,
  type MerchantCommand,
  merchantCommands,
  orderStatuses,
  statusTable
} from "@coffer/rules/order/statusTable"
import {
  Annotate,
  Cancelled,
  CloseEarly,
  ConfirmPayment,
  createdAt,
  facts,
  heldOrder,
  HoldReleased,
  holdStep,
  OrderExpired,
  PaymentFailed,
  PaymentSucceeded,
  pendingOrder,
  RefundCompleted,
  RefundReserved,
  ReserveRefund,
  declined
} from "../kit/rules/fixtures.ts"

const paid = evolve(pendingOrder, PaymentSucceeded.make({ facts }))
const refunded = (amount: number) =>
  evolve(
    evolve(paid, RefundReserved.make({ amount: Minor.make(amount) })),
    RefundCompleted.make({ amount: Minor.make(amount) })
  )

const orders: Readonly<Record<(typeof orderStatuses)[number], Order>> = {
  pending: pendingOrder,
  paid,
  partially_refunded: refunded(400),
  refunded: refunded(1000),
  failed: evolve(pendingOrder, PaymentFailed.make({ attempt: declined })),
  expired: evolve(pendingOrder, OrderExpired.make({})),
  authorized: heldOrder,
  canceled: evolve(heldOrder, HoldReleased.make({ release: "canceled" }))
}

const second = { ...facts, paymentId: "pay_2" as typeof facts.paymentId }
const commands: Readonly<Record<MerchantCommand, OrderCommand>> = {
  pay: ConfirmPayment.make({ facts: second }),
  capture: holdStep({ _tag: "AskCapture", key: "cap_1", amount: Minor.make(1000), now: createdAt }),
  expire: CloseEarly.make({ answer: Cancelled.make({}) }),
  refund: ReserveRefund.make({ amount: Minor.make(100), now: createdAt, whole: false }),
  receipt: OrderCommand.cases.RequestReceipt.make({
    address: "reader@example.com",
    at: createdAt,
    mailId: "mail_1",
    save: false
  }),
  update: Annotate.make({ metadata: { shelf: "A7" } })
}

/** What the merchant's request becomes: an authorized order is not closed at the channel, its hold is released. */
const sentFor = (order: Order, command: OrderCommand): OrderCommand =>
  statusOf(order) === "authorized" && command._tag === "CloseEarly"
    ? holdStep({ _tag: "AskRelease", key: "rel_1", release: "canceled", now: createdAt })
    : command

const cellOf = (order: Order, command: OrderCommand): Cell => {
  const { events, refusal } = decide(order, sentFor(order, command)) as {
    readonly events: ReadonlyArray<{ readonly _tag: string }>
    readonly refusal?: { readonly reason: Cell; readonly hold?: Cell }
  }
  if (refusal !== undefined) return refusal.hold ?? refusal.reason
  if (events.some(({ _tag }) => _tag === "UnappliedPaymentFound")) return "returned"
  return events.length === 0 ? "unchanged" : "done"
}

describe("the table of an order's statuses", () => {
  for (const status of orderStatuses) {
    it(`says of ${status} what the rules decide`, () => {
      assert.strictEqual(statusOf(orders[status]), status)
      for (const command of merchantCommands) {
        assert.strictEqual(statusTable[command][status], cellOf(orders[status], commands[command]), command)
      }
    })
  }

  it("finds the command of a call by its path, and none for a path that is not in it", () => {
    const found = [
      "/v1/refunds",
      "/v1/orders/TRD_1/expire",
      "/v1/orders/TRD_1/capture",
      "/v1/orders/cart%2F1/send_receipt",
      "/v1/orders/TRD_1",
      "/v1/test_helpers/orders/TRD_1/pay",
      "/v1/test_helpers/orders/TRD_1/dispute",
      "/v1/orders",
      "/v1/disputes/dsp_1/accept"
    ].map(commandOf)
    assert.deepStrictEqual(found, [
      "refund",
      "expire",
      "capture",
      "receipt",
      "update",
      "pay",
      undefined,
      undefined,
      undefined
    ])
  })
})
