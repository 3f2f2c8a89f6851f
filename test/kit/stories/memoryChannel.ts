/**
 * A third channel, for tests: a bank in memory that takes the payments of every sandbox in place of the sandbox's own.
 * It has no tables, no jobs and no page. It needs the port (`src/shared/channel`) and orders of the house.
 */
import { paymentDeclinesMax, paymentDeclinesWindow, unappliedPaymentsMax } from "@coffer/model/Limits"
import { ChannelName, PaymentId } from "@coffer/model/Ids"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { type Order, OrderConflict } from "@coffer/rules/order/Order"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import {
  Channel,
  type ChargeOptions,
  type Attempt,
  NotSettled,
  type Pretended
} from "../../../src/shared/channel/Channel.ts"
import type {
  DisputeDesk,
  DisputeName,
  DisputeReport,
  DisputeWord,
  StepAnswer
} from "../../../src/shared/channel/disputes.ts"
import {
  type CancelReport,
  type ChannelPayment,
  ChannelUnreachable,
  type RefundAnswer,
  type RefundRequest
} from "../../../src/shared/channel/payments.ts"
import { refundableUntil } from "../../../src/shared/channel/refundWindows.ts"
import { Orders } from "../../../src/money/orders/Orders.ts"
import { currentTime } from "../../../src/platform/runtime/clock.ts"

const name = ChannelName.make("memory")
const rejection = "the buyer's account cannot be credited"
const asynchronous: ReadonlySet<PaymentMethod> = new Set(["alipay", "wechat_pay"])

type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/** The bank's memory. It outlives the services that it is wired into, as an acquirer does. */
const newBank = () => ({
  payments: [] as Array<{ readonly tradeNo: string; state: string; readonly payment: ChannelPayment }>,
  refunds: new Map<
    string,
    { readonly paymentId: string; readonly amount: number; state: string; settlesAt: DateTime.Utc | null }
  >(),
  disputes: new Map<string, Mutable<DisputeReport> & { isAnswered?: boolean; lostAt?: DateTime.Utc }>(),
  unreachable: new Set<string>()
})
type Bank = ReturnType<typeof newBank>

/** For `start({ channels })`: the one line by which it is wired. */
export const memoryChannel = () => {
  const bank = newBank()
  return Layer.effectDiscard(
    Effect.gen(function* () {
      const channel = yield* Channel
      const orders = yield* Orders
      yield* channel.register({
        name,
        title: "the bank in memory",
        rank: 50,
        takes: ({ mode }) => Effect.succeed(mode === "sandbox"),
        pretended: pretendedBy(bank, orders),
        cancel: ({ merchantId, mode, tradeNo }) =>
          mode === "live" ? Effect.succeed(cancelled) : reaching(bank, merchantId, cancel(bank, orders, tradeNo)),
        giveBack: ({ merchantId }) => reaching(bank, merchantId, Effect.succeed({ _tag: "Taken" })),
        refund: (request) => reaching(bank, request.merchantId, refund(bank, request)),
        disputes: desk(bank),
        paymentNumbers: { prefix: "mem_" }
      })
    })
  )
}

const reaching = <A, E>(bank: Bank, merchantId: string, work: Effect.Effect<A, E>) =>
  Effect.suspend((): Effect.Effect<A, E | ChannelUnreachable> =>
    bank.unreachable.has(merchantId) ? Effect.fail(new ChannelUnreachable()) : work
  )

// Payments ------------------------------------------------------------------------

const cancelled: CancelReport = { _tag: "Cancelled" }

const ofOrder = (bank: Bank, tradeNo: string, state: string) =>
  bank.payments.filter((each) => each.tradeNo === tradeNo && each.state === state)

const cancel = Effect.fnUntraced(function* (
  bank: Bank,
  orders: Orders["Service"],
  tradeNo: Order["tradeNo"]
): Effect.fn.Return<CancelReport> {
  if (ofOrder(bank, tradeNo, "redirect").length > 0) return { _tag: "BuyerBusy" }
  const [first, ...others] = ofOrder(bank, tradeNo, "succeeded")
  if (first === undefined) return cancelled
  // The answer names one payment. The others are reported by themselves.
  for (const { payment } of others) {
    const reported = Effect.flatMap(orders.byTradeNo(tradeNo), (order) =>
      orders.report(order, { _tag: "Succeeded", payment })
    )
    yield* Effect.ignore(reported)
  }
  return { _tag: "AlreadyPaid", payment: first.payment }
})

