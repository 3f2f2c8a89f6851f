/**
 * How many requests a merchant may send in a minute, by kind, each kind counted by itself (spec: Limits; silences: U1).
 * The operator may override them for one merchant.
 */
import { Schema } from "effect"
import {
  csvExportsPerMinuteMax,
  helpersPerMinuteMax,
  quotaOverrideMax,
  readsPerMinuteMax,
  writesPerMinuteMax
} from "./Limits.ts"
import { optional, withoutNulls } from "./optional.ts"

/** `writes`: every POST and DELETE. `reads`: every GET but a CSV export. */
export type RequestKind = "writes" | "reads" | "csv"
/** Calls of the test helpers are counted apart, whatever their method. */
export type QuotaKind = RequestKind | "helpers"

const Override = optional(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: quotaOverrideMax })),
  "Requests a minute of this kind; default: the general limit."
)

/** One merchant's overrides of the default. */
export const QuotaOverrides = withoutNulls(
  Schema.Struct({ writes: Override, reads: Override, csv: Override, helpers: Override })
)
export type QuotaOverrides = typeof QuotaOverrides.Type

const defaults: Readonly<Record<QuotaKind, number>> = {
  writes: writesPerMinuteMax,
  reads: readsPerMinuteMax,
  csv: csvExportsPerMinuteMax,
  helpers: helpersPerMinuteMax
}

/** The limits of an operator, who may be a program and acts for all merchants. */
export const operatorQuotas: Readonly<Record<RequestKind, number>> = { writes: 6_000, reads: 6_000, csv: 60 }

export const quotaOf = (overrides: QuotaOverrides, kind: QuotaKind): number => overrides[kind] ?? defaults[kind]

/** The limits of a merchant. */
export const effectiveQuotas = (overrides: QuotaOverrides): Readonly<Record<QuotaKind, number>> => ({
  ...defaults,
  ...overrides
})
