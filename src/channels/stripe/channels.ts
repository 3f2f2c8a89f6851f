/**
 * Which channel is asked: Stripe for what was begun there, the sandbox's bank for all else. A merchant that never had
 * an account at Stripe meets no difference.
 */
import type { ChannelName } from "@coffer/model/Ids"
import { Effect, Layer } from "effect"
import { Channel } from "../../channel/Channel.ts"
import { DisputeChannel } from "../../channel/DisputeChannel.ts"
import { RefundChannel } from "../../channel/RefundChannel.ts"
import { makeCancel } from "./Sessions.ts"
import { stripeChannel } from "./SessionStore.ts"
import { StripeClient } from "./StripeClient.ts"
import { makeStripeDisputes } from "./StripeDisputes.ts"
import { makeStripeRefunds } from "./StripeRefunds.ts"

const isStripes = ({ channel }: { readonly channel: ChannelName }) => channel === stripeChannel

const channel = Layer.effect(
  Channel,
  Effect.gen(function* () {
    const sandbox = yield* Channel
    const cancel = yield* makeCancel
    const { giveBack } = yield* makeStripeRefunds
    const client = yield* StripeClient
    return Channel.of({
      cancel: Effect.fnUntraced(function* (checkout) {
        if ((yield* client.accountOf(checkout)) === null) return yield* sandbox.cancel(checkout)
        const report = yield* cancel(checkout)
        // The test helpers may have paid the order at the sandbox's bank.
        return report._tag === "Cancelled" ? yield* sandbox.cancel(checkout) : report
      }),
      giveBack: (checkout, payment) => (isStripes(payment) ? giveBack : sandbox.giveBack)(checkout, payment)
    })
  })
)

const refunds = Layer.effect(
  RefundChannel,
  Effect.gen(function* () {
    const sandbox = yield* RefundChannel
    const stripe = yield* makeStripeRefunds
    return RefundChannel.of({
      refund: (request) => (isStripes(request) ? stripe : sandbox).refund(request)
    })
  })
)

const disputes = Layer.effect(
  DisputeChannel,
  Effect.gen(function* () {
    const sandbox = yield* DisputeChannel
    const stripe = yield* makeStripeDisputes
    const of = (dispute: { readonly channel: ChannelName }) => (isStripes(dispute) ? stripe : sandbox)
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
