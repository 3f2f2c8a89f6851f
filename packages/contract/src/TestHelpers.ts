/**
 * The buyer and the bank, scripted: how a merchant's developer makes things happen in the sandbox. Ours, not the
 * specification's (docs/architecture.md, section 7). A live key finds no such route.
 */
import { PaymentMethod } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, SandboxOnly } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict, OrderNotFound, ProcessorError, RefundNotFound, Unavailable } from "./Errors.ts"
import { text, withExample } from "./fields.ts"
import { OrderResource } from "./Orders.ts"
import { RefundResource } from "./Refunds.ts"

export const PayOutcome = Schema.Literals(["succeed", "decline", "fail", "redirect", "succeed_unreported"])
export type PayOutcome = typeof PayOutcome.Type

const PayBody = withExample(
  Schema.Struct({
    payment_method: Schema.optionalKey(PaymentMethod.annotate({ description: "`card` unless given." })),
    outcome: Schema.optionalKey(
      PayOutcome.annotate({
        description:
          "`succeed` unless given. `decline`: the attempt fails, the order stays pending. `fail`: the channel's " +
          "last word. `redirect`: the buyer is on the way and cannot be stopped. `succeed_unreported`: the channel " +
          "has the money and has not said so yet."
      })
    )
  }),
  { payment_method: "card", outcome: "succeed" }
)

const Reachable = withExample(
  Schema.Struct({
    reachable: Schema.Boolean.annotate({ description: "Whether your sandbox channel answers." })
  }).annotate({ description: "The state of the channel." }),
  { reachable: false }
)

const SettleBody = withExample(
  Schema.Struct({
    outcome: Schema.Literals(["succeeded", "failed"]).annotate({
      description: "What the bank says. It may also take back, as `failed`, what had succeeded."
    })
  }),
  { outcome: "succeeded" }
)

export class TestHelpersGroup extends HttpApiGroup.make("test_helpers")
  .add(
    HttpApiEndpoint.post("pay", "/v1/test_helpers/orders/:ref/pay", {
      params: { ref: text("The order's `trade_no`, or your own `out_trade_no`.") },
      payload: PayBody,
      success: enveloped(OrderResource),
      error: [OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Pay an order as its buyer would",
        description: "Works on a closed order, too: that is the late payment, which goes back to the buyer."
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
    HttpApiEndpoint.post("channel", "/v1/test_helpers/channel", {
      payload: Reachable,
      success: enveloped(Reachable)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Take your sandbox channel down, or up again",
        description: "While it is down, whatever has to ask the channel answers 502. Other merchants do not notice."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Idempotency)
  .middleware(SandboxOnly)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The buyer and the bank, scripted, for the sandbox only.") {}
