/**
 * Payment methods (spec: Order, payment_method). The properties of each method are declared here once; acquirers' own
 * names are in their folders.
 */
import { Schema, Struct } from "effect"

interface Traits {
  /** The methods' brand names. */
  readonly name: { readonly en: string; readonly zh: string; readonly "zh-Hant": string }
  /**
   * `form`: a typed card. `phone`: a wallet on the phone, for which a desktop shows a QR code; no card is charged, and
   * a refund takes a while. `browser`: the browser's own wallet, which charges a card.
   */
  readonly by: "browser" | "form" | "phone"
  /** How long after the payment it can be refunded. Omitted: without a time limit. */
  readonly refundDays?: number
}

const traits = {
  card: { by: "form", name: { en: "Card", zh: "银行卡", "zh-Hant": "信用卡" } },
  alipay: { by: "phone", refundDays: 90, name: { en: "Alipay", zh: "支付宝", "zh-Hant": "支付寶" } },
  wechat_pay: { by: "phone", refundDays: 180, name: { en: "WeChat Pay", zh: "微信支付", "zh-Hant": "微信支付" } },
  apple_pay: { by: "browser", name: { en: "Apple Pay", zh: "Apple Pay", "zh-Hant": "Apple Pay" } },
  google_pay: { by: "browser", name: { en: "Google Pay", zh: "Google Pay", "zh-Hant": "Google Pay" } }
} as const satisfies Readonly<Record<string, Traits>>

export const PaymentMethod = Schema.Literals(Struct.keys(traits))
export type PaymentMethod = typeof PaymentMethod.Type

const traitsOf = (method: PaymentMethod): Traits => traits[method]
const methodsBy = (...by: ReadonlyArray<Traits["by"]>): ReadonlyArray<PaymentMethod> =>
  PaymentMethod.literals.filter((method) => by.includes(traits[method].by))

export const methodName = (method: PaymentMethod, language: keyof Traits["name"]): string =>
  traits[method].name[language]

export const refundDaysOf = (method: PaymentMethod): number | undefined => traitsOf(method).refundDays
/** The methods with a refund period. */
export const withRefundDays = PaymentMethod.literals.filter((method) => refundDaysOf(method) !== undefined)

/** The methods that work in every browser. The others need the browser's own wallet. */
export const everywhere = methodsBy("form", "phone")
/** The same, with the phone's wallets first. */
export const phonesFirst = [...methodsBy("phone"), ...methodsBy("form")]
/** The wallets of browsers. */
export const ofBrowsers = methodsBy("browser")

/** The wallets of browsers in a sentence, with the last of them after the joint: "Apple Pay and Google Pay". */
export const walletNames = (language: "en" | "zh", joint: " and " | " or " | " 和 "): string => {
  const names = ofBrowsers.map((method) => methodName(method, language))
  return [names.slice(0, -1).join(language === "en" ? ", " : "、"), ...names.slice(-1)].join(joint)
}

/** Whether it is a wallet on the phone, for which a desktop shows a QR code. */
export const isOnPhone = (method: PaymentMethod): boolean => traits[method].by === "phone"

/** The methods of a merchant: each method once, and one at least that every browser can pay with (silences: K8). */
export const OfferedMethods = Schema.Array(PaymentMethod).check(
  Schema.makeFilter(
    (methods: ReadonlyArray<PaymentMethod>) =>
      new Set(methods).size === methods.length && methods.some((method) => everywhere.includes(method)),
    {
      expected: `a list of methods, each of them once, with ${everywhere.join(", ")} or several of them`,
      toJsonSchema: () => [{ minItems: 1, uniqueItems: true }, true]
    }
  )
)

/** Whether a payment is charged as it is made, or held first and charged by the merchant (silences: O75). */
export const CaptureMethod = Schema.Literals(["automatic", "manual"])

// The card of a payment ------------------------------------------------------------

/** The card that was charged, directly or by a browser's wallet. `brand`: in the channel's word, such as `visa`. */
export const PaidCard = Schema.Struct({ brand: Schema.String, last4: Schema.String })
export type PaidCard = typeof PaidCard.Type

/** Whether this method charges a card. */
export const isCardCharged = (method: PaymentMethod): boolean => !isOnPhone(method)

const brandNames: Readonly<Record<string, string>> = {
  visa: "Visa",
  mastercard: "Mastercard",
  amex: "American Express",
  unionpay: "UnionPay",
  jcb: "JCB",
  diners: "Diners Club",
  discover: "Discover",
  cartes_bancaires: "Cartes Bancaires",
  eftpos_au: "eftpos"
}

/** `Visa •••• 4242`, in every language. A brand without a name here is left out. */
export const cardText = ({ brand, last4 }: PaidCard): string =>
  [...(Object.hasOwn(brandNames, brand) ? [brandNames[brand]!] : []), "••••", last4].join(" ")
