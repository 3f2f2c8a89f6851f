/**
 * Stripe as the desk for refunds. Our number of a refund is in its idempotency key at Stripe, and in its metadata:
 * Stripe forgets a key after a day, so what was asked for before is looked for first.
 */
import { type PaymentId, RefundNo } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { ChannelUnreachable } from "../../channel/Channel.ts"
import type { RefundAnswer, RefundChannel, RefundRequest } from "../../channel/RefundChannel.ts"
import { span } from "../../platform/runtime/span.ts"
import { CallKeys } from "./CallKeys.ts"
import { StripeClient } from "./StripeClient.ts"
import { isForGood, reasonOf, type StripeFailure } from "./stripeFailures.ts"

const refundNoKey = "coffer_refund_no"

/** Refunds of one payment that are looked through, newest first. */
const pageMax = 100
const pagesMax = 10

type Payment = Pick<Account, "merchantId" | "mode"> & { readonly paymentId: PaymentId }

/** The refund of a payment whose metadata has this text under this key, if Stripe has made it. */
export const findRefund = (client: StripeClient["Service"]) =>
  Effect.fnUntraced(
    function* (payment: Payment, key: string, text: string) {
      let after: string | undefined
      for (let page = 0; page < pagesMax; page++) {
        const listed = yield* client.read(payment, (stripe) =>
          stripe.refunds.list({
            payment_intent: payment.paymentId,
            limit: pageMax,
            ...(after === undefined ? {} : { starting_after: after })
          })
        )
        const found = listed.data.find(({ metadata }) => metadata?.[key] === text)
        if (found !== undefined) return found
        after = listed.data.at(-1)?.id
        if (!listed.has_more || after === undefined) return undefined
      }
      return undefined
    },
    // A key of another account, perhaps: it does not tell that the refund is not there.
    Effect.catchTags({ StripeRefused: () => Effect.fail(new ChannelUnreachable()) })
  )

export const makeStripeRefunds = Effect.gen(function* () {
  const client = yield* StripeClient
  const keys = yield* CallKeys
  const known = findRefund(client)

  const refund = span("StripeRefunds.refund")(function* (request: RefundRequest) {
    const { amount, paymentId, refundNo } = request
    const before = yield* known(request, refundNoKey, refundNo)
    if (before !== undefined) return answerOf(before)
    const asked = keys.using(`coffer/refund/${refundNo}`, isPassing, (idempotencyKey) =>
      client.call(request, (stripe) =>
        stripe.refunds.create(
          { payment_intent: paymentId, amount, metadata: { [refundNoKey]: refundNo } },
          { idempotencyKey }
        )
      )
    )
    return yield* Effect.catchTags(Effect.map(asked, answerOf), {
      // It is unknown, so it is asked about again, and then found or asked for under the same key.
      StripeSilent: () => Effect.succeed<RefundAnswer>({ _tag: "Pending" }),
      StripeRefused: (refused) =>
        isForGood(refused)
          ? Effect.succeed<RefundAnswer>({ _tag: "Refused", reason: reasonOf(refused) })
          : Effect.fail(new ChannelUnreachable())
    })
  })

  return { refund } satisfies RefundChannel["Service"]
})

const isPassing = (failure: StripeFailure) => failure._tag === "StripeRefused" && !isForGood(failure)

export const answerOf = ({ failure_reason, status }: Stripe.Refund): RefundAnswer => {
  switch (status) {
    case "succeeded":
      return { _tag: "Succeeded" }
    case "failed":
    case "canceled":
      return { _tag: "Refused", reason: failure_reason ?? status }
    default:
      return { _tag: "Pending" }
  }
}

const isRefundNo = Schema.is(RefundNo)

/** Which of our refunds this is; none for one that was made elsewhere, such as in Stripe's dashboard. */
export const refundNoOf = ({ metadata }: Pick<Stripe.Refund, "metadata">): Option.Option<RefundNo> => {
  const text = metadata?.[refundNoKey]
  return isRefundNo(text) ? Option.some(text) : Option.none()
}
