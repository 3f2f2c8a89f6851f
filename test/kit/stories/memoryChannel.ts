/**
 * The third channel, for tests: what someone writes who has only this repository and an acquirer of their own
 * (docs/adding-a-channel.md). `memoryAcquirer.ts` is the acquirer. No tables and no jobs. It needs the port
 * (`src/shared/channel`) and the rooms of the house. Wired by one line: `start({ channels: memoryChannel() })`.
 */
import { paymentDeclinesMax, paymentDeclinesWindow, unappliedPaymentsMax } from "@coffer/model/Limits"
import { ChannelName, MerchantId, PaymentId, RefundNo, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { OrderConflict } from "@coffer/rules/order/Order"
import { DateTime, Effect, Exit, Layer, Option } from "effect"
import {
  Channel,
  type Attempt,
  type Begun,
  type HostedPage,
  NotSettled,
  type Pretended,
  type RegisteredChannel,
  type ReportFailure
} from "../../../src/shared/channel/Channel.ts"
import type { DisputeDesk, DisputeReport, DisputeWord, StepAnswer } from "../../../src/shared/channel/disputes.ts"
import {
  type CancelReport,
  type ChannelPayment,
  ChannelUnreachable,
  type RefundAnswer
} from "../../../src/shared/channel/payments.ts"
import { refundableUntil } from "../../../src/shared/channel/refundWindows.ts"
import { Disputes } from "../../../src/money/disputes/Disputes.ts"
import { Orders } from "../../../src/money/orders/Orders.ts"
import { Refunds } from "../../../src/money/refunds/Refunds.ts"
import { currentMillis } from "../../../src/platform/runtime/clock.ts"
import {
  type Dispute,
  type MemoryAcquirer,
  memoryAcquirer,
  type Payment,
  type Refund,
  type WireFailed
} from "./memoryAcquirer.ts"

const rejection = "the buyer's account cannot be credited"
const closesNothing: CancelReport = { _tag: "Cancelled" }
const unknown = Effect.succeed<StepAnswer>({ _tag: "Unknown" })

/** Its parts: what is registered, and what takes the acquirer's notices. True: the notice is taken. */
export interface Parts {
  readonly channel: RegisteredChannel
  readonly take: MemoryAcquirer["receiver"]["take"]
}

interface Options {
  readonly name?: string
  readonly rank?: number
  readonly acquirer?: MemoryAcquirer
  /** A test of the suite puts a fault here. */
  readonly through?: (parts: Parts) => Parts
}

export const memoryChannel = (options: Options = {}) => {
  const acquirer = options.acquirer ?? memoryAcquirer()
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const rooms = { orders: yield* Orders, refunds: yield* Refunds, disputes: yield* Disputes }
      const parts = partsOf(ChannelName.make(options.name ?? "memory"), acquirer, rooms, options.rank ?? 50)
      const { channel, take } = (options.through ?? ((same) => same))(parts)
      acquirer.receiver.take = take
      yield* (yield* Channel).register(channel)
    })
  )
}

interface Rooms {
  readonly orders: Orders["Service"]
  readonly refunds: Refunds["Service"]
  readonly disputes: Disputes["Service"]
}

const partsOf = (name: ChannelName, acquirer: MemoryAcquirer, rooms: Rooms, rank: number): Parts => {
  const at = reporting(name, rooms)
  const { paymentOf, report } = at
  const channel: RegisteredChannel = {
    name,
    title: "the acquirer in memory",
    rank,
    takes: ({ mode }) => Effect.succeed(mode === "sandbox"),
    page: pageOf(acquirer, rooms, at),
    pretended: pretendedBy(name, acquirer, report),
    cancel: Effect.fnUntraced(function* ({ merchantId, mode, tradeNo }) {
      if (mode === "live") return closesNothing
      const sessions = yield* acquirer.wire("cancel", merchantId, acquirer.close(tradeNo)).pipe(maybeDone)
      const [first, ...others] = acquirer.paidOf(tradeNo)
      // The answer names one payment. The others are reported by themselves.
      for (const payment of others) yield* Effect.ignore(report(payment))
      if (first !== undefined) return { _tag: "AlreadyPaid", payment: paymentOf(first) }
      const isBusy = sessions.some(({ state }) => state === "away" || state === "processing")
      return isBusy ? { _tag: "BuyerBusy" } : closesNothing
    }),
    giveBack: Effect.fnUntraced(function* ({ merchantId }, { amount, paymentId }) {
      const asked = acquirer.refund(`return/${paymentId}`, { merchantId, paymentId, amount })
      const refund = yield* acquirer.wire("giveBack", merchantId, asked).pipe(maybeDone)
      return refund === undefined || refund.state === "failed"
        ? { _tag: "Refused", reason: rejection }
        : { _tag: "Taken" }
    }),
    refund: ({ amount, merchantId, paymentId, refundNo }) =>
      acquirer.wire("refund", merchantId, acquirer.refund(refundNo, { merchantId, paymentId, amount })).pipe(
        Effect.map(refundAnswerOf),
        Effect.catchTags({
          WireFailed: (failed) =>
            failed.how === "silent" ? Effect.succeed<RefundAnswer>({ _tag: "Pending" }) : unreachable(failed)
        })
      ),
    disputes: deskOf(acquirer),
    paymentNumbers: { prefix: "mem_" }
  }

  return { channel, take: takes(name, acquirer, rooms, report) }
}

