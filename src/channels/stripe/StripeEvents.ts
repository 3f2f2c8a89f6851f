/**
 * Handles Stripe's events (docs/decisions/0038). An event names an object; its current state is read from Stripe and
 * reported to the order, refund or dispute. So events may come twice, late, and in any order. An object that has ended
 * already, or is not ours, is not read.
 */
import { type Account, belongsTo } from "@coffer/model/Account"
import { type MerchantId, PaymentId } from "@coffer/model/Ids"
import { type Currency, Minor } from "@coffer/model/Money"
import { amountPaid, heldOf } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { Option, Schema, Context, Effect, Layer } from "effect"
import type { Stripe } from "stripe"
import { Disputes } from "../../money/disputes/Disputes.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { Refunds } from "../../money/refunds/Refunds.ts"
import { urgent } from "./Pace.ts"
import { holdTypes } from "./notices.ts"
import { attemptOf, stripeChannel, timeOf } from "./payment.ts"
import { tradeNoIn, SessionStore, StraySessions, expand, sessionStatusOf, tradeNoKey } from "./SessionStore.ts"
import { StripeClient } from "./StripeClient.ts"
import { channelDisputeOf, dueByOf, inCurrencyOf, isPresented, wordOf, PresentedDisputes } from "./StripeDisputes.ts"
import { type EventKind, type StripeNotice, StripeEventStore } from "./StripeEventStore.ts"
import { StripePayments } from "./StripePayments.ts"
import { endOf, expandOfIntent } from "./StripeHolds.ts"
import { refundNoOf, answerOf, returnedPaymentIn } from "./StripeRefunds.ts"

/** Its subject is not in our books yet: it is retried later. */
export class NotYetKnown extends Schema.TaggedError<NotYetKnown>()("NotYetKnown", { reason: Schema.String }) {}

export type Handled = "adopted" | "ignored"

export class StripeEvents extends Context.Service<
  StripeEvents,
  {
    /** Keeps the notice, to be handled by a worker. Whether it is new. */
    readonly note: (account: Account, notice: StripeNotice) => Effect.Effect<boolean>
    /** Merchants with this connected account in one environment. */
    readonly merchantsOf: (mode: Account["mode"], account: string) => Effect.Effect<ReadonlyArray<MerchantId>>
    /** Records a webhook of the account, with a whole event or a thin one. False: it could not be written. */
    readonly noteArrival: (account: Account, kind: "whole" | "thin") => Effect.Effect<boolean>
    readonly handle: (account: Account, kind: EventKind, facts: NoticeFacts) => Effect.Effect<Handled, HandleFailure>
  }
>()("@coffer/stripe/StripeEvents") {}

/** The facts that an event itself has. */
export type NoticeFacts = Pick<StripeNotice, "eventId" | "objectId" | "type" | "names" | "shows">

type HandleFailure = Effect.Error<ReturnType<Effect.Success<typeof makeHandlers>[EventKind]>>

export const layer = Layer.effect(
  StripeEvents,
  Effect.gen(function* () {
    const handlers = yield* makeHandlers
    const store = yield* StripeEventStore
    const wakeups = yield* Wakeups
    return StripeEvents.of({
      note: Effect.fnUntraced(function* (account, notice) {
        const isNew = yield* store.insert(account, notice, yield* currentTime)
        if (isNew) wakeups.raise("stripe_events")
        return isNew
      }),
      merchantsOf: store.merchantsOf,
      noteArrival: (account, kind) => Effect.flatMap(currentTime, (now) => store.arrived(account, kind, now)),
      handle: span("StripeEvents.handle")(function* (account, kind, facts) {
        return yield* Effect.annotateLogs(handlers[kind](account, facts), {
          merchant_id: account.merchantId,
          mode: account.mode,
          stripe: facts.objectId
        })
      }, urgent("money"))
    })
  })
)

