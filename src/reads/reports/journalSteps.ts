/**
 * Steps of a journal (`packages/rules/src/reports/journal.ts`). Unlike the lines of other reports, those of a journal
 * are in the order of time across all wallets, as hledger and Beancount keep their files.
 */
import type { ReportLine } from "@coffer/contract/ReportLines"
import type { Account } from "@coffer/model/Account"
import { bodyOf, firstIdBody } from "@coffer/model/Ids"
import { dayIn, type Period, periodOf } from "@coffer/rules/reports/days"
import { entriesOf, opened, type OpenPeriod, withRow } from "@coffer/rules/reports/statement"
import { Effect } from "effect"
import { stepRows } from "./ReportSources.ts"
import { type Make, periodsMax, type Place, type Sources, type Step, type Terms, zoneIn } from "./reportTerms.ts"
import { makeTransactionLines, type MovementLine } from "./transactionLines.ts"

export const journal: Make = Effect.fnUntraced(function* (sources, account, terms, place) {
  const zone = zoneIn(terms)
  const { isEnd, rows } = yield* rowsOfAll(sources, account, terms, place)
  const opens: Record<string, OpenPeriod> = { ...(place.opens ?? (yield* openedAll(sources, account, terms))) }
  const first = place.opens === undefined ? openings(terms, opens) : []
  const movements: Array<MovementLine> = []
  const closed: Array<ReportLine> = []
  const at = { stage: place.stage, period: periodOf(terms, zone, place.stage), last: place.last, closed: 0 }
  const lastDay = dayIn(terms.asOf, zone)

  const close = (period: Period) => {
    const following = periodOf(terms, zone, ++at.stage)
    const isLast = following === undefined || period.end >= terms.asOf
    // A balance of a day that has not come yet is that of the last day.
    const days = { from: period.from, to: period.to < lastDay ? period.to : lastDay }
    for (const currency of terms.currencies) {
      const open = opens[currency]!
      closed.push(...closings(terms, currency, days, open, isLast))
      opens[currency] = opened(open.head)
    }
    at.period = following
    at.closed++
  }
  const end = function* (read: number, next: Place | undefined) {
    const between = yield* makeTransactionLines(sources, terms)(movements)
    return { lines: [...first, ...between, ...closed], next, rows: read } satisfies Step
  }
  const goesOn = (): Place => ({ ...place, opens, stage: at.stage, last: at.last })

  for (const [index, row] of rows.entries()) {
    const body = bodyOf(row.id)
    while (at.period !== undefined && body >= firstIdBody(at.period.end)) {
      if (at.closed === periodsMax) return yield* end(index, goesOn())
      close(at.period)
    }
    const open = opens[row.currency]!
    if (terms.report === "transactions") movements.push({ ...row, frozen_before: open.head.frozen })
    opens[row.currency] = withRow(open, row)
    at.last = body
  }
  if (!isEnd) return yield* end(rows.length, goesOn())
  // A period that has not begun is left out.
  for (let ended = 0; at.period !== undefined && ended < terms.asOf;) {
    if (at.closed === periodsMax) return yield* end(rows.length, goesOn())
    ended = at.period.end
    close(at.period)
  }
  return yield* end(rows.length, undefined)
})

/** The next rows of all wallets in the order of time, and whether they are the last. */
const rowsOfAll = Effect.fnUntraced(function* (sources: Sources, account: Account, terms: Terms, place: Place) {
  const bounds = { above: place.last || terms.above, below: terms.below }
  const read = yield* Effect.forEach(terms.currencies, (currency) =>
    Effect.map(sources.rows({ account, currency }, bounds), (rows) => rows.map((row) => ({ ...row, currency })))
  )
  // A full wallet may have more rows right after its last one, which come first.
  const full = read.filter(({ length }) => length === stepRows).map((rows) => rows.at(-1)!.id)
  const until = full.toSorted()[0]
  const rows = read
    .flat()
    .filter(({ id }) => until === undefined || id <= until)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { rows, isEnd: until === undefined }
})

const openedAll = Effect.fnUntraced(function* (sources: Sources, account: Account, { above, currencies }: Terms) {
  const heads = yield* Effect.forEach(currencies, (currency) =>
    Effect.map(sources.head({ account, currency }, above), (head) => [currency, opened(head)] as const)
  )
  return Object.fromEntries(heads)
})

const openings = ({ currencies, from }: Terms, opens: Readonly<Record<string, OpenPeriod>>): Array<ReportLine> =>
  currencies.map((currency) => ({
    object: "statement_line",
    currency,
    from,
    to: from,
    ...entriesOf(opens[currency]!)[0]!
  }))

/** The sums of a statement, and the balance where it changed or the journal ends. */
const closings = (
  { report }: Terms,
  currency: Terms["currencies"][number],
  days: Pick<Period, "from" | "to">,
  open: OpenPeriod,
  isLast: boolean
): ReadonlyArray<ReportLine> => {
  const isUnmoved = open.head.sequence === open.opening.sequence
  if (open.head.sequence === 0 || (isUnmoved && !isLast)) return []
  return entriesOf(open)
    .slice(report === "transactions" ? -1 : 1)
    .map((entry) => ({ object: "statement_line", currency, ...days, ...entry }))
}
