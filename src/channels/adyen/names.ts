/** Adyen's names of our methods and of card brands. Pure. */
import { ChannelName } from "@coffer/model/Ids"
import { isCardCharged, type PaidCard, type PaymentMethod } from "@coffer/model/PaymentMethod"

export const adyenChannel = ChannelName.make("adyen")

/** What a link offers for each method. */
export const linkMethods: Readonly<Record<PaymentMethod, ReadonlyArray<string>>> = {
  card: ["scheme"],
  alipay: ["alipay"],
  wechat_pay: ["wechatpayQR"],
  apple_pay: ["applepay"],
  google_pay: ["googlepay"]
}

/** How the variants of a method begin or end, such as `visa_applepay`. A variant that we do not know is a card's. */
const variants: ReadonlyArray<readonly [RegExp, PaymentMethod]> = [
  [/^alipay/, "alipay"],
  [/^wechatpay/, "wechat_pay"],
  [/(^|_)applepay$/, "apple_pay"],
  [/(^|_)(googlepay|paywithgoogle)$/, "google_pay"]
]

export const methodOf = (variant: string | null): PaymentMethod =>
  variants.find(([pattern]) => pattern.test(variant ?? ""))?.[1] ?? "card"

const brands: Readonly<Record<string, string>> = {
  mc: "mastercard",
  cup: "unionpay",
  cartebancaire: "cartes_bancaires",
  eftpos_australia: "eftpos_au"
}

export const cardOf = (variant: string | null, last4: string | null): PaidCard | null => {
  if (variant === null || last4 === null || !isCardCharged(methodOf(variant))) return null
  const scheme = variant.replace(/_?(applepay|googlepay|paywithgoogle)$/, "")
  return { brand: brands[scheme] ?? scheme, last4 }
}
