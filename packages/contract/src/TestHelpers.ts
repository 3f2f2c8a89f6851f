/**
 * The buyer and the bank, scripted: how a merchant's developer makes things happen in the sandbox. Ours, not the
 * specification's (docs/architecture.md, section 7). A live key finds no such route.
 */
import { PaymentMethod } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, SandboxOnly } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict, OrderNotFound, ProcessorError, Unavailable } from "./Errors.ts"
import { OrderResource } from "./Orders.ts"

export const PayOutcome = Schema.Literals(["succeed", "decline", "fail", "redirect", "succeed_unreported"])
export type PayOutcome = typeof PayOutcome.Type

export class TestHelpersGroup extends HttpApiGroup.make("test_helpers")
  .add(
    HttpApiEndpoint.post("pay", "/v1/test_helpers/orders/:ref/pay", {
      params: { ref: Schema.String },
      payload: Schema.Struct({
        payment_method: Schema.optionalKey(PaymentMethod),
        outcome: Schema.optionalKey(PayOutcome)
      }),
      success: enveloped(OrderResource),
      error: [OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotate(OpenApi.Summary, "Pay an order as its buyer would"),
    HttpApiEndpoint.post("channel", "/v1/test_helpers/channel", {
      payload: Schema.Struct({ reachable: Schema.Boolean }),
      success: enveloped(Schema.Struct({ reachable: Schema.Boolean }))
    }).annotate(OpenApi.Summary, "Take your sandbox channel down, or up again")
  )
  .middleware(Decoding)
  .middleware(Idempotency)
  .middleware(SandboxOnly)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The buyer and the bank, scripted, for the sandbox only.") {}
