/**
 * The checkout of a shop that does not exist, by the checkout's own renderer: the settings of a merchant show it in a
 * frame, and put the values of the form into it. The page is static, has no script and sends nothing, and no other site
 * can frame it (docs/decisions/0247).
 */
import { MerchantId, OutTradeNo, TradeNo } from "@coffer/model/Ids"
import { OrderAmount } from "@coffer/model/Money"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { PendingOrder } from "@coffer/rules/order/Order"
import { DateTime, Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { Language } from "../../shared/pages/language.ts"
import { headers, policy } from "../../shared/pages/respond.ts"
import type { Shop } from "../../shared/pages/shop.ts"
import { render } from "../checkout/CheckoutPage.ts"
import { script } from "../checkout/script.ts"
import { consolePreviews } from "../edge/routes.ts"
import { serveStatic, type StaticContent } from "../edge/staticContent.ts"

const shop: Shop = {
  name: "Shop",
  logo: null,
  supportEmail: "support@shop.example",
  supportUrl: "https://shop.example/help",
  termsUrl: "https://shop.example/terms",
  privacyUrl: "https://shop.example/privacy",
  businessAddress: null,
  taxId: null,
  accentColor: null,
  timeZone: "UTC"
}

const createdAt = DateTime.makeUnsafe("2030-01-01T09:00:00.000Z")
const order = PendingOrder.make({
  tradeNo: TradeNo.make(`TRD_${"0".repeat(26)}`),
  outTradeNo: OutTradeNo.make("cart-4711"),
  merchantId: MerchantId.make(`mer_${"0".repeat(26)}`),
  mode: "live",
  amount: OrderAmount.make(19_99),
  currency: "USD",
  subject: "Two books",
  notifyUrl: null,
  returnUrl: null,
  locale: null,
  expiresAt: DateTime.addDuration(createdAt, "24 hours"),
  createdAt,
  metadata: {},
  receiptEmail: "reader@example.com",
  receipt: null,
  declines: 0,
  attempts: null,
  unappliedPayments: []
})

const framed = `${policy().replace("frame-ancestors 'none'", "frame-ancestors 'self'")}; sandbox allow-same-origin`

const pageIn = (language: Language): StaticContent => ({
  text: render(
    { _tag: "Pay", order },
    { language, chosen: undefined, shop, offered: PaymentMethod.literals }
    // A frame without scripts would report it as an error.
  ).replace(script.markup, ""),
  contentType: "text/html; charset=utf-8",
  headers: {
    ...headers,
    "content-security-policy": framed,
    "x-frame-options": "SAMEORIGIN",
    "cache-control": "no-cache"
  }
})

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    for (const language of ["en", "zh"] as const) {
      const page = yield* serveStatic(Effect.sync(() => pageIn(language)))
      yield* router.add("GET", consolePreviews[language], page)
    }
  })
)
