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
