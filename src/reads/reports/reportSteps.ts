/**
 * How a report is made: in steps, each of which reads some rows and gives the lines that follow from them. Between two
 * steps the only state is plain data, the position. A short report is made by all its steps in one request, a long one
 * by a worker that stores each step (docs/decisions/0097). The terms are fixed before the first step, so every step
 * sees the same range, whenever it runs and on whichever runner.
 */
import { isoText } from "@coffer/model/isoText"
import type { ReportLine } from "@coffer/contract/ReportLines"
import type { ReportKind } from "@coffer/contract/Reports"
import type { Account } from "@coffer/model/Account"
import { bodyOf, firstIdBody } from "@coffer/model/Ids"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { type Period, periodOf } from "@coffer/rules/reports/days"
import { isJournal } from "@coffer/rules/reports/journal"
import { entriesOf, opened, withRow } from "@coffer/rules/reports/statement"
import { Effect } from "effect"
import { journal } from "./journalSteps.ts"
import { feeTypes, holds, stepRows } from "./ReportSources.ts"
import {
  type Make,
  nextWallet,
  periodsMax,
  type Place,
  type Sources,
  type Step,
  type Terms,
  walletAt,
  zoneIn
} from "./reportTerms.ts"
import { makeTransactionLines } from "./transactionLines.ts"

const rowsAfter = (sources: Sources, account: Account, terms: Terms, place: Place) =>
  sources.rows(walletAt(account, terms, place), { above: place.last || terms.above, below: terms.below })

const statement: Make = Effect.fnUntraced(function* (sources, account, terms, place) {
  const wallet = walletAt(account, terms, place)
  const zone = zoneIn(terms)
  const rows = yield* rowsAfter(sources, account, terms, place)
  const lines: Array<ReportLine> = []
  const at = {
    open: place.open ?? opened(yield* sources.head(wallet, terms.above)),
    last: place.last,
    stage: place.stage,
    period: periodOf(terms, zone, place.stage),
    closed: 0
  }
  const stop = (read: number): Step => {
    const { last, open, stage } = at
    return { lines, next: { ...place, open, last, stage }, rows: read }
  }
  const close = ({ from, to }: Period) => {
    // A wallet that was not used yet has no lines, unless it is asked for.
    if (at.open.head.sequence > 0 || terms.currencies.length === 1) {
      for (const entry of entriesOf(at.open)) {
        lines.push({ object: "statement_line", currency: wallet.currency, from, to, ...entry })
      }
    }
    at.open = opened(at.open.head)
    at.period = periodOf(terms, zone, ++at.stage)
    at.closed++
  }
  for (const [index, row] of rows.entries()) {
    const body = bodyOf(row.id)
    while (at.period !== undefined && body >= firstIdBody(at.period.end)) {
      if (at.closed === periodsMax) return stop(index)
      close(at.period)
    }
    at.open = withRow(at.open, row)
    at.last = body
  }
  if (rows.length === stepRows) return stop(rows.length)
  // A period that has not begun is left out.
  for (let end = 0; at.period !== undefined && end < terms.asOf;) {
    if (at.closed === periodsMax) return stop(rows.length)
    end = at.period.end
    close(at.period)
  }
  return { lines, next: nextWallet(terms, place), rows: rows.length }
})

const transactions: Make = Effect.fnUntraced(function* (sources, account, terms, place) {
  const wallet = walletAt(account, terms, place)
  const rows = yield* rowsAfter(sources, account, terms, place)
  // A row has only the frozen balance after it.
  const before = yield* sources.head(wallet, place.last === "" ? terms.above : `${place.last}0`)
  const read = rows.map((row, index) => ({
    ...row,
    currency: wallet.currency,
    frozen_before: rows[index - 1]?.frozen_after ?? before.frozen
  }))
  const lines = yield* makeTransactionLines(sources, terms)(read)
  const last = rows.at(-1)
  const next =
    last === undefined || rows.length < stepRows ? nextWallet(terms, place) : { ...place, last: bodyOf(last.id) }
  return { lines, next, rows: rows.length }
})

