/**
 * The signed address of an order's checkout page (spec: Order, checkout_url). The token names the order and when it
 * ends, so the same order always has the same address; opened after the end it shows the order's state
 * (silences: O11).
 */
import { TradeNo } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Vault } from "../ground/Vault.ts"
import { Settings } from "../Settings.ts"

export class CheckoutLinks extends Context.Service<
  CheckoutLinks,
  {
    readonly urlOf: (tradeNo: TradeNo, expiresAt: DateTime.Utc) => string
    /** The order that a token speaks of; none when we did not sign it. */
    readonly read: (token: string) => Option.Option<TradeNo>
  }
>()("@coffer/checkout/CheckoutLinks") {}

const isTradeNo = Schema.is(TradeNo)

export const layer = Layer.effect(
  CheckoutLinks,
  Effect.gen(function* () {
    const { publicUrl } = yield* Settings
    const vault = yield* Vault
    return CheckoutLinks.of({
      urlOf: (tradeNo, expiresAt) => {
        const payload = `${tradeNo}.${Math.floor(DateTime.toEpochMillis(expiresAt) / 1000)}`
        return `${publicUrl}/checkout/${payload}.${vault.sign(payload)}`
      },
      read: (token) => {
        const [tradeNo = "", end = "", signature = ""] = token.split(".")
        return isTradeNo(tradeNo) && vault.isSigned(`${tradeNo}.${end}`, signature)
          ? Option.some(tradeNo)
          : Option.none()
      }
    })
  })
)
