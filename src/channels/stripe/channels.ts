/**
 * Which channel is asked: Stripe for what was begun there, the sandbox's bank for all else. A merchant that never had
 * an account at Stripe meets no difference.
 */
import { Effect, Layer } from "effect"
import { Channel } from "../../channel/Channel.ts"
import { DisputeChannel } from "../../channel/DisputeChannel.ts"
import { RefundChannel } from "../../channel/RefundChannel.ts"
import { makeStripeChannel } from "./StripeChannel.ts"
import { StripeClient } from "./StripeClient.ts"
import { makeStripeDisputes } from "./StripeDisputes.ts"
import { makeStripeRefunds } from "./StripeRefunds.ts"

/** Payment intents. The sandbox's bank begins its numbers otherwise. */
const isStripes = (paymentId: string) => paymentId.startsWith("pi_")

/** Disputes of the sandbox's bank are numbered as we number things; Stripe's numbers have another form. */
export const sandboxesDispute = "^dp_[0-9A-HJKMNP-TV-Z]{26}$"
const isSandboxes = (processorDisputeId: string) => new RegExp(sandboxesDispute).test(processorDisputeId)

const channel = Layer.effect(
  Channel,
  Effect.gen(function* () {
    const sandbox = yield* Channel
    const stripe = yield* makeStripeChannel
    const client = yield* StripeClient
    return Channel.of({
      cancel: Effect.fnUntraced(function* (checkout) {
        if ((yield* client.accountOf(checkout)) === null) return yield* sandbox.cancel(checkout)
        const report = yield* stripe.cancel(checkout)
        // The test helpers may have paid the order at the sandbox's bank.
        return report._tag === "Cancelled" ? yield* sandbox.cancel(checkout) : report
      }),
      giveBack: (checkout, payment) => (isStripes(payment.paymentId) ? stripe : sandbox).giveBack(checkout, payment)
    })
  })
)

const refunds = Layer.effect(
  RefundChannel,
  Effect.gen(function* () {
    const sandbox = yield* RefundChannel
    const stripe = yield* makeStripeRefunds
    return RefundChannel.of({
      refund: (request) => (isStripes(request.paymentId) ? stripe : sandbox).refund(request)
    })
  })
)

const disputes = Layer.effect(
  DisputeChannel,
  Effect.gen(function* () {
    const sandbox = yield* DisputeChannel
    const stripe = yield* makeStripeDisputes
    const of = ({ processorDisputeId }: { readonly processorDisputeId: string }) =>
      isSandboxes(processorDisputeId) ? sandbox : stripe
    return DisputeChannel.of({
      submit: (dispute, evidence, answer) => of(dispute).submit(dispute, evidence, answer),
      isTest: (dispute) => of(dispute).isTest(dispute),
      accept: (dispute) => of(dispute).accept(dispute),
      status: (dispute) => of(dispute).status(dispute)
    })
  })
)

/** In front of the sandbox's channels, which it needs. */
export const layer = Layer.mergeAll(channel, refunds, disputes)
