/**
 * The order's rules: sentences for the interesting cases, the whole machine as tables, and laws over random commands.
 */
import { assert, describe, it } from "@effect/vitest"
import { ChannelName, PaymentId } from "@coffer/model/Ids"
import { paymentAttemptsMax } from "@coffer/model/Limits"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/order/decide"
import { failureOf, triesLeft } from "@coffer/rules/order/attempts"
import {
  Order,
  OrderCommand,
  type OrderEvent,
  type PaymentAttempt,
  type UnappliedPayment
} from "@coffer/rules/order/Order"
import { DateTime, Schema } from "effect"
import {
  AlreadyPaid,
  Annotate,
  CloseParked,
  BuyerBusy,
  Cancelled,
  CloseEarly,
  ConfirmPayment,
  ConfirmReturn,
  FailReturn,
  NoteDispute,
  NoteGivenBack,
  openDispute,
  createdAt,
  NoteAttempt,
  expiresAt,
  facts,
  FailPayment,
  OrderAnnotated,
  OrderExpired,
  AttemptNoted,
  declined,
  PaymentFailed,
  PaymentSucceeded,
  pendingOrder,
  ReachDeadline,
  RefundCompleted,
  RefundReserved,
  ReserveRefund,
  UnappliedPaymentFound,
  UnappliedPaymentReturned
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"
import { matrix } from "../kit/rules/Matrix.ts"

const order = given({ decide, evolve, initial: pendingOrder })

const another = { ...facts, paymentId: PaymentId.make("pay_2") }
const unappliedOf = (reason: UnappliedPayment["reason"], payment = another): UnappliedPayment => ({
  channel: payment.channel,
  paymentId: payment.paymentId,
  method: payment.method,
  amount: payment.amount,
  currency: payment.currency,
  reason,
  state: reason === "mismatch" ? "parked" : "due",
  paidAt: payment.paidAt
})

const pending = order()
const paid = order(PaymentSucceeded.make({ facts }))
const reserved = (amount: number, ...then: ReadonlyArray<OrderEvent>) =>
  order(PaymentSucceeded.make({ facts }), RefundReserved.make({ amount: Minor.make(amount) }), ...then)
const failed = order(PaymentFailed.make({ attempt: declined }))
const expired = order(OrderExpired.make({}))

describe("order: payment", () => {
  it("a confirmed payment makes a pending order paid", () =>
    pending.when(ConfirmPayment.make({ facts })).then(PaymentSucceeded.make({ facts })))

  it("a confirmation delivered twice is recorded once", () => paid.when(ConfirmPayment.make({ facts })).then())

  it("a second payment of a paid order goes back to the buyer", () =>
    paid
      .when(ConfirmPayment.make({ facts: another }))
      .then(UnappliedPaymentFound.make({ payment: unappliedOf("second") })))

  for (const [name, closed] of Object.entries({ expired, failed })) {
    it(`a payment after closure goes back to the buyer and the order stays ${name}`, () => {
      closed
        .when(ConfirmPayment.make({ facts: another }))
        .then(UnappliedPaymentFound.make({ payment: unappliedOf("late") }))
      assert.strictEqual(
        evolve(closed.state, UnappliedPaymentFound.make({ payment: unappliedOf("late") })).status,
        name
      )
    })
  }

  it("a late payment reported twice goes back once", () =>
    order(OrderExpired.make({}), UnappliedPaymentFound.make({ payment: unappliedOf("late") }))
      .when(ConfirmPayment.make({ facts: another }))
      .then())

  for (const [what, wrong] of [
    ["amount", { ...another, amount: Minor.make(9_99) }],
    ["currency", { ...another, currency: "HKD" as const }]
  ] as const) {
    it(`a payment whose ${what} differs from the order's is not credited but parked`, () =>
      pending
        .when(ConfirmPayment.make({ facts: wrong }))
        .then(UnappliedPaymentFound.make({ payment: unappliedOf("mismatch", wrong) })))
  }

  it("a declined attempt leaves the order pending, however many were, and is noted once", () => {
    const attempt = (no: number) => ({ ...declined, id: `pay_${no}` })
    const after = (times: number) =>
      order(...Array.from({ length: times }, (_, no) => AttemptNoted.make({ attempt: attempt(no) })))
    for (const times of [0, 9, 10, 100]) {
      const next = attempt(times)
      after(times)
        .when(NoteAttempt.make({ attempt: next }))
        .then(AttemptNoted.make({ attempt: next }))
    }
    after(2)
      .when(NoteAttempt.make({ attempt: attempt(0) }))
      .then()
    const elsewhere = { ...attempt(0), channel: ChannelName.make("another") }
    after(1)
      .when(NoteAttempt.make({ attempt: elsewhere }))
      .then(AttemptNoted.make({ attempt: elsewhere }))
    assert.strictEqual(after(100).state.attempts?.length, paymentAttemptsMax)
  })

  it("an attempt that is reported late is recorded in its place by time, and its reason is not the last", () => {
    const early = { ...declined, id: "pay_early", reason: "expired_card", at: createdAt }
    const { state } = order(AttemptNoted.make({ attempt: declined }), AttemptNoted.make({ attempt: early }))
    assert.deepStrictEqual(
      state.attempts?.map(({ id }) => id),
      [early.id, declined.id]
    )
    assert.strictEqual(failureOf(state), declined.reason)
    const last = { ...declined, id: "pay_last", reason: "lost_card" }
    assert.strictEqual(failureOf(evolve(state, AttemptNoted.make({ attempt: last }))), last.reason)
    for (const none of [pending.state, { ...pending.state, attempts: [] }]) assert.isNull(failureOf(none))
    paid.when(NoteAttempt.make({ attempt: early })).then(AttemptNoted.make({ attempt: early }))
    assert.isNull(failureOf(evolve(paid.state, AttemptNoted.make({ attempt: early }))))
  })

  it("only refusals of the bank within ten minutes count towards its pause", () => {
    const each = (no: number, more: Partial<PaymentAttempt>) =>
      AttemptNoted.make({ attempt: { ...declined, id: `pay_${no}`, ...more } })
    const { state } = order(
      each(1, {}),
      each(2, { outcome: "cancelled" }),
      each(3, { outcome: "failed" }),
      each(4, { at: DateTime.subtract(declined.at, { minutes: 11 }) }),
      each(5, {})
    )
    assert.strictEqual(state.declines, 3)
    assert.strictEqual(triesLeft(state, declined.at), 8)
  })

  it("a payment taken back causes one event", () => {
    const late = order(OrderExpired.make({}), UnappliedPaymentFound.make({ payment: unappliedOf("late") }))
    const { paymentId } = another
    late.when(ConfirmReturn.make({ paymentId })).then(UnappliedPaymentReturned.make({ paymentId }))
    order(
      OrderExpired.make({}),
      UnappliedPaymentFound.make({ payment: unappliedOf("late") }),
      UnappliedPaymentReturned.make({ paymentId })
    )
      .when(ConfirmReturn.make({ paymentId }))
      .then()
  })
})

describe("order: deadline", () => {
  const reached = (
    now: DateTime.Utc,
    answer: typeof Cancelled.Type | typeof BuyerBusy.Type | typeof AlreadyPaid.Type
  ) => pending.when(ReachDeadline.make({ now, answer }))

  it("expires at the deadline, not after it", () => reached(expiresAt, Cancelled.make({})).then(OrderExpired.make({})))

  it("does not expire one millisecond early", () =>
    reached(DateTime.subtract(expiresAt, { milliseconds: 1 }), Cancelled.make({})).then())

  it("is paid when the channel has unreported money", () =>
    reached(expiresAt, AlreadyPaid.make({ facts })).then(PaymentSucceeded.make({ facts })))

  it("waits while the buyer is at the channel", () => reached(expiresAt, BuyerBusy.make({})).then())

  it("expires, and parks the money, when what was paid is not what was asked", () => {
    const wrong = { ...another, amount: Minor.make(1) }
    reached(expiresAt, AlreadyPaid.make({ facts: wrong })).then(
      UnappliedPaymentFound.make({ payment: unappliedOf("mismatch", wrong) }),
      OrderExpired.make({})
    )
  })
})

describe("order: early closure", () => {
  it("closes when the channel confirms the buyer has not paid", () =>
    pending.when(CloseEarly.make({ answer: Cancelled.make({}) })).then(OrderExpired.make({})))

  it("refuses, and credits the order, when the buyer has just paid", () =>
    pending
      .when(CloseEarly.make({ answer: AlreadyPaid.make({ facts }) }))
      .thenRefused("just_paid", PaymentSucceeded.make({ facts })))

  it("refuses, and does not call the order paid, when what arrived is not what was asked: now, and each time after", () => {
    const wrong = { ...another, amount: Minor.make(1) }
    const close = CloseEarly.make({ answer: AlreadyPaid.make({ facts: wrong }) })
    const parked = UnappliedPaymentFound.make({ payment: unappliedOf("mismatch", wrong) })
    pending.when(close).thenRefused("other_payment", parked)
    order(parked).when(close).thenRefused("other_payment")
  })

  it("refuses while the buyer is in 3DS", () =>
    pending.when(CloseEarly.make({ answer: BuyerBusy.make({}) })).thenRefused("buyer_busy"))

  it("is idempotent on an expired order", () => expired.when(CloseEarly.make({ answer: Cancelled.make({}) })).then())
})

describe("order: notes", () => {
  it("keys sent are written, keys sent as null are deleted, other keys stay", () =>
    order(OrderAnnotated.make({ metadata: { a: "1", b: "2" }, receiptEmail: "a@b.c" }))
      .when(Annotate.make({ metadata: { b: null, c: "" } }))
      .then(OrderAnnotated.make({ metadata: { a: "1", c: "" }, receiptEmail: "a@b.c" })))

  it("a receipt's address that is sent is written, and null deletes it", () => {
    const noted = order(OrderAnnotated.make({ metadata: { a: "1" }, receiptEmail: "a@b.c" }))
    noted
      .when(Annotate.make({ receiptEmail: "new@b.c" }))
      .then(OrderAnnotated.make({ metadata: { a: "1" }, receiptEmail: "new@b.c" }))
    noted
      .when(Annotate.make({ receiptEmail: null }))
      .then(OrderAnnotated.make({ metadata: { a: "1" }, receiptEmail: null }))
  })

  it("null for the whole clears the metadata, and keeps what the service wrote", () =>
    order(OrderAnnotated.make({ metadata: { a: "1", svc_payment_link: "plink_1" }, receiptEmail: null }))
      .when(Annotate.make({ metadata: null }))
      .then(OrderAnnotated.make({ metadata: { svc_payment_link: "plink_1" }, receiptEmail: null })))

  it("refuses what together with an update that came first has more than 50 keys", () => {
    const keys = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, ""]))
    order(OrderAnnotated.make({ metadata: keys("a", 30), receiptEmail: null }))
      .when(Annotate.make({ metadata: keys("b", 21) }))
      .thenRefused("too_many_keys")
  })
})

