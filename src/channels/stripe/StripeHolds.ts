/**
 * Amounts that Stripe holds: captured in whole or in part, once, or released (silences: O75). The payment is read
 * first, and again after a refusal: so a repeated call, and a capture by hand in Stripe's dashboard, get what was done.
 * Stripe captures a payment once and cancels none that was captured, whatever the keys of the calls are.
 */
import { PaymentMethod, isCardCharged } from "@coffer/model/PaymentMethod"
import type { Minor } from "@coffer/model/Money"
import { Effect } from "effect"
import type { Stripe } from "stripe"
import type { Holds, RegisteredChannel } from "../../shared/channel/Channel.ts"
import {
  type CaptureAnswer,
  ChannelUnreachable,
  type HoldAt,
  type ReleaseAnswer,
  type ReturnAnswer
} from "../../shared/channel/payments.ts"
import { span } from "../../platform/runtime/span.ts"
import { heldDays, paymentOf } from "./payment.ts"
import { StripeClient } from "./StripeClient.ts"
import { isForGood, reasonOf, refuseForNow, type StripeFailure } from "./StripeGuard.ts"
import { CallKeys } from "./StripeRefunds.ts"

/** With the time of its capture. */
export const expandOfIntent = ["latest_charge.balance_transaction"]

const pending = { _tag: "Pending" } as const
const gone = { _tag: "Gone" } as const

/** Cards, also behind the browser's wallets. Alipay and WeChat Pay charge when the buyer confirms. */
const days: Holds["days"] = Object.fromEntries(
  PaymentMethod.literals.flatMap((method) => (isCardCharged(method) ? [[method, heldDays] as const] : []))
)

/** How the hold of a payment has ended; undefined while its amount is held. */
export const endOf = (intent: Stripe.PaymentIntent): ReleaseAnswer | undefined => {
  if (intent.status === "requires_capture") return undefined
  if (intent.status === "canceled") return gone
  const payment = intent.status === "succeeded" ? paymentOf(intent) : undefined
  return payment === undefined ? pending : { _tag: "Captured", payment }
}

export const makeStripeHolds = Effect.gen(function* () {
  const client = yield* StripeClient
  const keys = yield* CallKeys

  const look = (hold: HoldAt) =>
    Effect.catchTags(
      client.read(hold, (stripe) => stripe.paymentIntents.retrieve(hold.paymentId, { expand: expandOfIntent })),
      // Perhaps a key of another account: it does not prove that the payment does not exist.
      { StripeRefused: (refused) => Effect.fail(refuseForNow(refused)) }
    )

  /** Asks Stripe to end the hold, unless it has ended. StripeRefused: it refuses, and the amount is still held. */
  const end = Effect.fnUntraced(function* (
    hold: HoldAt,
    name: string,
    ask: (stripe: Stripe, idempotencyKey: string) => Promise<Stripe.PaymentIntent>
  ) {
    const before = endOf(yield* look(hold))
    if (before !== undefined) return before
    const call = keys.using(name, isKept, (key) => client.call(hold, (stripe) => ask(stripe, key)))
    return yield* Effect.catchTags(
      Effect.map(call, (intent) => endOf(intent) ?? pending),
      {
        StripeSilent: () => Effect.succeed(pending),
        StripeRefused: (why) =>
          Effect.flatMap(look(hold), (now) => {
            const after = endOf(now)
            return after === undefined ? Effect.fail(why) : Effect.succeed(after)
          })
      }
    )
  })

  const capture = span("StripeHolds.capture")(function* (hold: HoldAt, amount: Minor) {
    const ended = end(hold, `coffer/capture/${hold.key}`, (stripe, idempotencyKey) =>
      stripe.paymentIntents.capture(
        hold.paymentId,
        { amount_to_capture: amount, expand: expandOfIntent },
        { idempotencyKey }
      )
    )
    return yield* Effect.catchTags(ended, {
      StripeRefused: (why) =>
        isForGood(why)
          ? Effect.succeed<CaptureAnswer>({ _tag: "Refused", reason: reasonOf(why) })
          : Effect.fail(refuseForNow(why))
    })
  })

  const release = span("StripeHolds.release")(function* (hold: HoldAt) {
    const ended = end(hold, `coffer/release/${hold.key}`, (stripe, idempotencyKey) =>
      stripe.paymentIntents.cancel(hold.paymentId, { expand: expandOfIntent }, { idempotencyKey })
    )
    return yield* Effect.catchTags(ended, { StripeRefused: (why) => Effect.fail(refuseForNow(why)) })
  })

  return {
    holds: { days, capture, release } satisfies Holds,
    /** What is only held is released. If it was captured meanwhile, that amount goes back. */
    givingBack: (giveBack: RegisteredChannel["giveBack"]): RegisteredChannel["giveBack"] =>
      Effect.fnUntraced(function* (checkout, payment) {
        if (payment.isHold !== true) return yield* giveBack(checkout, payment)
        const { channel, paymentId } = payment
        const { merchantId, mode, tradeNo } = checkout
        const ended = yield* release({ merchantId, mode, tradeNo, channel, paymentId, key: `return/${paymentId}` })
        if (ended._tag === "Pending") return yield* new ChannelUnreachable({ because: "unknown" })
        if (ended._tag === "Gone") return { _tag: "Taken" } satisfies ReturnAnswer
        return yield* giveBack(checkout, { channel, paymentId, amount: ended.payment.amount })
      })
  }
})

/** Stripe repeats this failure for the key for a day. */
const isKept = (failure: StripeFailure) =>
  failure._tag === "StripeRefused" || (failure._tag === "StripeSilent" && failure.wasAnswered)
