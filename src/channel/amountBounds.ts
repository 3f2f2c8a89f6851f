/**
 * The least and the most that Stripe takes in one payment, in minor units (silences: S23). The figures are those of its
 * published table, which has none for yuan: ours is what half a dollar is about, as Hong Kong's is.
 */
import type { AmountBounds } from "@coffer/rules/order/termsProblem"

/** Eight digits in each currency of ours. */
const max = 99_999_999

export const stripesBounds: AmountBounds = {
  USD: { min: 50, max },
  HKD: { min: 400, max },
  CNY: { min: 400, max }
}
