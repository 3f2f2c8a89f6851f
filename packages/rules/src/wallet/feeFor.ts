/** The acquiring fee of one payment (silences: O6): rounded half up, never above the amount. Pure. */
import { defaultFee, type FeeSchedule } from "@coffer/model/Fees"
import type { Mode } from "@coffer/model/Ids"
import { type Currency, Minor } from "@coffer/model/Money"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"

export interface Acquired {
  readonly mode: Mode
  readonly method: PaymentMethod
  readonly currency: Currency
  readonly amount: Minor
}

export const feeFor = (schedule: FeeSchedule, payment: Acquired): Minor => {
  const line =
    schedule.find(
      ({ currency, method, mode }) =>
        (mode === undefined || mode === payment.mode) &&
        (method === undefined || method === payment.method) &&
        (currency === undefined || currency === payment.currency)
    ) ?? defaultFee
  // 10^11 times 10^4 is below 2^53: exact.
  const share = Math.floor((payment.amount * line.basis_points + 5_000) / 10_000)
  return Minor.make(Math.min(payment.amount, share + line.fixed))
}