type Reporting = ReturnType<typeof reporting>

const reporting = (name: ChannelName, { orders }: Rooms) => {
  const paymentOf = ({ amount, at, currency, id, method }: Payment): ChannelPayment => ({
    channel: name,
    paymentId: PaymentId.make(id),
    method,
    card: method === "card" ? { brand: "visa", last4: "4242" } : null,
    amount: Minor.make(amount),
    currency: Currency.make(currency as Currency),
    paidAt: DateTime.makeUnsafe(at),
    refundableUntil: refundableUntil(method, DateTime.makeUnsafe(at))
  })
  /** Records at the order what the bank made of an attempt. */
  const report = Effect.fnUntraced(function* (payment: Payment) {
    const order = yield* orders.byTradeNo(TradeNo.make(payment.tradeNo))
    if (payment.state === "succeeded") {
      return yield* orders.report(order, { _tag: "Succeeded", payment: paymentOf(payment) })
    }
    const how = reports[payment.state]
    if (how === undefined) return order
    const { tag: _tag, ...outcome } = how
    const at = DateTime.makeUnsafe(payment.at)
    return yield* orders.report(order, {
      _tag,
      attempt: { ...outcome, channel: name, id: payment.id, method: payment.method, at }
    })
  })
  return { paymentOf, report }
}

const pageOf = (acquirer: MemoryAcquirer, { orders }: Rooms, { report }: Reporting): HostedPage => {
  /** Orders whose session may be paid. An acquirer's channel has a row for each. */
  const led = new Set<string>()
  return {
    begin: Effect.fnUntraced(function* (order, method): Effect.fn.Return<Begun, ChannelUnreachable | ReportFailure> {
      const { amount, currency, merchantId, tradeNo } = order
      const looked = yield* Effect.exit(acquirer.wire("lookUp", merchantId, acquirer.look(tradeNo)).pipe(nothingDone))
      if (Exit.isFailure(looked) && led.has(tradeNo)) return { _tag: "Unknown" }
      const known = yield* looked
      const met = known.find(({ state }) => state !== "over")
      if (met?.state === "open" && met.method === method) return { _tag: "Redirect", url: `memory:${met.id}` }
      if (met?.state === "paid" || met?.state === "processing") return { _tag: "Settled" }
      if (met !== undefined) {
        // The buyer is back, and wants another method.
        if (met.state === "away") met.state = "open"
        const closed = yield* acquirer.wire("cancel", merchantId, acquirer.close(tradeNo)).pipe(maybeDone)
        if (closed.some(({ state }) => state !== "over")) return { _tag: "Settled" }
      }
      if ((yield* orders.byTradeNo(tradeNo)).status !== "pending") return { _tag: "Settled" }
      const terms = { merchantId, tradeNo, method, amount, currency }
      const key = `${tradeNo}/${known.length}`
      const made = yield* acquirer.wire("begin", merchantId, acquirer.open(key, terms)).pipe(maybeDone)
      led.add(tradeNo)
      return made.method === method ? { _tag: "Redirect", url: `memory:${made.id}` } : { _tag: "Settled" }
    }, Effect.uninterruptible),
    lookUp: Effect.fnUntraced(function* (order) {
      const { merchantId, tradeNo } = order
      if (order.status !== "pending") return order
      yield* acquirer.wire("lookUp", merchantId, acquirer.look(tradeNo)).pipe(nothingDone)
      const [paid] = acquirer.paidOf(tradeNo)
      return paid === undefined ? order : yield* report(paid)
    }, Effect.uninterruptible),
    isProcessing: ({ status, tradeNo }) =>
      Effect.sync(
        () => status === "pending" && acquirer.sessionsOf(tradeNo).some(({ state }) => state === "processing")
      ),
    offered: (_, methods) => Effect.succeed(methods)
  }
}

