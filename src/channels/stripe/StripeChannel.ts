/** Stripe as the channel of orders: closes a checkout, and gives a payment back to the buyer. */
import { PaymentId } from "@coffer/model/Ids"
import type { Minor } from "@coffer/model/Money"
import { Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import {
  type CancelReport,
  type Channel,
  type Checkout,
  ChannelUnreachable,
  type ReturnAnswer
} from "../../channel/Channel.ts"
import { span } from "../../platform/runtime/span.ts"
import { isMade, Sessions } from "./Sessions.ts"
import { SessionStore } from "./SessionStore.ts"
import type { SessionStatus } from "./sessionStatus.ts"
import { CallKeys } from "./CallKeys.ts"
import { StripeClient } from "./StripeClient.ts"
import { isForGood, reasonOf, type StripeFailure, type StripeRefused } from "./stripeFailures.ts"
import { answerOf, findRefund } from "./StripeRefunds.ts"

/** The key of metadata that says which payment a refund gives back as a whole. */
const returnKey = "coffer_return"

/** How often the order's session is looked for while its making is being answered. */
const looksMax = 2

export const makeStripeChannel = Effect.gen(function* () {
  const client = yield* StripeClient
  const sessions = yield* Sessions
  const store = yield* SessionStore
  const keys = yield* CallKeys
  const known = findRefund(client)

  const cancel = span("StripeChannel.cancel")(function* ({ tradeNo }: Checkout) {
    for (let look = 1; look <= looksMax; look++) {
      const found = yield* store.active(tradeNo)
      if (Option.isNone(found)) return cancelled
      const row = found.value
      if (isMade(row)) return reportOf(yield* sessions.end(row, { force: false }))
      // Stripe may have made the session, but nobody has its address. A call that is making it now will expire it.
      if (yield* store.giveUp(row.key)) return cancelled
      // Stripe's answer came meanwhile: look again.
    }
    return yield* new ChannelUnreachable()
  })

  const giveBack = span("StripeChannel.giveBack")(function* (
    checkout: Checkout,
    { amount, paymentId }: { readonly paymentId: PaymentId; readonly amount: Minor }
  ) {
    const before = yield* known({ ...checkout, paymentId }, returnKey, paymentId)
    if (before !== undefined) return returnAnswerOf(before)
    const asked = keys.using(`coffer/return/${paymentId}`, isKept, (idempotencyKey) =>
      client.call(checkout, (stripe) =>
        stripe.refunds.create(
          { payment_intent: paymentId, amount, metadata: { [returnKey]: paymentId } },
          { idempotencyKey }
        )
      )
    )
    return yield* Effect.catchTags(Effect.map(asked, returnAnswerOf), {
      // The caller asks again. A whole payment is refunded only once, whatever the first call did.
      StripeSilent: () => Effect.fail(new ChannelUnreachable()),
      StripeRefused: (refused) => {
        if (isBack(refused)) return Effect.succeed(returned)
        if (!isForGood(refused)) return Effect.fail(new ChannelUnreachable())
        return Effect.succeed<ReturnAnswer>({ _tag: "Refused", reason: reasonOf(refused) })
      }
    })
  })

  return { cancel, giveBack } satisfies Channel["Service"]
})

const isPaymentId = Schema.is(PaymentId)

/** Which payment this refund gives back as a whole; none for a refund that somebody asked for. */
export const returnedPaymentIn = ({ metadata }: Stripe.Refund): Option.Option<PaymentId> => {
  const text = metadata?.[returnKey]
  return isPaymentId(text) ? Option.some(text) : Option.none()
}

const cancelled: CancelReport = { _tag: "Cancelled" }

const returned: ReturnAnswer = { _tag: "Taken" }

/** The bank may have sent it back before anybody has heard that it was made. */
const returnAnswerOf = (refund: Stripe.Refund): ReturnAnswer => {
  const answer = answerOf(refund)
  return answer._tag === "Refused" ? answer : returned
}

/** Stripe repeats this for the key. A payment goes back as a whole once at most, whatever the call before did. */
const isKept = (failure: StripeFailure) =>
  (failure._tag === "StripeRefused" && !isForGood(failure)) || (failure._tag === "StripeSilent" && failure.wasAnswered)

const isBack = ({ code }: StripeRefused) => code === "charge_already_refunded"

const reportOf = (status: SessionStatus): CancelReport => {
  switch (status._tag) {
    case "Over":
      return cancelled
    case "Paid":
      return { _tag: "AlreadyPaid", payment: status.payment }
    case "Open":
    case "Processing":
      return { _tag: "BuyerBusy" }
  }
}
