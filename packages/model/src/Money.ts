/**
 * Money is an integer count of the currency's smallest unit: cents for USD and HKD, fen for CNY. There is no other
 * representation inside the service; two decimals appear only in CSV output and on pages (spec: General rules, 2).
 */
import { Schema } from "effect"
import { orderAmountMax, orderAmountMin } from "./Limits.ts"

export const Currency = Schema.Literals(["USD", "HKD", "CNY"])
export type Currency = typeof Currency.Type

/** Digits behind the decimal point, as people write an amount of the currency. */
export const decimals: Readonly<Record<Currency, number>> = { USD: 2, HKD: 2, CNY: 2 }

/** A signed amount in minor units. Exact: a safe integer is checked wherever one enters (silences: G7). */
export const Signed = Schema.Int.pipe(Schema.brand("Minor"))
/** A non-negative amount in minor units. */
export const Minor = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(Schema.brand("Minor"))
export type Minor = typeof Minor.Type

/** The amount an order may ask for: 1 to 10^11 minor units (spec: Limits). */
export const OrderAmount = Schema.Int.check(
  Schema.isBetween({ minimum: orderAmountMin, maximum: orderAmountMax })
).pipe(Schema.brand("Minor"))

/** Marks the schema of a field that holds an amount. */
export const asMoney = <S extends Schema.Top>(schema: S): S => schema.annotate({ [mark]: true } as {}) as S
export const isMoney = (schema: Schema.Constraint): boolean => Schema.resolveAnnotations(schema)?.[mark] === true
const mark = "coffer/money"

/** Minor units as people read them: `1234` is `12.34`. Exact, since no float is divided. */
export const twoDecimals = (minor: number): string => {
  const digits = String(Math.abs(minor)).padStart(3, "0")
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
