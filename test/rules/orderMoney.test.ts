/** The movements and events of the facts of an order. */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { consequences, decide, evolve } from "@coffer/rules/order/decide"
import { OrderEvent } from "@coffer/rules/order/Order"
import {
  DisputeClosed,
  DisputeOpened,
  DisputeRegained,
  facts,
  OrderAnnotated,
  OrderExpired,
  AttemptNoted,
  PaymentFailed,
  PaymentSucceeded,
  pendingOrder,
  RefundCompleted,
  RefundReleased,
  RefundReserved,
  RefundReversed,
  UnappliedPaymentFound,
  UnappliedPaymentNoted,
  UnappliedPaymentParked,
  UnappliedPaymentReturned,
  declined
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"

const paid = given({ decide, evolve, initial: pendingOrder })(PaymentSucceeded.make({ facts }))

const nothing = { movements: [], reserve: 0, order: undefined, announced: undefined }

describe("order: what a fact moves", () => {
  it("a payment is two rows, the whole amount in and the fee out, and is announced", () => {
    const {
      announced,
      movements,
      order: command,
      reserve
    } = consequences(pendingOrder, PaymentSucceeded.make({ facts }))
    assert.deepStrictEqual([announced, command, reserve], ["payment.succeeded", undefined, 0])
    assert.deepStrictEqual(
      movements.map(({ amount, referenceId, type }) => [type, amount, referenceId]),
      [
        ["payment_credit", 10_00, pendingOrder.tradeNo],
        ["fee_debit", -59, pendingOrder.tradeNo]
      ]
    )
  })

  it("a fee of 0 is 0 and not minus zero", () => {
    const free = PaymentSucceeded.make({ facts: { ...facts, fee: Minor.make(0) } })
    assert.isTrue(Object.is(consequences(pendingOrder, free).movements[1]!.amount, 0))
  })

  it("the rows of a payment say what they are of", () => {
    const { movements } = consequences(pendingOrder, PaymentSucceeded.make({ facts }))
    assert.deepStrictEqual(
      movements.map(({ description }) => description),
      [`Payment of order ${pendingOrder.tradeNo}`, `Acquiring fee of order ${pendingOrder.tradeNo}`]
    )
  })

  it("an end without a payment, and the return of an unapplied one, are announced and move nothing", () => {
    const { paymentId } = facts
    for (const [fact, announced] of [
      [PaymentFailed.make({ attempt: declined }), "payment.failed"],
      [OrderExpired.make({}), "payment.expired"],
      [UnappliedPaymentReturned.make({ paymentId }), "payment.duplicate_refunded"]
    ] as const) {
      assert.deepStrictEqual(consequences(pendingOrder, fact), { ...nothing, announced })
    }
  })

  it("notes, receipts and unapplied payments move nothing and cause no event", () => {
    const { amount, channel, currency, method, paymentId } = facts
    const payment = { channel, paymentId, method, amount, currency, reason: "late", state: "due" } as const
    const [at, mailId, address] = [facts.paidAt, "mail", "a@b.c"]
    for (const fact of [
      AttemptNoted.make({ attempt: declined }),
      UnappliedPaymentFound.make({ payment }),
      UnappliedPaymentParked.make({ payment }),
      UnappliedPaymentNoted.make({ payment }),
      OrderAnnotated.make({ metadata: {}, receiptEmail: null }),
      OrderEvent.cases.ReceiptNumbered.make({ number: "RCP-1" }),
      OrderEvent.cases.ReceiptRequested.make({ at, mailId, address, save: false }),
      OrderEvent.cases.ReceiptSent.make({ at }),
      OrderEvent.cases.ReceiptFailed.make({ reason: "full" })
    ]) {
      assert.deepStrictEqual(consequences(pendingOrder, fact), nothing, fact._tag)
    }
  })

  it("the order's half of a refund or a dispute moves nothing: the other half does", () => {
    const amount = Minor.make(1)
    for (const fact of [
      RefundReserved.make({ amount }),
      RefundCompleted.make({ amount }),
      RefundReleased.make({ amount }),
      RefundReversed.make({ amount }),
      DisputeOpened.make({}),
      DisputeClosed.make({ lost: amount }),
      DisputeRegained.make({ amount })
    ]) {
      assert.deepStrictEqual(consequences(paid.state, fact), nothing, fact._tag)
    }
  })
})
