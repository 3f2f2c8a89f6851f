/** The payment methods' names for buyers. */
import { cardText, type PaidCard, type PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Language } from "./language.ts"

export const methodNames: Readonly<Record<Language, Readonly<Record<PaymentMethod, string>>>> = {
  en: { card: "Card", alipay: "Alipay", wechat_pay: "WeChat Pay", apple_pay: "Apple Pay", google_pay: "Google Pay" },
  zh: { card: "银行卡", alipay: "支付宝", wechat_pay: "微信支付", apple_pay: "Apple Pay", google_pay: "Google Pay" },
  "zh-Hant": {
    card: "信用卡",
    alipay: "支付寶",
    wechat_pay: "微信支付",
    apple_pay: "Apple Pay",
    google_pay: "Google Pay"
  }
}

interface Paid {
  readonly method: PaymentMethod
  readonly card: PaidCard | null
}

/** `Visa •••• 4242`, or `Apple Pay (Visa •••• 4242)`. */
export const paidWith = ({ card, method }: Paid, language: Language): string => {
  if (card === null) return methodNames[language][method]
  return method === "card" ? cardText(card) : `${methodNames[language][method]} (${cardText(card)})`
}
