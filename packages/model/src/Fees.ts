/**
 * The fees of a merchant: for an acquired payment basis points of the amount plus a fixed part, per mode, method and
 * currency; for a dispute that is lost and for a payout a fixed sum in each currency. The specification names these
 * fees and gives no formula; ours are silences: O6, D10.
 */
import { Schema } from "effect"
import { Mode } from "./Ids.ts"
import { orderAmountMax } from "./Limits.ts"
import { Currency, Minor } from "./Money.ts"
import { PaymentMethod } from "./PaymentMethod.ts"
import { optional, withoutNulls } from "./optional.ts"

/** One line of a schedule. An omitted criterion matches everything; the first matching line applies. */
export const FeeLine = withoutNulls(
  Schema.Struct({
    mode: optional(Mode, "In this environment; left out: in both."),
    method: optional(PaymentMethod, "For payments by this method; default: any method."),
    currency: optional(Currency, "For payments in this currency; default: any currency."),
    basis_points: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({
      description: "Hundredths of a percent of the amount, 0 to 10,000."
    }),
    fixed: Minor.annotate({ description: "Minor units, added to every payment." })
  })
)
export type FeeLine = typeof FeeLine.Type

/** At most 100 lines. */
export const FeeSchedule = Schema.Array(FeeLine).check(Schema.isMaxLength(100))
export type FeeSchedule = typeof FeeSchedule.Type

/** 2.9 % + 0.30 for merchants without a schedule of their own. */
export const defaultFee: FeeLine = { basis_points: 290, fixed: Minor.make(30) }

/** The fee of a payment that matches no line with a criterion, and its source. */
export const effectiveFee = ({ fees }: { readonly fees: FeeSchedule }) => {
  const own = fees.find(
    ({ currency, method, mode }) => currency === undefined && method === undefined && mode === undefined
  )
  const { basis_points, fixed } = own ?? defaultFee
  return { basis_points, fixed, source: own === undefined ? ("service" as const) : ("merchant" as const) }
}

const Fixed = optional(Minor.check(Schema.isLessThanOrEqualTo(orderAmountMax)), "In minor units; unchanged if omitted.")

/** A fixed fee by currency, minor units. An omitted currency has the default. */
export const FeeByCurrency = withoutNulls(Schema.Struct({ USD: Fixed, HKD: Fixed, CNY: Fixed }))
export type FeeByCurrency = typeof FeeByCurrency.Type

type AllCurrencies = Readonly<Record<Currency, Minor>>

const inEach = (amount: Minor): AllCurrencies => ({ USD: amount, HKD: amount, CNY: amount })

/** Charged when a dispute is lost (silences: D10). */
export const effectiveDisputeFees = ({ dispute_fee }: { readonly dispute_fee: FeeByCurrency }): AllCurrencies => ({
  ...inEach(Minor.make(1_500)),
  ...dispute_fee
})

/** Charged when a payout has reached the merchant's bank. */
export const effectivePayoutFees = ({ payout_fee }: { readonly payout_fee: FeeByCurrency }): AllCurrencies => ({
  ...inEach(Minor.make(0)),
  ...payout_fee
})

/** This merchant's fee for a lost dispute. */
export const disputeFeeOf = (merchant: { readonly dispute_fee: FeeByCurrency }, currency: Currency): Minor =>
  effectiveDisputeFees(merchant)[currency]

/** This merchant's fee for a payout. */
export const payoutFeeOf = (merchant: { readonly payout_fee: FeeByCurrency }, currency: Currency): Minor =>
  effectivePayoutFees(merchant)[currency]
