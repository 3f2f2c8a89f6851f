/**
 * Produces each type of event in the sandbox by the real flow, as a buyer, a bank and a merchant's server would (spec:
 * Events). Each step is reported.
 */
import type { EventType } from "@coffer/model/EventType"
import { Effect } from "effect"
import type { Dispute, Order } from "../../sdk/src/index.ts"
import type { CliFailure } from "./CliFailure.ts"
import type { Client } from "./client.ts"
import { money } from "./output.ts"

export interface Stage {
  readonly client: Client
  /** The order to use, by one of its numbers; undefined for a new one. */
  readonly ref?: string | undefined
  /** Reports a finished step. */
  readonly tell: (step: string) => Effect.Effect<void>
}

/** The number of the event's object. */
type Flow = (stage: Stage) => Effect.Effect<string, CliFailure>

const amount = 1_999

const order = Effect.fnUntraced(function* ({ client, ref, tell }: Stage, more: { readonly capture?: "manual" } = {}) {
  if (ref !== undefined) {
    const found = yield* client.ask((coffer) => coffer.orders.get(ref))
    yield* tell(`using order ${found.trade_no} of ${money(found.amount, found.currency)}: ${found.status}`)
    return found
  }
  const made = yield* client.ask((coffer) => coffer.orders.create({ amount, subject: "coffer trigger", ...more }))
  yield* tell(`created order ${made.trade_no} of ${money(amount, made.currency)}`)
  return made
})

type Paying = NonNullable<Parameters<Client["coffer"]["testHelpers"]["orders"]["pay"]>[1]>

const pay = Effect.fnUntraced(function* ({ client, tell }: Stage, { trade_no }: Order, how: Paying = {}) {
  const after = yield* client.ask((coffer) => coffer.testHelpers.orders.pay(trade_no, how))
  const by = how.payment_method === undefined ? "" : ` by ${how.payment_method}`
  yield* tell(how.outcome === "fail" ? "the buyer's payment failed" : `the buyer paid${by}`)
  return after
})

/** An order that is already paid is used unchanged. */
const payOrder = (stage: Stage, how?: Paying) =>
  Effect.flatMap(order(stage), (made) =>
    how?.outcome === undefined && /^(paid|partially_refunded)$/.test(made.status)
      ? Effect.succeed(made)
      : pay(stage, made, how)
  )

const expireOrder = Effect.fnUntraced(function* (stage: Stage) {
  const { trade_no } = yield* order(stage)
  const closed = yield* stage.client.ask((coffer) => coffer.orders.expire(trade_no))
  yield* stage.tell("expired the order before payment")
  return closed
})

const refund = Effect.fnUntraced(function* ({ client, tell }: Stage, { amount, currency, trade_no }: Order) {
  const part = Math.min(500, amount)
  const made = yield* client.ask((coffer) => coffer.refunds.create({ trade_no, amount: part }))
  yield* tell(`requested refund ${made.refund_no} of ${money(part, currency)}: ${made.status}`)
  return made
})

/** The buyer's bank settles a pending refund. */
const settleRefund = Effect.fnUntraced(function* (
  { client, tell }: Stage,
  refundNo: string,
  outcome: "failed" | "succeeded"
) {
  yield* client.ask((coffer) => coffer.testHelpers.refunds.settle(refundNo, { outcome }))
  yield* tell(outcome === "failed" ? "the buyer's bank rejected the refund" : "the buyer's bank confirmed the refund")
})

const dispute = Effect.fnUntraced(function* (stage: Stage) {
  const { trade_no } = yield* payOrder(stage)
  const made = yield* stage.client.ask((coffer) =>
    coffer.testHelpers.orders.dispute(trade_no, { reason: "fraudulent" })
  )
  yield* stage.tell(`the buyer's bank opened dispute ${made.dispute_no}`)
  return made
})