const states: Readonly<Record<Attempt, string>> = {
  succeed: "succeeded",
  succeed_later: "succeeded",
  succeed_unreported: "succeeded",
  decline: "declined",
  cancel: "cancelled",
  fail: "failed",
  redirect: "redirect"
}
const reports = {
  decline: { tag: "Attempted", outcome: "declined", reason: "generic_decline" },
  cancel: { tag: "Attempted", outcome: "cancelled", reason: "cancelled_by_buyer" },
  fail: { tag: "Failed", outcome: "failed", reason: "processing_error" }
} as const

const chargeAt = (bank: Bank, orders: Orders["Service"]): Pretended["charge"] =>
  Effect.fnUntraced(function* (
    order: Order,
    method: PaymentMethod,
    attempt: Attempt,
    { amount = order.amount }: ChargeOptions = {}
  ) {
    const { currency, merchantId, tradeNo } = order
    yield* reaching(bank, merchantId, Effect.void)
    const state = states[attempt]
    if (state === "succeeded" && ofOrder(bank, tradeNo, "succeeded").length > unappliedPaymentsMax) {
      return yield* new OrderConflict({ tradeNo, reason: "too_many_payments" })
    }
    for (const each of ofOrder(bank, tradeNo, "redirect")) each.state = "abandoned"
    const paidAt = yield* currentTime
    const payment: ChannelPayment = {
      channel: name,
      paymentId: PaymentId.make(`mem_${tradeNo}_${bank.payments.length}`),
      method,
      card: null,
      amount,
      currency,
      paidAt,
      refundableUntil: refundableUntil(method, paidAt)
    }
    bank.payments.push({ tradeNo, state, payment })
    if (attempt === "succeed") return yield* orders.report(order, { _tag: "Succeeded", payment })
    if (attempt === "decline" || attempt === "cancel" || attempt === "fail") {
      const { tag: _tag, ...how } = reports[attempt]
      const failed = { ...how, channel: name, id: payment.paymentId, method, at: paidAt }
      return yield* orders.report(order, { _tag, attempt: failed })
    }
    return order
  })

const pretendedBy = (bank: Bank, orders: Orders["Service"]): Pretended => ({
  charge: chargeAt(bank, orders),
  ...disputesBy(bank),
  pausedUntil: Effect.fnUntraced(function* ({ tradeNo }) {
    const tenth = ofOrder(bank, tradeNo, "declined").at(-paymentDeclinesMax)
    const now = yield* currentTime
    const until = Option.map(Option.fromUndefinedOr(tenth), ({ payment }) =>
      DateTime.addDuration(payment.paidAt, paymentDeclinesWindow)
    )
    return Option.filter(until, DateTime.isGreaterThan(now))
  }),
  hasPaid: ({ amount, currency, tradeNo }) =>
    Effect.sync(() =>
      ofOrder(bank, tradeNo, "succeeded").some(
        ({ payment }) => payment.amount === amount && payment.currency === currency
      )
    ),
  settle: Effect.fnUntraced(function* (refundNo, outcome) {
    const known = bank.refunds.get(refundNo)
    if (known === undefined || (known.state === "failed" && outcome === "succeeded")) {
      return yield* new NotSettled({ state: known?.state ?? "unknown" })
    }
    known.state = outcome
  }),
  rejection,
  setReachable: (merchantId, reachable) =>
    Effect.sync(() => void (reachable ? bank.unreachable.delete(merchantId) : bank.unreachable.add(merchantId)))
})

const disputesBy = (bank: Bank): Pick<Pretended, "dispute" | "resolve" | "acknowledge"> => ({
  dispute: ({ merchantId, mode, tradeNo }, chargeback) =>
    reaching(
      bank,
      merchantId,
      Effect.map(currentTime, (openedAt) => {
        const processorDisputeId = `mdp_${bank.disputes.size}_${tradeNo}`
        const report: DisputeReport = {
          status: "needs_response",
          outcome: undefined,
          merchantId,
          mode,
          tradeNo,
          channel: name,
          processorDisputeId,
          openedAt,
          ...chargeback
        }
        bank.disputes.set(processorDisputeId, { ...report })
        return report
      })
    ),
  resolve: ({ merchantId, processorDisputeId }, outcome) =>
    reaching(
      bank,
      merchantId,
      Effect.suspend(() => {
        const dispute = bank.disputes.get(processorDisputeId)
        if (dispute === undefined) return Effect.fail(new ChannelUnreachable())
        return Effect.succeed({ ...Object.assign(dispute, { status: outcome, outcome }) })
      })
    ),
  acknowledge: () => Effect.succeedNone
})

