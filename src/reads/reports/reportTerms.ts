/** What a report is about, how far it is, and what a step of it is (`reportSteps.ts`). */
import type { ReportLine } from "@coffer/contract/ReportLines"
import { ReportFormat, ReportInterval, ReportKind } from "@coffer/contract/Reports"
import type { Account } from "@coffer/model/Account"
import { Currency } from "@coffer/model/Money"
import { zoneOf } from "@coffer/rules/reports/days"
import { OpenPeriod } from "@coffer/rules/reports/statement"
import { type DateTime, type Effect, Schema } from "effect"
import type { ReportSources } from "./ReportSources.ts"

export const Terms = Schema.Struct({
  report: ReportKind,
  format: ReportFormat,
  timeZone: Schema.String,
  interval: ReportInterval,
  from: Schema.String,
  to: Schema.String,
  currencies: Schema.Array(Currency),
  /** Bodies of ids, both outside: a day is the ids that were made on it. */
  above: Schema.String,
  below: Schema.String,
  /** The report ends before this moment, in milliseconds since 1970. */
  asOf: Schema.Int,
  /** Whether the whole range was over; a report of an earlier release does not say. */
  complete: Schema.optionalKey(Schema.Boolean)
})
export type Terms = typeof Terms.Type

const FeeSum = Schema.Struct({ count: Schema.Int, volume: Schema.Int, fee: Schema.Int })

/** The position of a report. */
export const Place = Schema.Struct({
  /** The index of the currency. */
  wallet: Schema.Int,
  /** The index of the period in a statement, and of the type of rows in fees and frozen money. */
  stage: Schema.Int,
  /** The body of the last row that was read. */
  last: Schema.String,
  open: Schema.NullOr(OpenPeriod),
  /** In a journal, by currency. */
  opens: Schema.optionalKey(Schema.Record(Schema.String, OpenPeriod)),
  fees: Schema.Record(Schema.String, FeeSum),
  /** Frozen money that is not found yet; null before it is known. */
  left: Schema.NullOr(Schema.Int)
})
export type Place = typeof Place.Type

export interface Step {
  readonly lines: ReadonlyArray<ReportLine>
  /** Undefined at the end. */
  readonly next: Place | undefined
  /** Rows that were read. */
  readonly rows: number
}

export type Sources = ReportSources["Service"]
export type Make = (sources: Sources, account: Account, terms: Terms, place: Place) => Effect.Effect<Step>

/** Periods that one step closes: to find when a day begins takes a moment. */
export const periodsMax = 31

const walletBegin = (wallet: number): Place => ({ wallet, stage: 0, last: "", open: null, fees: {}, left: null })
export const begin = walletBegin(0)

/** The next wallet, if there is one. */
export const nextWallet = ({ currencies }: Terms, { wallet }: Place): Place | undefined =>
  wallet + 1 < currencies.length ? walletBegin(wallet + 1) : undefined

export const walletAt = (account: Account, { currencies }: Terms, { wallet }: Place) => ({
  account,
  currency: currencies[wallet]!
})

/** The zone was known when the report was asked for. */
export const zoneIn = ({ timeZone }: Terms): DateTime.TimeZone.Named => zoneOf(timeZone) ?? zoneOf("UTC")!
