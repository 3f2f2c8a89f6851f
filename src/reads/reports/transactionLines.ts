/** Lines of single movements, from rows of the ledger in the order of their wallet. */
import type { ReportLine } from "@coffer/contract/ReportLines"
import { isoText } from "@coffer/model/isoText"
import type { Currency } from "@coffer/model/Money"
import { dayAfter, dayIn, startOf } from "@coffer/rules/reports/days"
import { DateTime, Effect } from "effect"
import type { LedgerLine } from "./ReportSources.ts"
import { type Sources, type Terms, zoneIn } from "./reportTerms.ts"

export interface MovementLine extends LedgerLine {
  readonly currency: Currency
  readonly frozen_before: number
}

export const makeTransactionLines = (sources: Sources, terms: Terms) =>
  Effect.fnUntraced(function* (rows: ReadonlyArray<MovementLine>) {
    const dateOf = makeDateOf(zoneIn(terms))
    const orders = yield* sources.ordersBehind(rows.map((row) => row.reference_id))
    const about = {
      time_zone: terms.timeZone,
      as_of: isoText(DateTime.makeUnsafe(terms.asOf)),
      complete: terms.complete ?? false
    }
    return rows.map((row): ReportLine => {
      const order = orders.get(row.reference_id)
      return {
        object: "transaction_line",
        id: row.id,
        sequence: row.sequence,
        type: row.type,
        currency: row.currency,
        amount: row.amount,
        available: row.balance_after,
        frozen: row.frozen_after,
        reference_id: row.reference_id,
        description: row.description,
        date: dateOf(DateTime.toEpochMillis(row.created_at)),
        created_at: isoText(row.created_at),
        hash: row.hash,
        trade_no: order?.tradeNo ?? null,
        out_trade_no: order?.outTradeNo ?? null,
        available_change: row.balance_after - row.balance_before,
        frozen_change: row.frozen_after - row.frozen_before,
        ...about
      }
    })
  })

/** Rows come in the order of time, so a day is looked up once. */
const makeDateOf = (zone: DateTime.TimeZone.Named) => {
  let day = ""
  let [start, end] = [0, 0]
  return (millis: number): string => {
    if (millis < start || millis >= end) {
      day = dayIn(millis, zone)
      start = startOf(day, zone)
      end = startOf(dayAfter(day), zone)
    }
    return day
  }
}
