/**
 * The signed addresses of an order (spec: Order, checkout_url and receipt_url). The token of a checkout names the order
 * and when it ends, so the same order always has the same address; opened after the end it shows the order's state
 * (silences: O11). The token of a receipt has no end. Addresses for buyers begin with the shop's own host where it has
 * one (`ShopHosts.ts`), and stored ones with PUBLIC_URL. No signature depends on the host.
 */
import { TradeNo } from "@coffer/model/Ids"
import { redactedText } from "@coffer/rules/redaction"
import { atBase, signedAs, withSignatures } from "@coffer/rules/signedAddresses"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { ShopHosts } from "./ShopHosts.ts"

/** The addresses in an order's view. */
export interface OrderUrls {
  readonly checkout: (order: LinkedOrder) => string
  readonly receipt: (order: Omit<LinkedOrder, "expiresAt">) => string
}

export interface LinkedOrder {
  readonly merchantId: string
  readonly tradeNo: TradeNo
  readonly expiresAt: DateTime.Utc
}

export class OrderLinks extends Context.Service<
  OrderLinks,
  {
    readonly signed: OrderUrls
    /** Without the signatures: for stored views. */
    readonly unsigned: OrderUrls
    /** For exported files: redacted as in API logs. */
    readonly cut: OrderUrls
    /** A view that was stored without the signatures, with them and with the current host. */
    readonly complete: <View extends object>(view: View) => View
    /** The order of a checkout's token; none if the signature is not ours. */
    readonly readCheckout: (token: string) => Option.Option<TradeNo>
    /** The same of a receipt's token. */
    readonly readReceipt: (token: string) => Option.Option<TradeNo>
  }
>()("@coffer/signedUrls/OrderLinks") {}

const isTradeNo = Schema.is(TradeNo)

/** In place of an end, for receipts. */
const never = "0"

export const layer = Layer.effect(
  OrderLinks,
  Effect.gen(function* () {
    const { publicUrl } = yield* Settings
    const secrets = yield* Secrets
    const { baseOf } = yield* ShopHosts
    const payloadOf = (tradeNo: TradeNo, expiresAt: DateTime.Utc) =>
      `${tradeNo}.${Math.floor(DateTime.toEpochMillis(expiresAt) / 1000)}`

    const read = (token: string, use: string, isEnd: (end: string) => boolean) => {
      const [tradeNo = "", end = ""] = token.split(".", 2)
      const payload = `${tradeNo}.${end}`
      // The rest is the signature, so a token has one spelling.
      return isTradeNo(tradeNo) && isEnd(end) && secrets.isSigned(use + payload, token.slice(payload.length + 1))
        ? Option.some(tradeNo)
        : Option.none()
    }

    return OrderLinks.of({
      signed: {
        checkout: ({ expiresAt, merchantId, tradeNo }) => {
          const payload = payloadOf(tradeNo, expiresAt)
          return `${baseOf(merchantId)}/checkout/${payload}.${secrets.sign(signedAs.checkout_url + payload)}`
        },
        receipt: ({ merchantId, tradeNo }) => {
          const payload = `${tradeNo}.${never}`
          return `${baseOf(merchantId)}/receipts/${payload}.${secrets.sign(signedAs.receipt_url + payload)}`
        }
      },
      unsigned: {
        checkout: ({ expiresAt, tradeNo }) => `${publicUrl}/checkout/${payloadOf(tradeNo, expiresAt)}`,
        receipt: ({ tradeNo }) => `${publicUrl}/receipts/${tradeNo}.${never}`
      },
      cut: {
        checkout: () => `${publicUrl}/checkout/${redactedText}`,
        receipt: () => `${publicUrl}/receipts/${redactedText}`
      },
      complete: (view) => atBase(withSignatures(view, secrets.sign), baseOf),
      readCheckout: (token) => read(token, signedAs.checkout_url, (end) => end !== never),
      readReceipt: (token) => read(token, signedAs.receipt_url, (end) => end === never)
    })
  })
)
