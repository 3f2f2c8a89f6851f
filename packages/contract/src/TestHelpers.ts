/**
 * Simulated buyers and banks: a merchant's developer scripts them in the sandbox. Ours, not the specification's
 * (docs/architecture.md, section 7). For a live key these routes do not exist.
 */
import { disputeReasonLengthMax } from "@coffer/model/Limits"
import { OrderAmount } from "@coffer/model/Money"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Moment } from "@coffer/model/Times"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas, SandboxOnly } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { disputeRef, DisputeReply } from "./Disputes.ts"
import {
  Conflict,
  DisputeNotFound,
  InvalidRequest,
  OrderNotFound,
  ProcessorError,
  RefundNotFound,
  Unavailable
} from "./Errors.ts"
import { orNull, text, withExample } from "./fields.ts"
import { OrderResource } from "./Orders.ts"
import { RefundResource } from "./Refunds.ts"
import { AdvanceClock, SandboxClockResource } from "./SandboxClock.ts"

export const PayOutcome = Schema.Literals(["succeed", "decline", "cancel", "fail", "redirect", "succeed_unreported"])
export type PayOutcome = typeof PayOutcome.Type

const PayBody = withoutNulls(
  withExample(
    Schema.Struct({
      payment_method: optional(
        PaymentMethod,
        "One that you offer: `card` unless given, or the first that you offer where cards are not."
      ),
      outcome: optional(
        PayOutcome,
        "`succeed` unless given. `decline`: the attempt fails, the order stays pending. `fail`: the channel's " +
          "last word. `redirect`: the buyer is on the way and cannot be stopped. `succeed_unreported`: the channel " +
          "has the money and has not said so yet."
      ),
      amount: optional(
        OrderAmount,
        "Minor units that reach the channel; another amount than the order's is not credited but parked."
      )
    }),
    { payment_method: "card", outcome: "succeed" }
  )
)

const Reachable = withExample(
  Schema.Struct({
    reachable: Schema.Boolean.annotate({ description: "Whether your sandbox channel answers." })
  }).annotate({ identifier: "SandboxChannel", description: "The state of the channel." }),
  { reachable: false }
)

const SettleBody = withExample(
  Schema.Struct({
    outcome: Schema.Literals(["succeeded", "failed"]).annotate({
      description: "The bank's word. It may also take back, as `failed`, what had succeeded."
    })
  }).annotate({ identifier: "SettleRefund", description: "How the refund ends." }),
  { outcome: "succeeded" }
)

const DisputeBody = withoutNulls(
  withExample(
    Schema.Struct({
      amount: optional(OrderAmount, "The amount that the buyer wants back, in minor units; the whole unless given."),
      reason: optional(OneLine(1, disputeReasonLengthMax), "Why, in one line; `fraudulent` unless given."),
      evidence_due_by: Schema.optionalKey(
        orNull(
          Moment.annotate({ format: "date-time" }),
          "The last moment for evidence: in 7 days unless given, null for none. The past will do, too."
        )
      )
    }),
    { amount: 1999, reason: "product_not_received", evidence_due_by: "2026-12-05T23:59:59.000Z" }
  ),
  ["evidence_due_by"]
)

const ResolveBody = withExample(
  Schema.Struct({
    outcome: Schema.Literals(["won", "lost", "closed"]).annotate({
      description: "`won` may also follow a loss: the appeal. `closed`: the buyer's bank withdraws."
    })
  }),
  { outcome: "won" }
)

export class TestHelpersGroup extends HttpApiGroup.make("test_helpers")
  .add(
    HttpApiEndpoint.post("pay", "/v1/test_helpers/orders/:ref/pay", {
      params: { ref: text("The order's `trade_no`, or your own `out_trade_no`.") },
      payload: PayBody,
      success: enveloped(OrderResource),
      error: [InvalidRequest, OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Pay an order as its buyer would",
        description:
          "Works on a closed order, too: that is the late payment, which goes back to the buyer. After ten declined " +
          "attempts within ten minutes the next is 429 until that time is over, and the order stays pending."
      })
    ),
    HttpApiEndpoint.post("settleRefund", "/v1/test_helpers/refunds/:ref/settle", {
      params: { ref: text("The refund's `refund_no`, or your own `out_refund_no`.") },
      payload: SettleBody,
      success: enveloped(RefundResource),
      error: [RefundNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Let the bank confirm or reject a refund",
        description: "Alipay and WeChat Pay settle later: by this call, or by themselves after a minute."
      })
    ),
    HttpApiEndpoint.post("dispute", "/v1/test_helpers/orders/:ref/dispute", {
      params: { ref: text("The order's `trade_no`, or your own `out_trade_no`.") },
      payload: DisputeBody,
      success: DisputeReply.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Let the buyer dispute the payment",
        description: "A chargeback arrives. Cards have them, and so Apple Pay and Google Pay; the other methods do not."
      })
    ),
    HttpApiEndpoint.post("resolveDispute", "/v1/test_helpers/disputes/:ref/resolve", {
      params: { ref: disputeRef },
      payload: ResolveBody,
      success: DisputeReply,
      error: [DisputeNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Let the bank decide a dispute",
        description:
          "A word that cannot follow, as a loss after it was won, leaves the dispute as it is but for its " +
          "`processor_status`."
      })
    ),
    HttpApiEndpoint.post("channel", "/v1/test_helpers/channel", {
      payload: Reachable,
      success: enveloped(Reachable)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Take your sandbox channel down, or up again",
        description: "While it is down, whatever has to ask the channel answers 502. Other merchants do not notice."
      })
    ),
    HttpApiEndpoint.get("clock", "/v1/test_helpers/clock", {
      success: enveloped(SandboxClockResource)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the clock of your sandbox",
        description: "All that your sandbox dates or limits by time follows this clock. Live mode keeps real time."
      })
    ),
    HttpApiEndpoint.post("advanceClock", "/v1/test_helpers/clock/advance", {
      payload: AdvanceClock,
      success: [enveloped(SandboxClockResource), enveloped(SandboxClockResource).pipe(HttpApiSchema.status(202))],
      error: [InvalidRequest, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Move the clock of your sandbox forward",
        description:
          "It goes from one moment at which something is due to the next, and lets it be done: orders expire, " +
          "webhooks are sent again, refunds settle. The answer comes when it is there, or after 5 seconds as 202 " +
          "with the status `advancing`; then it goes on by itself, and reading the clock tells how far it is. It may " +
          "be five years ahead in all, and never goes back."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Idempotency)
  .middleware(Quotas)
  .middleware(SandboxOnly)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The buyer and the bank, scripted, for the sandbox only.") {}
