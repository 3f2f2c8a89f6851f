/**
 * The signed address of an order's checkout page (spec: Order, checkout_url). The token names the order and when it
 * ends, so the same order always has the same address; opened after the end it shows the order's state
 * (silences: O11).
 */
import { TradeNo } from "@coffer/model/Ids"
import { withSignature } from "@coffer/rules/checkoutAddress"
import { redactedText } from "@coffer/rules/redaction"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Secrets } from "../platform/runtime/Secrets.ts"
import { Settings } from "../platform/runtime/Settings.ts"

export class CheckoutLinks extends Context.Service<
  CheckoutLinks,
  {
    readonly urlOf: (tradeNo: TradeNo, expiresAt: DateTime.Utc) => string
    /** Without the signature: for what is stored. */
    readonly unsignedUrlOf: (tradeNo: TradeNo, expiresAt: DateTime.Utc) => string
    /** A view that was stored without the signature, as its owner sees it. */
    readonly complete: <View extends object>(view: View) => View
    /** For files, which travel: cut as in API logs. */
    readonly cutUrl: string
    /** The order that a token speaks of; none when we did not sign it. */
    readonly read: (token: string) => Option.Option<TradeNo>
  }
>()("@coffer/checkout/CheckoutLinks") {}

const isTradeNo = Schema.is(TradeNo)

export const layer = Layer.effect(
  CheckoutLinks,
  Effect.gen(function* () {
    const { publicUrl } = yield* Settings
    const secrets = yield* Secrets
    const payloadOf = (tradeNo: TradeNo, expiresAt: DateTime.Utc) =>
      `${tradeNo}.${Math.floor(DateTime.toEpochMillis(expiresAt) / 1000)}`
    return CheckoutLinks.of({
      urlOf: (tradeNo, expiresAt) => {
        const payload = payloadOf(tradeNo, expiresAt)
        return `${publicUrl}/checkout/${payload}.${secrets.sign(payload)}`
      },
      unsignedUrlOf: (tradeNo, expiresAt) => `${publicUrl}/checkout/${payloadOf(tradeNo, expiresAt)}`,
      complete: (view) => withSignature(view, secrets.sign),
      cutUrl: `${publicUrl}/checkout/${redactedText}`,
      read: (token) => {
        const [tradeNo = "", end = ""] = token.split(".", 2)
        const payload = `${tradeNo}.${end}`
        // All that follows is the signature, so a token has one spelling.
        return isTradeNo(tradeNo) && secrets.isSigned(payload, token.slice(payload.length + 1))
          ? Option.some(tradeNo)
          : Option.none()
      }
    })
  })
)
