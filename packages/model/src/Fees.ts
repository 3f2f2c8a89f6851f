/**
 * What a merchant pays for an acquired payment: basis points of the amount plus a fixed part, per mode, method and
 * currency. The specification names a fee and gives no formula; ours is silences: O6.
 */
import { Schema } from "effect"
import { Mode } from "./Ids.ts"
import { Currency, Minor, PaymentMethod } from "./Money.ts"

/** One line of a schedule. A criterion that is left out holds for all; the first line that fits is taken. */
export const FeeLine = Schema.Struct({
  mode: Schema.optionalKey(Mode),
  method: Schema.optionalKey(PaymentMethod),
  currency: Schema.optionalKey(Currency),
  /** Hundredths of a percent, 0 to 10,000. */
  basis_points: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })),
  /** Minor units, added to every payment. */
  fixed: Minor
})
export type FeeLine = typeof FeeLine.Type

/** At most 100 lines. */
export const FeeSchedule = Schema.Array(FeeLine).check(Schema.isMaxLength(100))
export type FeeSchedule = typeof FeeSchedule.Type

/** 2.9 % + 0.30 for everybody who has no schedule of their own. */
export const defaultFee: FeeLine = { basis_points: 290, fixed: Minor.make(30) }