/** A notice only says where to look. */
const takes = (name: ChannelName, acquirer: MemoryAcquirer, rooms: Rooms, report: Reporting["report"]): Parts["take"] =>
  Effect.fnUntraced(function* (notice) {
    if (notice.signature !== acquirer.sign(notice)) return true
    if (notice.kind === "payment") {
      const payment = acquirer.payments.find(({ id }) => id === notice.of)
      if (payment?.merchantId !== notice.to) return true
      // The order has as many payments as it can hold.
      return yield* isTaken(Effect.catchTags(Effect.asVoid(report(payment)), { OrderConflict: () => Effect.void }))
    }
    if (notice.kind === "refund") {
      const refund = acquirer.refunds.get(notice.of)
      if (refund?.merchantId !== notice.to || refund.state === "pending" || refund.key.startsWith("return/"))
        return true
      const outcome = { outcome: refund.state, reason: rejection }
      return yield* isTaken(rooms.refunds.report(RefundNo.make(refund.key), outcome))
    }
    const dispute = acquirer.disputes.get(notice.of)
    if (dispute?.merchantId !== notice.to) return true
    return yield* isTaken(rooms.disputes.handleReport(disputeReportOf(name, dispute)))
  })

const isTaken = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.match(work, { onFailure: () => false, onSuccess: () => true })

// What a failure on the wire means ---------------------------------------------

const because = {
  away: {},
  silent: { because: "unknown" },
  crowded: { because: "crowded" },
  key: { because: "key" }
} as const
const unreachable = ({ how }: WireFailed) => Effect.fail(new ChannelUnreachable(because[how]))
/** Of a call that changes something. */
const maybeDone = <A, E, R>(work: Effect.Effect<A, E | WireFailed, R>) =>
  Effect.catchTag(work as Effect.Effect<A, WireFailed, R>, "WireFailed", unreachable)
/** Of a read. */
const nothingDone = <A, R>(work: Effect.Effect<A, WireFailed, R>) =>
  Effect.catchTag(work, "WireFailed", (failed) =>
    failed.how === "silent" ? Effect.fail(new ChannelUnreachable()) : unreachable(failed)
  )

// Simulated buyers and banks ------------------------------------------------------

export const states: Readonly<Record<Attempt, string>> = {
  succeed: "succeeded",
  succeed_later: "succeeded",
  succeed_unreported: "succeeded",
  decline: "declined",
  cancel: "cancelled",
  fail: "failed",
  redirect: "redirect"
}
const reports: Readonly<
  Record<string, { tag: "Attempted" | "Failed"; outcome: "declined" | "cancelled" | "failed"; reason: string }>
> = {
  declined: { tag: "Attempted", outcome: "declined", reason: "generic_decline" },
  cancelled: { tag: "Attempted", outcome: "cancelled", reason: "cancelled_by_buyer" },
  failed: { tag: "Failed", outcome: "failed", reason: "processing_error" }
}

