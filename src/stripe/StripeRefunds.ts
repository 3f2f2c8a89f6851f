/**
 * Stripe as the desk for refunds. Our number of a refund is its idempotency key at Stripe, and stands in its metadata:
 * Stripe forgets a key after a day, so what was asked for before is looked for first.
 */
import { RefundNo } from "@coffer/model/Ids"
import { Effect, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import { ChannelUnreachable } from "../channel/Channel.ts"
import type { RefundAnswer, RefundChannel, RefundRequest } from "../channel/RefundChannel.ts"
import { span } from "../platform/runtime/span.ts"
import { StripeClient } from "./StripeClient.ts"
import { isForGood, reasonOf } from "./stripeFailures.ts"

const refundNoKey = "coffer_refund_no"

/** Refunds of one payment that are looked through, newest first. */
const pageMax = 100
const pagesMax = 10

export const makeStripeRefunds = Effect.gen(function* () {
  const client = yield* StripeClient

  const known = Effect.fnUntraced(function* (request: RefundRequest) {
    let after: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const listed = yield* client.read(request, (stripe) =>
        stripe.refunds.list({
          payment_intent: request.paymentId,
          limit: pageMax,
          ...(after === undefined ? {} : { starting_after: after })
        })
      )
      const found = listed.data.find(({ metadata }) => metadata?.[refundNoKey] === request.refundNo)
      if (found !== undefined) return found
      after = listed.data.at(-1)?.id
      if (!listed.has_more || after === undefined) return undefined
    }
    return undefined
  })

  const refund = span("StripeRefunds.refund")(function* (request: RefundRequest) {
    const { amount, paymentId, refundNo } = request
    const before = yield* Effect.catchTags(known(request), {
      // A key of another account, perhaps: it does not tell that the refund is not there.
      StripeRefused: () => Effect.fail(new ChannelUnreachable())
    })
    if (before !== undefined) return answerOf(before)
    const asked = client.call(request, (stripe) =>
      stripe.refunds.create(
        { payment_intent: paymentId, amount, metadata: { [refundNoKey]: refundNo } },
        { idempotencyKey: `coffer/refund/${refundNo}` }
      )
    )
    return yield* Effect.catchTags(Effect.map(asked, answerOf), {
      // Nobody knows, so it is asked about again, and then found or asked for under the same key.
      StripeSilent: () => Effect.succeed<RefundAnswer>({ _tag: "Pending" }),
      StripeRefused: (refused) =>
        isForGood(refused)
          ? Effect.succeed<RefundAnswer>({ _tag: "Refused", reason: reasonOf(refused) })
          : Effect.fail(new ChannelUnreachable())
    })
  })

  return { refund } satisfies RefundChannel["Service"]
})

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
export const refundNoOf = ({ metadata }: Stripe.Refund): Option.Option<RefundNo> => {
  const text = metadata?.[refundNoKey]
  return isRefundNo(text) ? Option.some(text) : Option.none()
}