const answerDispute = Effect.fnUntraced(function* (stage: Stage) {
  const made = yield* dispute(stage)
  const evidence = { customer_name: "A. Buyer", product_description: "Two books" }
  yield* stage.client.ask((coffer) => coffer.disputes.submitEvidence(made.dispute_no, { evidence, submit: true }))
  yield* stage.tell("submitted evidence")
  return made
})

const decideDispute = (outcome: "closed" | "lost" | "won", sentence: string) =>
  Effect.fnUntraced(function* ({ client, tell }: Stage, { dispute_no }: Dispute) {
    yield* client.ask((coffer) => coffer.testHelpers.disputes.resolve(dispute_no, { outcome }))
    yield* tell(sentence)
    return dispute_no
  })

const authorizeOrder = Effect.fnUntraced(function* (stage: Stage) {
  const { amount, currency, trade_no } = yield* order(stage, { capture: "manual" })
  const held = yield* stage.client.ask((coffer) => coffer.testHelpers.orders.authorize(trade_no))
  yield* stage.tell(`the buyer's bank holds ${money(amount, currency)}: ${held.status}`)
  return held
})

const numberOf = Effect.map<Order, string>(({ trade_no }) => trade_no)
const disputeNumberOf = Effect.map<Dispute, string>(({ dispute_no }) => dispute_no)

export const flows: Readonly<Record<EventType, Flow>> = {
  "payment.succeeded": (stage) => numberOf(Effect.flatMap(order(stage), (made) => pay(stage, made))),
  "payment.failed": (stage) => numberOf(payOrder(stage, { outcome: "fail" })),
  "payment.expired": (stage) => numberOf(expireOrder(stage)),
  "payment.duplicate_refunded": (stage) => numberOf(Effect.flatMap(expireOrder(stage), (closed) => pay(stage, closed))),
  "payment.authorized": (stage) => numberOf(authorizeOrder(stage)),
  "payment.captured": Effect.fnUntraced(function* (stage) {
    const { trade_no } = yield* authorizeOrder(stage)
    yield* stage.client.ask((coffer) => coffer.orders.capture(trade_no))
    yield* stage.tell("captured the amount")
    return trade_no
  }),
  "payment.canceled": Effect.fnUntraced(function* (stage) {
    const { trade_no } = yield* authorizeOrder(stage)
    yield* stage.client.ask((coffer) => coffer.orders.expire(trade_no))
    yield* stage.tell("canceled the order")
    return trade_no
  }),
  "payment.authorization_expired": Effect.fnUntraced(function* (stage) {
    const { trade_no } = yield* authorizeOrder(stage)
    yield* stage.client.ask((coffer) => coffer.testHelpers.orders.capture(trade_no, { outcome: "release" }))
    yield* stage.tell("the buyer's bank released the amount")
    return trade_no
  }),
  "refund.succeeded": Effect.fnUntraced(function* (stage) {
    const { refund_no, status } = yield* refund(stage, yield* payOrder(stage))
    // Wallets settle later.
    if (status === "pending") yield* settleRefund(stage, refund_no, "succeeded")
    return refund_no
  }),
  "refund.failed": Effect.fnUntraced(function* (stage) {
    // Card refunds succeed at once; here the bank decides.
    const { refund_no } = yield* refund(stage, yield* payOrder(stage, { payment_method: "alipay" }))
    yield* settleRefund(stage, refund_no, "failed")
    return refund_no
  }),
  "dispute.created": (stage) => disputeNumberOf(dispute(stage)),
  "dispute.updated": (stage) => disputeNumberOf(answerDispute(stage)),
  "dispute.won": (stage) =>
    Effect.flatMap(answerDispute(stage), (made) => decideDispute("won", "the bank decided in your favor")(stage, made)),
  "dispute.lost": (stage) =>
    Effect.flatMap(answerDispute(stage), (made) =>
      decideDispute("lost", "the bank decided in the buyer's favor")(stage, made)
    ),
  "dispute.closed": (stage) =>
    Effect.flatMap(dispute(stage), (made) =>
      decideDispute("closed", "the buyer's bank withdrew the dispute")(stage, made)
    )
}
