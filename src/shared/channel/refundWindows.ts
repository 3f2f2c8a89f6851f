/** Until when a payment can be refunded, by its method (spec: Order, refundable_until). Pure. */
import { type PaymentMethod, refundDaysOf } from "@coffer/model/PaymentMethod"
import { DateTime } from "effect"

export const refundableUntil = (method: PaymentMethod, paidAt: DateTime.Utc): DateTime.Utc | null => {
  const days = refundDaysOf(method)
  return days === undefined ? null : DateTime.add(paidAt, { days })
}
