/**
 * Simulated buyers and banks: a merchant's developer scripts them in the sandbox. Ours, not the specification's
 * (docs/architecture.md, section 7). For a live key these routes do not exist.
 */
import { disputeReasonLengthMax } from "@coffer/model/Limits"
import { OrderAmount } from "@coffer/model/Money"
import { PaymentMethod, walletNames } from "@coffer/model/PaymentMethod"
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
        "One that you offer. Default: `card`, or the first that you offer if you do not offer cards."
      ),
      outcome: optional(
        PayOutcome,
        "Default: `succeed`. `decline`: the attempt fails, the order stays pending. `fail`: the channel reports a " +
          "final failure. `redirect`: the buyer is paying at the channel and cannot be stopped. " +
          "`succeed_unreported`: the channel has the money and has not reported it yet."
      ),
      amount: optional(
        OrderAmount,
        "Minor units that reach the channel; an amount other than the order's is parked, not credited."
      )
    }),
    { payment_method: "card", outcome: "succeed" }
  )
)

const AuthorizeBody = withoutNulls(
  withExample(
    Schema.Struct({
      payment_method: optional(
        PaymentMethod,
        "One that you offer and that can hold an amount. Default: `card`, or the first of them."
      )
    }),
    { payment_method: "card" }
  )
)

export const CaptureOutcome = Schema.Literals(["succeed", "succeed_unreported", "refuse", "late", "release"])
export type CaptureOutcome = typeof CaptureOutcome.Type

const CaptureBody = withoutNulls(
  withExample(
    Schema.Struct({
      outcome: optional(
        CaptureOutcome,
        "Default: `succeed`. `succeed_unreported`: the bank captures and does not report it. `release`: it gives the " +
          "hold up. `refuse`: it refuses each capture that you ask for. `late`: it captures 5 seconds after you ask."
      ),
      amount: optional(OrderAmount, "Minor units that the bank captures. Default: all that it holds.")
    }),
    { outcome: "succeed", amount: 1500 }
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
      description: "The bank's decision. `failed` may also follow `succeeded`, which reverses the refund."
    })
  }).annotate({ identifier: "SettleRefund", description: "How the refund ends." }),
  { outcome: "succeeded" }
)

const DisputeBody = withoutNulls(
  withExample(
    Schema.Struct({
      amount: optional(OrderAmount, "The amount that the buyer wants back, in minor units. Default: the whole amount."),
      reason: optional(OneLine(1, disputeReasonLengthMax), "The reason, one line. Default: `fraudulent`."),
      evidence_due_by: Schema.optionalKey(
        orNull(
          Moment.annotate({ format: "date-time" }),
          "The deadline for evidence. Default: in 7 days; null for none. It may be in the past."
        )
      )
    }),
    { amount: 1999, reason: "product_not_received" }
  ),
  ["evidence_due_by"]
)

const ResolveBody = withExample(
  Schema.Struct({
    outcome: Schema.Literals(["won", "lost", "closed"]).annotate({
      description: "`won` may also follow `lost`, as an appeal. `closed`: the buyer's bank withdraws."
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
          "Works on a closed order, too: this is a late payment, which is returned to the buyer. After ten " +
          "declined attempts within ten minutes the next is 429 until that time is over, and the order stays " +
          "pending."
      })
    ),
    HttpApiEndpoint.post("authorize", "/v1/test_helpers/orders/:ref/authorize", {
      params: { ref: text("The order's `trade_no`, or your own `out_trade_no`.") },
      payload: AuthorizeBody,
      success: enveloped(OrderResource),
      error: [InvalidRequest, OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Authorize an order as its buyer would",
        description: 'For an order with `capture: "manual"`: the bank holds its amount. The same as `pay` there.'
      })
    ),
    HttpApiEndpoint.post("capture", "/v1/test_helpers/orders/:ref/capture", {
      params: { ref: text("The order's `trade_no`, or your own `out_trade_no`.") },
      payload: CaptureBody,
      success: enveloped(OrderResource),
      error: [InvalidRequest, OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Let the bank capture or release what it holds",
        description:
          "By itself, as by hand at an acquirer, and it reports it; or says how it will answer your own capture. To " +
          "capture as your program does, use `POST /v1/orders/{ref}/capture`. An order without a hold is unchanged."
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
        description: "Alipay and WeChat Pay settle later: by this call, or automatically after a minute."
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
        description: `Creates a chargeback. Only cards, including ${walletNames("en", " and ")}, have them.`
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
          "A decision that is not possible now, such as a loss after a win, changes only the dispute's " +
          "`processor_status`."
      })
    ),
    HttpApiEndpoint.post("channel", "/v1/test_helpers/channel", {
      payload: Reachable,
      success: enveloped(Reachable)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Take your sandbox channel down, or up again",
        description:
          "While it is down, requests that need the channel are answered 502. Other merchants are not affected."
      })
    ),
    HttpApiEndpoint.get("clock", "/v1/test_helpers/clock", {
      success: enveloped(SandboxClockResource)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the clock of your sandbox",
        description: "All dates and time limits of your sandbox follow this clock. Live mode uses real time."
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
          "It stops at each moment at which something is due and processes it: orders expire, webhooks are " +
          "retried, refunds settle. Returns when the target is reached, or after 5 seconds as 202 with the status " +
          "`advancing`; it then continues in the background, and reading the clock shows its progress. It may be " +
          "at most five years ahead in all, and never moves back."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Idempotency)
  .middleware(Quotas)
  .middleware(SandboxOnly)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Simulates the buyer and the bank, in the sandbox only.") {}
