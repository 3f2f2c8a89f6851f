/** Money that goes back through Adyen: merchants' refunds, and whole payments (`Modifying.ts`). */
import { Effect } from "effect"
import { span } from "../../platform/runtime/span.ts"
import type { RegisteredChannel } from "../../shared/channel/Channel.ts"
import { ChannelUnreachable, type RefundAnswer, type ReturnAnswer } from "../../shared/channel/payments.ts"
import { makeModifying } from "./Modifying.ts"
import { returnPrefix } from "./ModificationStore.ts"

export const makeAdyenRefunds = Effect.gen(function* () {
  const modify = yield* makeModifying

  return {
    refund: span("AdyenRefunds.refund")(function* (request) {
      const { amount, currency, paymentId, refundNo } = request
      const known = yield* modify(request, paymentId, refundNo, ({ account }) => ({
        path: `/payments/${paymentId}/refunds`,
        body: { merchantAccount: account, amount: { value: amount, currency }, reference: refundNo }
      }))
      if (typeof known === "string") return { _tag: "Pending" } satisfies RefundAnswer
      return known.outcome === "succeeded"
        ? ({ _tag: "Succeeded" } satisfies RefundAnswer)
        : ({ _tag: "Refused", reason: known.reason } satisfies RefundAnswer)
    }),

    // What is only held is released by the same call.
    giveBack: span("AdyenChannel.giveBack")(function* (checkout, { paymentId }) {
      const reference = returnPrefix + paymentId
      const known = yield* modify(checkout, paymentId, reference, ({ account }) => ({
        path: `/payments/${paymentId}/reversals`,
        body: { merchantAccount: account, reference }
      }))
      if (known === "unknown") return yield* new ChannelUnreachable({ because: "unknown" })
      return known !== "taken" && known.outcome === "failed"
        ? ({ _tag: "Refused", reason: known.reason } satisfies ReturnAnswer)
        : ({ _tag: "Taken" } satisfies ReturnAnswer)
    })
  } satisfies Pick<RegisteredChannel, "refund" | "giveBack">
})
