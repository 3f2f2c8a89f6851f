/** How a buyer pays (spec: Order, payment_method). */
import { Schema } from "effect"

export const PaymentMethod = Schema.Literals(["card", "alipay", "wechat_pay", "apple_pay", "google_pay"])
export type PaymentMethod = typeof PaymentMethod.Type

/** The methods that every browser can pay with. The others need a wallet of the browser's own. */
export const everywhere: ReadonlyArray<PaymentMethod> = ["card", "alipay", "wechat_pay"]

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

// The card of a payment ------------------------------------------------------------

/** The card that was charged, also behind a wallet of the browser. `brand`: in the channel's word, such as `visa`. */
export const PaidCard = Schema.Struct({ brand: Schema.String, last4: Schema.String })
export type PaidCard = typeof PaidCard.Type

/** Whether a card is charged when a buyer pays so. */
export const isCardCharged = (method: PaymentMethod): boolean => method !== "alipay" && method !== "wechat_pay"

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
