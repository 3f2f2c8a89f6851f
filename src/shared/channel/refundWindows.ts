/** Until when a payment can be refunded, by its method (spec: Order, refundable_until). Pure. */
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { DateTime } from "effect"

/** Methods that have a refund window, in days. */
const refundDays: Partial<Record<PaymentMethod, number>> = { alipay: 90, wechat_pay: 180 }

export const refundableUntil = (method: PaymentMethod, paidAt: DateTime.Utc): DateTime.Utc | null => {
  const days = refundDays[method]
  return days === undefined ? null : DateTime.add(paidAt, { days })
}