const eventServices = Effect.gen(function* () {
  const orders = yield* Orders
  return {
    orders,
    client: yield* StripeClient,
    store: yield* SessionStore,
    strays: yield* StraySessions,
    payments: yield* StripePayments,
    refunds: yield* Refunds,
    disputes: yield* Disputes,
    presented: yield* PresentedDisputes,
    /** The merchant's own order that metadata names. A holder of the account may write other numbers there. */
    orderIn: Effect.fnUntraced(function* (account: Account, metadata: Stripe.Metadata | null | undefined) {
      const tradeNo = tradeNoIn(metadata)
      if (Option.isNone(tradeNo)) return Option.none<Order>()
      const found = yield* Effect.option(orders.byTradeNo(tradeNo.value))
      return Option.filter(found, (order) => belongsTo(account, order))
    })
  }
})

const refunded = ["payment_intent.latest_charge"]
const isReturned = ({ latest_charge: charge }: Stripe.PaymentIntent) => typeof charge === "object" && charge?.refunded

/** Refunds of one payment that are read. A payment with more is left to the operator. */
const refundsMax = 100

type Services = Effect.Success<typeof eventServices>

const makeHandlers = Effect.map(eventServices, (services) => ({
  session: handleSession(services),
  attempt: handleAttempt(services),
  refund: handleRefund(services),
  dispute: handleDispute(services)
}))

const handleSession = (services: Services) => {
  const { client, orderIn, payments, store, strays } = services
  const none = Effect.fnUntraced(function* (account: Account, session: Stripe.Checkout.Session) {
    const tradeNo = tradeNoIn(session.metadata)
    if (Option.isSome(tradeNo)) yield* strays.note(account, tradeNo.value, session)
    return yield* logIgnored("a session is not ours")
  })
  const handle = Effect.fnUntraced(function* (account: Account, { names, objectId: id, type }: SessionFacts) {
    if (names === "") return yield* logIgnored("a session is not ours")
    const look = client.read(account, (stripe) => stripe.checkout.sessions.retrieve(id, { expand }))
    // An event of an earlier version does not have the name.
    const named = names === null ? yield* look : undefined
    const order = yield* orderIn(account, named?.metadata ?? { [tradeNoKey]: names ?? "" })
    if (Option.isNone(order)) return yield* none(account, named ?? (yield* look))
    const row = yield* store.find(order.value.tradeNo, id)
    if (Option.isNone(row)) {
      const active = yield* store.active(order.value.tradeNo)
      return Option.exists(active, ({ session_id }) => session_id === null)
        ? yield* new NotYetKnown({ reason: "session" })
        : yield* none(account, named ?? (yield* look))
    }
    // Its payment is in our books, or it can no longer be paid.
    if (row.value.state === "ended") return "adopted" as const
    if (type === "checkout.session.expired") {
      yield* store.ended(row.value.key)
      return "adopted" as const
    }
    const status = sessionStatusOf(named ?? (yield* look))
    if (status._tag === "Over") yield* store.ended(row.value.key)
    if (status._tag === "Processing") yield* store.processing(row.value.key)
    yield* payments.adopt(order.value, row.value, status)
    return "adopted" as const
  })
  const handleHold = makeHandleHold(services, handle)
  return Effect.fnUntraced(function* (account: Account, facts: NoticeFacts) {
    return yield* Object.hasOwn(holdTypes, facts.type) ? handleHold(account, facts) : handle(account, facts)
  })
}

type SessionFacts = Pick<NoticeFacts, "names" | "objectId" | "type">

/** An amount on hold, which may have ended by hand. The session says what the order has not heard of yet. */
const makeHandleHold = <E>(
  { client, orderIn, orders }: Services,
  handleSession: (account: Account, facts: SessionFacts) => Effect.Effect<Handled, E>
) =>
  Effect.fnUntraced(function* (account: Account, { names, objectId: id, type }: NoticeFacts) {
    const order = Option.getOrUndefined(yield* orderIn(account, { [tradeNoKey]: names ?? "" }))
    const paymentId = PaymentId.make(id)
    if (order?.hold?.payment?.paymentId === id && heldOf(order) === undefined) return "adopted" as const
    if (order !== undefined && isOnHold(order, paymentId)) {
      const look = client.read(account, (stripe) => stripe.paymentIntents.retrieve(id, { expand: expandOfIntent }))
      const ended = endOf(yield* look)
      if (ended?._tag === "Captured") yield* orders.report(order, { _tag: "Succeeded", payment: ended.payment })
      if (ended?._tag === "Gone") yield* orders.report(order, { _tag: "Released", paymentId })
      return "adopted" as const
    }
    const sessions = yield* client.read(account, (stripe) =>
      stripe.checkout.sessions.list({ payment_intent: id, limit: 1 })
    )
    const [session] = sessions.data
    return session === undefined
      ? yield* logIgnored("an amount on hold is of no session")
      : yield* handleSession(account, { names, objectId: session.id, type })
  })

