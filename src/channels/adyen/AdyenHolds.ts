/**
 * Captures and releases of what Adyen holds (silences: O75). Adyen takes a request and its notice tells the outcome, so
 * the first answer is `Pending`, and the order is told when the notice comes (`handleHold` in `AdyenNotices.ts`).
 */
import { Effect, Option } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import type { Minor } from "@coffer/model/Money"
import type { Holds } from "../../shared/channel/Channel.ts"
import type { CaptureAnswer, ChannelUnreachable, HoldAt, ReleaseAnswer } from "../../shared/channel/payments.ts"
import { paymentCode, paymentOf } from "./AdyenPayments.ts"
import { days, heldAs, holdWordOf, isLongOver } from "./holdWords.ts"
import { makeModifying } from "./Modifying.ts"
import { NoticeStore } from "./NoticeStore.ts"

const gone: ReleaseAnswer = { _tag: "Gone" }
const pending: ReleaseAnswer = { _tag: "Pending" }

export const makeAdyenHolds = Effect.gen(function* () {
  const notices = yield* NoticeStore
  const modify = yield* makeModifying

  /** The payment by its own notice, without which there is no hold, and how its hold has ended. */
  const known = Effect.fnUntraced(function* (hold: HoldAt) {
    const about = yield* notices.about(hold, hold.paymentId)
    const authorized = about.find(({ code, succeeded }) => code === paymentCode && succeeded)
    const payment = authorized === undefined ? undefined : Option.getOrUndefined(paymentOf(authorized))
    const word = holdWordOf(yield* notices.ofPayment(hold, hold.paymentId))
    const answer: ReleaseAnswer | undefined =
      payment === undefined || word.isReleased
        ? gone
        : word.captured === undefined
          ? undefined
          : { _tag: "Captured", payment: heldAs(payment, word) }
    if (payment === undefined || answer !== undefined || !isLongOver(payment.paidAt, yield* currentTime)) {
      return { payment, answer }
    }
    yield* notices.forgetCard(hold, hold.paymentId)
    return { payment, answer: gone }
  })

  const capture = span("AdyenHolds.capture")(function* (
    hold: HoldAt,
    amount: Minor
  ): Effect.fn.Return<CaptureAnswer, ChannelUnreachable> {
    const { key, paymentId } = hold
    const { answer, payment } = yield* known(hold)
    if (answer !== undefined || payment === undefined) return answer ?? gone
    const outcome = yield* modify(hold, paymentId, key, ({ account }) => ({
      path: `/payments/${paymentId}/captures`,
      body: { merchantAccount: account, amount: { value: amount, currency: payment.currency }, reference: key }
    }))
    if (typeof outcome === "string" || outcome.outcome === "succeeded") return pending
    return { _tag: "Refused", reason: outcome.reason }
  })

  /** A refusal tells that something else happened to it before, whose notice comes. */
  const release = span("AdyenHolds.release")(function* (
    hold: HoldAt
  ): Effect.fn.Return<ReleaseAnswer, ChannelUnreachable> {
    const { key, paymentId } = hold
    const { answer, payment } = yield* known(hold)
    if (answer !== undefined || payment === undefined) return answer ?? gone
    yield* modify(hold, paymentId, key, ({ account }) => ({
      path: `/payments/${paymentId}/cancels`,
      body: { merchantAccount: account, reference: key }
    }))
    return pending
  })

  return { days, capture, release } satisfies Holds
})