// Refunds -------------------------------------------------------------------------

const refund = Effect.fnUntraced(function* (bank: Bank, { amount, paymentId, refundNo }: RefundRequest) {
  const now = yield* currentTime
  const known = bank.refunds.get(refundNo)
  if (known !== undefined) {
    if (known.state === "pending" && known.settlesAt !== null && !DateTime.isGreaterThan(known.settlesAt, now)) {
      known.state = "succeeded"
    }
    return answers[known.state]!
  }
  const paid = bank.payments.find((each) => each.payment.paymentId === paymentId && each.state === "succeeded")
  const before = [...bank.refunds.values()].filter((each) => each.paymentId === paymentId && each.state !== "failed")
  const left = (paid?.payment.amount ?? 0) - before.reduce((sum, each) => sum + each.amount, 0)
  if (paid === undefined || amount > left) return { _tag: "Refused", reason: "the payment does not cover it" } as const
  const isLater = asynchronous.has(paid.payment.method)
  const state = isLater ? "pending" : "succeeded"
  const settlesAt = isLater ? DateTime.addDuration(now, Duration.seconds(60)) : null
  bank.refunds.set(refundNo, { paymentId, amount, state, settlesAt })
  return answers[state]!
})

const answers: Readonly<Record<string, RefundAnswer>> = {
  pending: { _tag: "Pending" },
  succeeded: { _tag: "Succeeded" },
  failed: { _tag: "Refused", reason: rejection }
}

// Disputes ------------------------------------------------------------------------

/** The bank writes a conceded dispute off after this. */
const concessionTakes = Duration.seconds(5)

const desk = (bank: Bank): DisputeDesk => {
  const current = Effect.fnUntraced(function* ({ merchantId, processorDisputeId }: DisputeName) {
    yield* reaching(bank, merchantId, Effect.void)
    const dispute = bank.disputes.get(processorDisputeId)
    if (dispute === undefined) return yield* new ChannelUnreachable()
    const now = yield* currentTime
    const isLate = dispute.status === "needs_response" && isOver(dispute.evidenceDueBy, now)
    if (isLate || (dispute.status === "accepted" && isOver(dispute.lostAt ?? null, now, true))) {
      Object.assign(dispute, { status: "lost", outcome: "lost" })
    }
    return dispute
  })
  const word = ({ outcome, status }: DisputeWord): DisputeWord => ({ status, outcome })
  return {
    isTest: () => false,
    submit: Effect.fnUntraced(function* (named): Effect.fn.Return<StepAnswer, ChannelUnreachable> {
      const dispute = yield* current(named)
      if (dispute.status === "needs_response") Object.assign(dispute, { status: "under_review", isAnswered: true })
      return dispute.isAnswered === true
        ? { _tag: "Taken", word: { status: "under_review", outcome: undefined } }
        : { _tag: "Refused", word: word(dispute) }
    }),
    accept: Effect.fnUntraced(function* (named): Effect.fn.Return<StepAnswer, ChannelUnreachable> {
      const dispute = yield* current(named)
      if (dispute.status === "needs_response") {
        const lostAt = DateTime.addDuration(yield* currentTime, concessionTakes)
        Object.assign(dispute, { status: "accepted", lostAt })
      }
      return dispute.lostAt === undefined
        ? { _tag: "Refused", word: word(dispute) }
        : { _tag: "Taken", word: { status: "accepted", outcome: undefined } }
    }),
    status: (named) => Effect.map(current(named), word)
  }
}

const isOver = (end: DateTime.Utc | null, now: DateTime.Utc, atOnce = false): boolean =>
  end !== null && (DateTime.isLessThan(end, now) || (atOnce && DateTime.Equivalence(end, now)))