/** Also one that no order waits for, until it is released. */
const isOnHold = (order: Order, id: PaymentId): boolean =>
  heldOf(order)?.paymentId === id ||
  order.unappliedPayments.some(({ isHold, paymentId }) => paymentId === id && isHold === true)

/**
 * A failed attempt to pay exists only in its event, since the next attempt overwrites it. So the event itself is read,
 * and its id is the attempt's.
 */
const handleAttempt = ({ client, orderIn, orders }: Services) =>
  Effect.fnUntraced(function* (account: Account, { eventId, names }: NoticeFacts) {
    const order = yield* orderIn(account, { [tradeNoKey]: names ?? "" })
    if (Option.isNone(order)) return "ignored" as const
    const event = yield* client.read(account, (stripe) => stripe.events.retrieve(eventId))
    const error = event.type === "payment_intent.payment_failed" ? event.data.object.last_payment_error : null
    if (error === null) return "ignored" as const
    const { charge: chargeId } = error
    const charge =
      chargeId === undefined ? undefined : yield* client.read(account, (stripe) => stripe.charges.retrieve(chargeId))
    const attempt = attemptOf(error, { id: event.id, at: timeOf(event.created), charge })
    yield* orders.report(order.value, { _tag: "Attempted", attempt })
    return "adopted" as const
  })

/** Whether the refund of an event is in our books with the same state. */
const isKnownRefund = ({ refunds }: Services) =>
  Effect.fnUntraced(function* (account: Account, { names, shows }: NoticeFacts) {
    // Another event follows the decision.
    const isUndecided = shows === "pending" || shows === "requires_action"
    if (names === null || !(isUndecided || shows === "succeeded")) return false
    const found = yield* Effect.option(refunds.find(account, names))
    return Option.exists(found, ({ status }) => isUndecided || status === "succeeded")
  })

const handleRefund = (services: Services) => {
  const { client, orderIn, orders, refunds, strays } = services
  const returns = handleReturn(services)
  const isKnown = isKnownRefund(services)
  return Effect.fnUntraced(function* (account: Account, event: NoticeFacts) {
    if (yield* isKnown(account, event)) return "adopted" as const
    const { objectId: id } = event
    const refund = yield* client.read(account, (stripe) => stripe.refunds.retrieve(id, { expand: refunded }))
    const intent = typeof refund.payment_intent === "object" ? refund.payment_intent : null
    if (intent !== null && isReturned(intent)) yield* strays.returned(account, intent.id)
    const returned = returnedPaymentIn(refund)
    if (Option.isSome(returned)) {
      const order = yield* orderIn(account, intent?.metadata)
      if (Option.isNone(order) || intent?.id !== returned.value) {
        return yield* logIgnored("a refund is for no payment of ours")
      }
      const answer = answerOf(refund)
      // If the answer to the call that made the refund was lost, this event shows that it was made.
      if (answer._tag !== "Refused") return yield* returns(account, order, returned.value)
      yield* orders.reportFailedReturn(order.value, returned.value, answer.reason)
      return "adopted" as const
    }
    const refundNo = refundNoOf(refund)
    const found = Option.isNone(refundNo) ? Option.none() : yield* Effect.option(refunds.find(account, refundNo.value))
    // Made in Stripe's dashboard.
    if (Option.isNone(found)) return yield* returns(account, yield* orderIn(account, intent?.metadata), intent?.id)
    const answer = answerOf(refund)
    if (answer._tag === "Pending") return "adopted" as const
    const report =
      answer._tag === "Succeeded"
        ? { outcome: "succeeded" as const, reason: "" }
        : { outcome: "failed" as const, reason: answer.reason }
    yield* refunds.report(found.value.refundNo, report)
    return "adopted" as const
  })
}