const pretendedBy = (
  name: ChannelName,
  acquirer: MemoryAcquirer,
  report: (payment: Payment) => ReturnType<Pretended["charge"]>
): Pretended => ({
  charge: Effect.fnUntraced(function* (order, method, attempt, { amount = order.amount } = {}) {
    const { currency, merchantId, tradeNo } = order
    if (acquirer.unreachable.has(merchantId)) return yield* new ChannelUnreachable()
    const state = states[attempt]
    if (state === "succeeded" && acquirer.paidOf(tradeNo).length > unappliedPaymentsMax) {
      return yield* new OrderConflict({ tradeNo, reason: "too_many_payments" })
    }
    for (const session of acquirer.sessionsOf(tradeNo)) if (session.state === "away") session.state = "over"
    if (attempt === "redirect") {
      const key = `${tradeNo}/${acquirer.sessionsOf(tradeNo).length}`
      const session = yield* acquirer.open(key, { merchantId, tradeNo, method, amount, currency })
      Object.assign(session, { state: "away", awaySince: yield* currentMillis })
      return order
    }
    const payment = yield* acquirer.pays({ merchantId, tradeNo, method, amount, currency, state }, { silently: true })
    return attempt === "succeed_unreported" || attempt === "succeed_later" ? order : yield* report(payment)
  }),
  pausedUntil: Effect.fnUntraced(function* ({ tradeNo }) {
    const declined = acquirer.payments.filter((each) => each.tradeNo === tradeNo && each.state === "declined")
    const tenth = Option.fromUndefinedOr(declined.at(-paymentDeclinesMax))
    const until = Option.map(tenth, ({ at }) => DateTime.addDuration(DateTime.makeUnsafe(at), paymentDeclinesWindow))
    const now = yield* currentMillis
    return Option.filter(until, (end) => DateTime.toEpochMillis(end) > now)
  }),
  hasPaid: ({ amount, currency, tradeNo }) =>
    Effect.sync(() => acquirer.paidOf(tradeNo).some((each) => each.amount === amount && each.currency === currency)),
  dispute: Effect.fnUntraced(function* ({ merchantId, tradeNo }, { amount, evidenceDueBy, reason }) {
    if (acquirer.unreachable.has(merchantId)) return yield* new ChannelUnreachable()
    const dueBy = evidenceDueBy === null ? null : DateTime.toEpochMillis(evidenceDueBy)
    return disputeReportOf(name, yield* acquirer.objects({ merchantId, tradeNo, amount, reason, dueBy }))
  }),
  resolve: Effect.fnUntraced(function* ({ merchantId, processorDisputeId }, outcome) {
    const dispute = acquirer.disputes.get(processorDisputeId)
    if (dispute === undefined || acquirer.unreachable.has(merchantId)) return yield* new ChannelUnreachable()
    return disputeReportOf(name, Object.assign(dispute, { status: outcome }))
  }),
  acknowledge: () => Effect.succeedNone,
  settle: Effect.fnUntraced(function* (refundNo, outcome) {
    const known = acquirer.refunds.get(refundNo)
    if (known === undefined || (known.state === "failed" && outcome === "succeeded")) {
      return yield* new NotSettled({ state: known?.state ?? "unknown" })
    }
    known.state = outcome
  }),
  rejection,
  setReachable: (merchantId, reachable) =>
    Effect.sync(() => void (reachable ? acquirer.unreachable.delete(merchantId) : acquirer.unreachable.add(merchantId)))
})

// Refunds and disputes ------------------------------------------------------------

const refundAnswerOf = (refund: Refund | undefined): RefundAnswer => {
  switch (refund?.state) {
    case "pending":
      return { _tag: "Pending" }
    case "succeeded":
      return { _tag: "Succeeded" }
    case "failed":
      return { _tag: "Refused", reason: rejection }
    case undefined:
      return { _tag: "Refused", reason: "the payment does not cover it" }
  }
}

const wordOf = ({ status }: Dispute): DisputeWord => ({
  status,
  outcome: status === "won" || status === "lost" || status === "closed" ? status : undefined
})

const disputeReportOf = (channel: ChannelName, dispute: Dispute): DisputeReport => ({
  ...wordOf(dispute),
  merchantId: MerchantId.make(dispute.merchantId),
  mode: "sandbox",
  tradeNo: TradeNo.make(dispute.tradeNo),
  channel,
  processorDisputeId: dispute.id,
  amount: Minor.make(dispute.amount),
  reason: dispute.reason,
  evidenceDueBy: dispute.dueBy === null ? null : DateTime.makeUnsafe(dispute.dueBy),
  openedAt: DateTime.makeUnsafe(dispute.openedAt)
})

const deskOf = (acquirer: MemoryAcquirer): DisputeDesk => {
  const step = (
    work: Effect.Effect<Dispute, WireFailed>,
    isTaken: (dispute: Dispute) => boolean
  ): Effect.Effect<StepAnswer, ChannelUnreachable> =>
    Effect.catchTags(
      Effect.map(work, (dispute): StepAnswer => ({
        _tag: isTaken(dispute) ? "Taken" : "Refused",
        word: wordOf(dispute)
      })),
      { WireFailed: (failed) => (failed.how === "silent" ? unknown : unreachable(failed)) }
    )
  return {
    isTest: () => false,
    submit: ({ merchantId, processorDisputeId }, _, answer) =>
      step(
        acquirer.wire("submit", merchantId, acquirer.answer(processorDisputeId, answer)),
        ({ answers }) => answers.length > 0
      ),
    accept: ({ merchantId, processorDisputeId }) =>
      step(acquirer.wire("accept", merchantId, acquirer.concede(processorDisputeId)), ({ lostAt }) => lostAt > 0),
    status: Effect.fnUntraced(function* ({ merchantId, processorDisputeId }) {
      const asked = acquirer.wire("status", merchantId, acquirer.dispute(processorDisputeId))
      const dispute = yield* nothingDone(asked)
      return dispute === undefined ? yield* new ChannelUnreachable() : wordOf(dispute)
    })
  }
}