describe("order: status by command", () => {
  const refunded = reserved(10_00, RefundCompleted.make({ amount: facts.amount })).state
  const partly = reserved(1, RefundCompleted.make({ amount: Minor.make(1) })).state
  const table = matrix(`
    status             | ConfirmPayment    | NoteAttempt  | FailPayment   | ReachDeadline | CloseEarly      | ConfirmReturn | FailReturn | NoteDispute | NoteGivenBack | CloseParked    | Annotate
    pending            | PaymentSucceeded  | AttemptNoted | PaymentFailed | OrderExpired  | OrderExpired    | -             | -          | -           | -             | 409 not_parked | OrderAnnotated
    paid               | UnappliedPaymentFound | AttemptNoted| AttemptNoted | -             | 409 not_pending | -             | -          | -           | -             | 409 not_parked | OrderAnnotated
    partially_refunded | UnappliedPaymentFound | AttemptNoted| AttemptNoted | -             | 409 not_pending | -             | -          | -           | -             | 409 not_parked | OrderAnnotated
    refunded           | UnappliedPaymentFound | AttemptNoted| AttemptNoted | -             | 409 not_pending | -             | -          | -           | -             | 409 not_parked | OrderAnnotated
    failed             | UnappliedPaymentFound | AttemptNoted| AttemptNoted | -             | 409 not_pending | -             | -          | -           | -             | 409 not_parked | OrderAnnotated
    expired            | UnappliedPaymentFound | AttemptNoted| AttemptNoted | -             | -               | -             | -          | -           | -             | 409 not_parked | OrderAnnotated
  `)
  const back = matrix(`
    status             | ReserveRefund    | CompleteRefund  | ReleaseRefund  | ReverseRefund  | OpenDispute   | CloseDispute  | RegainDispute
    pending            | 409 not_paid     | 409 not_paid    | 409 not_paid   | 409 not_paid   | 409 not_paid  | 409 not_paid  | 409 not_paid
    paid               | RefundReserved   | 409 not_promised | 409 not_promised | 409 not_promised | DisputeOpened | 409 not_promised | 409 not_promised
    partially_refunded | RefundReserved   | 409 not_promised | 409 not_promised | RefundReversed | DisputeOpened | 409 not_promised | 409 not_promised
    refunded           | 409 nothing_left | 409 not_promised | 409 not_promised | RefundReversed | DisputeOpened | 409 not_promised | 409 not_promised
    failed             | 409 not_paid     | 409 not_paid    | 409 not_paid   | 409 not_paid   | 409 not_paid  | 409 not_paid  | 409 not_paid
    expired            | 409 not_paid     | 409 not_paid    | 409 not_paid   | 409 not_paid   | 409 not_paid  | 409 not_paid  | 409 not_paid
  `)
  const receipts = matrix(`
    status             | TakeBuyersAddress  | NumberReceipt   | RequestReceipt   | ConfirmReceiptSent | FailReceipt
    pending            | BuyersAddressTaken | 409 no_receipt  | 409 no_receipt   | 409 no_receipt     | 409 no_receipt
    paid               | -                  | ReceiptNumbered | ReceiptRequested | ReceiptSent        | ReceiptFailed
    partially_refunded | -                  | ReceiptNumbered | ReceiptRequested | ReceiptSent        | ReceiptFailed
    refunded           | -                  | ReceiptNumbered | ReceiptRequested | ReceiptSent        | ReceiptFailed
    failed             | -                  | 409 no_receipt  | 409 no_receipt   | 409 no_receipt     | 409 no_receipt
    expired            | -                  | 409 no_receipt  | 409 no_receipt   | 409 no_receipt     | 409 no_receipt
  `)
  const states: Record<Order["status"], Order> = {
    pending: pending.state,
    paid: paid.state,
    partially_refunded: partly,
    refunded,
    failed: failed.state,
    expired: expired.state
  }
  const commands: Record<OrderCommand["_tag"], OrderCommand> = {
    ConfirmPayment: ConfirmPayment.make({ facts: another }),
    NoteAttempt: NoteAttempt.make({ attempt: { ...declined, id: "pay_other" } }),
    FailPayment: FailPayment.make({ attempt: { ...declined, id: "pay_other" } }),
    ReachDeadline: ReachDeadline.make({ now: expiresAt, answer: Cancelled.make({}) }),
    CloseEarly: CloseEarly.make({ answer: Cancelled.make({}) }),
    ConfirmReturn: ConfirmReturn.make({ paymentId: another.paymentId }),
    FailReturn: FailReturn.make({ paymentId: another.paymentId, problem: "lost", wasTaken: true }),
    NoteDispute: NoteDispute.make({ paymentId: another.paymentId, dispute: openDispute }),
    NoteGivenBack: NoteGivenBack.make({ paymentId: another.paymentId, left: Minor.make(0) }),
    CloseParked: CloseParked.make({ paymentId: another.paymentId, note: "given back" }),
    Annotate: Annotate.make({ metadata: { a: "1" } }),
    TakeBuyersAddress: OrderCommand.cases.TakeBuyersAddress.make({ address: "a@b.c" }),
    NumberReceipt: OrderCommand.cases.NumberReceipt.make({ number: "RCP-202601-0001" }),
    RequestReceipt: OrderCommand.cases.RequestReceipt.make({
      at: createdAt,
      mailId: "m",
      address: "a@b.c",
      save: false
    }),
    ConfirmReceiptSent: OrderCommand.cases.ConfirmReceiptSent.make({ at: createdAt }),
    FailReceipt: OrderCommand.cases.FailReceipt.make({ reason: "no such user" }),
    ReserveRefund: ReserveRefund.make({ amount: Minor.make(1), whole: false, now: createdAt }),
    CompleteRefund: OrderCommand.cases.CompleteRefund.make({ amount: Minor.make(1) }),
    ReleaseRefund: OrderCommand.cases.ReleaseRefund.make({ amount: Minor.make(1) }),
    ReverseRefund: OrderCommand.cases.ReverseRefund.make({ amount: Minor.make(1) }),
    OpenDispute: OrderCommand.cases.OpenDispute.make({}),
    CloseDispute: OrderCommand.cases.CloseDispute.make({ lost: Minor.make(0) }),
    RegainDispute: OrderCommand.cases.RegainDispute.make({ amount: Minor.make(1) })
  }

  it("has a row for every status and a column for every command", () => {
    for (const { cells, columns, rows } of [table, back, receipts]) {
      assert.sameMembers(rows, [...Order.discriminants])
      assert.strictEqual(cells.length, rows.length * columns.length)
    }
    assert.sameMembers([...table.columns, ...back.columns, ...receipts.columns], Object.keys(OrderCommand.cases))
  })

  for (const { column, expected, row } of [...table.cells, ...back.cells, ...receipts.cells]) {
    it(`${row} × ${column} → ${expected}`, () => {
      const { events, refusal } = decide(states[row as Order["status"]], commands[column as OrderCommand["_tag"]])
      const recorded = events.map((event) => event._tag).join("+")
      assert.strictEqual(refusal === undefined ? recorded || "-" : `409 ${refusal.reason}`, expected)
    })
  }
})

describe("order: laws", () => {
  const step = (state: Order, command: OrderCommand) => decide(state, command).events.reduce(evolve, state)

  it.prop("whatever happens, every fact applies and the terms stay", [Schema.Array(OrderCommand)], ([commands]) => {
    const last = commands.reduce(step, pendingOrder)
    assert.strictEqual(last.amount, pendingOrder.amount)
    assert.strictEqual(last.tradeNo, pendingOrder.tradeNo)
    assert.deepStrictEqual(last.createdAt, createdAt)
  })

  it.prop("a command taken twice records nothing new the second time, but for notes", [OrderCommand], ([command]) => {
    if (command._tag === "Annotate") return
    const once = step(pendingOrder, command)
    assert.deepStrictEqual(decide(once, command).events, [])
  })

  it("evolve throws on a fact that cannot follow", () => {
    assert.throws(() => evolve(paid.state, OrderExpired.make({})), "OrderExpired cannot follow paid")
    const refund = RefundReserved.make({ amount: Minor.make(1) })
    assert.throws(() => evolve(pendingOrder, refund), `RefundReserved cannot follow pending (${pendingOrder.tradeNo})`)
  })
})