/** The rest of an unapplied payment, after refunds by us or in Stripe's dashboard (silences: O40). */
const handleReturn = ({ client, orders }: Services) =>
  Effect.fnUntraced(function* (account: Account, order: Option.Option<Order>, paymentId: string | undefined) {
    const payment = Option.flatMap(order, ({ unappliedPayments }) =>
      Option.fromUndefinedOr(unappliedPayments.find((each) => each.paymentId === paymentId))
    )
    if (Option.isNone(order) || Option.isNone(payment)) {
      return yield* logIgnored("a refund was not requested by a merchant")
    }
    const { amount, currency, paymentId: id } = payment.value
    const look = Effect.gen(function* () {
      const { data, has_more } = yield* client.read(account, (stripe) =>
        stripe.refunds.list({ payment_intent: id, limit: refundsMax, expand: ["data.charge"] })
      )
      if (has_more) return yield* logIgnored("a payment has too many refunds to check")
      const returnedAmount = data.some((each) => isPresented(each, currency))
        ? refundedOf(data[0]!.charge, currency)
        : data.reduce((sum, each) => sum + (answerOf(each)._tag === "Refused" ? 0 : each.amount), 0)
      const failed = data.map(answerOf).find(({ _tag }) => _tag === "Refused")
      const left = Minor.make(Math.max(0, amount - returnedAmount))
      const problem = failed?._tag === "Refused" ? { problem: failed.reason } : {}
      yield* orders.reportReturned(order.value, { paymentId: id, left, ...problem })
      return "adopted" as const
    })
    yield* look
    // Another event of this payment may have been handled meanwhile with an older state: read again.
    return yield* look
  })

/** The refunded amount as the charge counts it, where some of its refunds are in another currency. */
const refundedOf = (charge: Stripe.Refund["charge"], currency: Currency): number =>
  typeof charge === "object" && charge !== null && !isPresented(charge, currency) ? charge.amount_refunded : 0

const handleDispute = ({ client, disputes, orderIn, orders, payments, presented }: Services) =>
  Effect.fnUntraced(function* (account: Account, { objectId: id }: NoticeFacts) {
    const dispute = yield* client.read(account, (stripe) =>
      stripe.disputes.retrieve(id, { expand: ["payment_intent"] })
    )
    const intent = typeof dispute.payment_intent === "object" ? dispute.payment_intent : null
    const order = yield* orderIn(account, intent?.metadata)
    if (intent === null || Option.isNone(order)) return yield* logIgnored("a dispute is for no payment of ours")
    const paid = yield* payments.refresh(order.value)
    if (!("paymentId" in paid) || paid.paymentId !== intent.id) {
      const { tradeNo, unappliedPayments } = paid
      const payment = unappliedPayments.find(({ paymentId }) => paymentId === intent.id)
      const own = payment === undefined ? dispute : inCurrencyOf(dispute, payment)
      const noted = yield* orders.noteDispute(tradeNo, PaymentId.make(intent.id), channelDisputeOf(own))
      return Option.isSome(noted) ? ("adopted" as const) : yield* new NotYetKnown({ reason: "payment" })
    }
    // The rest of the payment is frozen, and the operator reads both amounts.
    if (isPresented(dispute, paid.currency)) yield* presented.note(account, dispute)
    const left = amountPaid(paid) - paid.refundedAmount
    const own = inCurrencyOf(dispute, { amount: left > 0 ? left : amountPaid(paid), currency: paid.currency })
    const { amount, created, evidence_details, reason } = own
    yield* disputes.handleReport({
      ...wordOf(dispute, paid.currency),
      ...account,
      tradeNo: paid.tradeNo,
      channel: stripeChannel,
      processorDisputeId: id,
      amount: Minor.make(amount),
      reason,
      evidenceDueBy: dueByOf(evidence_details),
      openedAt: timeOf(created)
    })
    return "adopted" as const
  })

/** A person may have to look at it: the log line names the object. */
const logIgnored = (why: string) =>
  Effect.as(Effect.logWarning(`an event of Stripe was ignored: ${why}`), "ignored" as const)