const fees: Make = Effect.fnUntraced(function* (sources, account, terms, place) {
  const wallet = walletAt(account, terms, place)
  const type = feeTypes[place.stage]!
  const found = yield* sources.fees(wallet, type, { above: place.last || terms.above, below: terms.below })
  const sums = { ...place.fees }
  for (const { count, fee, method, volume } of found) {
    const key = `${type.source} ${method ?? ""}`
    const sum = sums[key] ?? { count: 0, volume: 0, fee: 0 }
    sums[key] = { count: sum.count + count, volume: sum.volume + volume, fee: sum.fee + fee }
  }
  const rows = found.reduce((all, { count }) => all + count, 0)
  if (rows === stepRows) {
    const last = found.map((one) => bodyOf(one.last)).reduce((a, b) => (a > b ? a : b))
    return { lines: [], next: { ...place, last, fees: sums }, rows }
  }
  if (place.stage + 1 < feeTypes.length) {
    return { lines: [], next: { ...place, stage: place.stage + 1, last: "", fees: sums }, rows }
  }
  const lines = feeTypes.flatMap(({ source }) =>
    [...PaymentMethod.literals, null].flatMap((payment_method): ReadonlyArray<ReportLine> => {
      const sum = sums[`${source} ${payment_method ?? ""}`]
      return sum === undefined
        ? []
        : [{ object: "fee_line", currency: wallet.currency, source, payment_method, ...sum }]
    })
  )
  return { lines, next: nextWallet(terms, place), rows }
})

/**
 * From the newest row that freezes money backwards, until as much is found as is frozen. Last come the disputes that
 * hold nothing, and the total.
 */
const frozen: Make = Effect.fnUntraced(function* (sources, account, terms, place) {
  const wallet = walletAt(account, terms, place)
  const { currency } = wallet
  const left = place.left ?? (yield* sources.head(wallet, terms.below)).frozen
  const bounds = { above: "", below: place.last || terms.below }
  const hold = holds[place.stage]
  if (hold === undefined) {
    const some = yield* sources.inquiries(wallet, bounds, { body: terms.below, millis: terms.asOf })
    const lines = some
      .filter(({ open }) => open)
      .map(({ created_at, dispute_no, out_trade_no, trade_no }): ReportLine => ({
        object: "frozen_line",
        currency,
        kind: "dispute",
        number: dispute_no,
        trade_no,
        amount: 0,
        since: isoText(created_at),
        out_trade_no
      }))
    const last = some.at(-1)
    if (last !== undefined && some.length === stepRows) {
      return { lines, next: { ...place, left, last: bodyOf(last.dispute_no) }, rows: some.length }
    }
    const amount = (yield* sources.head(wallet, terms.below)).frozen
    const total = {
      object: "frozen_line",
      currency,
      kind: "total",
      number: null,
      trade_no: null,
      amount,
      since: null,
      out_trade_no: null
    } as const
    return { lines: [...lines, total], next: nextWallet(terms, place), rows: some.length }
  }
  const isOver = { ...place, stage: place.stage + 1, last: "" }
  if (left === 0) return { lines: [], next: { ...isOver, left }, rows: 0 }
  const some = yield* sources.freezes(wallet, hold, bounds, terms.below)
  const open = some.filter(({ ended }) => !ended)
  const lines = open.map(({ amount, created_at, out_trade_no, reference_id, trade_no }): ReportLine => ({
    object: "frozen_line",
    currency,
    kind: hold.kind,
    number: reference_id,
    trade_no,
    amount,
    since: isoText(created_at),
    out_trade_no
  }))
  const rest = open.reduce((sum, { amount }) => sum - amount, left)
  const last = some.at(-1)
  const goesOn = last !== undefined && some.length === stepRows && rest > 0
  const next = goesOn ? { ...place, left: rest, last: bodyOf(last.id) } : { ...isOver, left: rest }
  return { lines, next, rows: some.length }
})

const makers: Readonly<Record<ReportKind, Make>> = { statement, transactions, fees, payout: statement, frozen }

export const makeStep = (sources: Sources) => (account: Account, terms: Terms, place: Place) =>
  (isJournal(terms.format) ? journal : makers[terms.report])(sources, account, terms, place)

/** Rows that the report will read; null where that is not known beforehand. */
export const makeRowsTotal = (sources: Sources) =>
  Effect.fnUntraced(function* (account: Account, { above, below, currencies, report }: Terms) {
    if (report === "fees" || report === "frozen") return null
    const counts = yield* Effect.forEach(currencies, (currency) =>
      Effect.zipWith(
        sources.head({ account, currency }, below),
        sources.head({ account, currency }, above),
        (last, first) => last.sequence - first.sequence
      )
    )
    return counts.reduce((sum, count) => sum + Math.max(0, count), 0)
  })
