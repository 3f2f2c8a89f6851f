/** How a buyer pays (spec: Order, payment_method). */
import { Schema } from "effect"

export const PaymentMethod = Schema.Literals(["card", "alipay", "wechat_pay", "apple_pay", "google_pay"])
export type PaymentMethod = typeof PaymentMethod.Type
