/**
 * Front door to reports (docs/reports.md, docs/decisions/0097): checks the request, then makes the report at once or
 * through a worker. It decides nothing about money and moves none.
 *
 * A report of a range is whole up to the moment that it names: before it is read, the account's lists are raised up to
 * there, so that no row of an earlier moment comes later (docs/decisions/0050).
 */
import type { ReportLine } from "@coffer/contract/ReportLines"
import { type CreateReport, journaled, type ReportKind } from "@coffer/contract/Reports"
import type { Account } from "@coffer/model/Account"
import { bodyOf, firstIdBody, millisOfId, ReportNo, reportPrefix } from "@coffer/model/Ids"
import { reportDaysAtOnceMax, reportDaysMax, reportKept, reportLinesAtOnceMax } from "@coffer/model/Limits"
import { Currency } from "@coffer/model/Money"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type ListParameters, type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { notMoment, readTimestamp } from "@coffer/rules/lists/created"
import { dayAfter, dayIn, daysBetween, readDay, startOf, zoneOf } from "@coffer/rules/reports/days"
import { isJournal } from "@coffer/rules/reports/journal"
import { Context, DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { CurrentRecord, requesterOf } from "../../shared/http/CurrentRequest.ts"
import { currentRequest } from "../../shared/idempotency/Answering.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { onUnmovedClock, unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { span } from "../../platform/runtime/span.ts"
import { ReportSources } from "./ReportSources.ts"
import { type Report, ReportStore, type TooManyReports } from "./ReportStore.ts"
import { makeRowsTotal, makeStep } from "./reportSteps.ts"
import { begin, type Place, type Step, type Terms } from "./reportTerms.ts"

export type { Report, Terms }

export class ReportNotFound extends Schema.TaggedError<ReportNotFound>()("ReportNotFound", {
  reportNo: Schema.String
}) {}

/** The report has no file yet, or never will. */
export class ReportNotReady extends Schema.TaggedError<ReportNotReady>()("ReportNotReady", {
  reportNo: Schema.String,
  status: Schema.Literals(["pending", "failed"])
}) {}

export interface Answered {
  readonly terms: Terms
  readonly lines: ReadonlyArray<ReportLine>
}

export class Reports extends Context.Service<
  Reports,
  {
    /** Made at once, if it is short. */
    readonly answer: (account: Account, query: CreateReport) => Effect.Effect<Answered, InvalidField>
    /** Made by a worker. The same request gets the same report. */
    readonly create: (account: Account, query: CreateReport) => Effect.Effect<Report, InvalidField | TooManyReports>
    /** Newest first: reports that are being written, and stored ones. */
    readonly list: (account: Account, query: ListParameters) => Effect.Effect<Page<Report>, InvalidField>
    readonly find: (account: Account, reportNo: string) => Effect.Effect<Report, ReportNotFound>
    /** One whose file is complete. */
    readonly ready: (account: Account, reportNo: string) => Effect.Effect<Report, ReportNotFound | ReportNotReady>
    /** Bytes of its file, in parts of which each is read by a short statement. */
    readonly read: (report: Report, from: number, to: number) => Stream.Stream<Uint8Array>
  }
>()("@coffer/reports/Reports") {}

export const layer = Layer.effect(
  Reports,
  Effect.gen(function* () {
    const sources = yield* ReportSources
    const store = yield* ReportStore
    const ids = yield* NewIds
    const wakeups = yield* Wakeups
    const termsOf = yield* makeTermsOf
    const step = makeStep(sources)
    const rowsTotal = makeRowsTotal(sources)

    const find = Effect.fnUntraced(function* (account: Account, reportNo: string) {
      const found = yield* store.find(account, reportNo)
      return Option.isSome(found) ? found.value : yield* new ReportNotFound({ reportNo })
    })

    return Reports.of({
      answer: span("Reports.answer")(function* (account, query) {
        const terms = yield* termsOf(account, query, reportDaysAtOnceMax)
        const lines: Array<ReportLine> = []
        let rows = 0
        for (let place: Place | undefined = begin; place !== undefined;) {
          const made: Step = yield* step(account, terms, place)
          for (const line of made.lines) lines.push(line)
          place = made.next
          rows += made.rows
          if (rows > reportLinesAtOnceMax) return yield* tooLong(query)
        }
        return { terms, lines }
      }),

      create: span("Reports.create")(function* (account, query) {
        const terms = yield* termsOf(account, query, reportDaysMax)
        // Real time, also for a sandbox whose clock was moved: workers go by it.
        const now = yield* unmovedTime
        const report: Report = {
          report_no: ReportNo.make(yield* onUnmovedClock(ids.next(reportPrefix))),
          merchant_id: account.merchantId,
          mode: account.mode,
          terms,
          status: "pending",
          failure: null,
          place: begin,
          steps: 0,
          rows_done: 0,
          rows_total: yield* rowsTotal(account, terms),
          bytes: 0,
          created_at: now,
          finished_at: null,
          expires_at: DateTime.addDuration(now, reportKept),
          requested_by: requesterOf(yield* CurrentRecord)
        }
        const made = yield* store.insert(report, yield* currentRequest, now)
        wakeups.raise("reports")
        return made
      }),

      list: span("Reports.list")(function* (account, query) {
        return yield* store.page(account, yield* Effect.fromResult(readPageRequest(query)))
      }),

      find,

      ready: Effect.fnUntraced(function* (account, reportNo) {
        const report = yield* find(account, reportNo)
        const { status } = report
        return status === "succeeded" ? report : yield* new ReportNotReady({ reportNo, status })
      }),

      read: (report, from, to) =>
        Stream.unfold(
          from,
          Effect.fnUntraced(function* (byte: number) {
            if (byte >= to) return undefined
            const part = yield* store.part(report, byte)
            // It expired while it was read: the connection is cut, so that no half file looks complete.
            if (Option.isNone(part)) return yield* Effect.die(new ReportNotFound({ reportNo: report.report_no }))
            const { content, startsAt } = part.value
            const piece = content.subarray(byte - startsAt, to - startsAt)
            if (piece.length === 0) return yield* Effect.die(new ReportNotFound({ reportNo: report.report_no }))
            return [piece, byte + piece.length] as const
          })
        )
    })
  })
)

const tooLong = ({ report }: CreateReport) =>
  new InvalidField({
    param: report === "payout" ? "payout_no" : report === "frozen" ? "at" : "from",
    problem: `covers more than ${reportLinesAtOnceMax} transactions; use POST /v1/reports to create a file`
  })

// Requests for --------------------------------------------------------------

/** Fields that each report takes beside `currency`, `time_zone` and `format`. */
const fieldsOf: Readonly<Record<ReportKind, ReadonlyArray<string>>> = {
  statement: ["from", "to", "interval"],
  transactions: ["from", "to", "payout_no"],
  fees: ["from", "to"],
  payout: ["payout_no"],
  frozen: ["at"]
}

const makeTermsOf = Effect.gen(function* () {
  const merchants = yield* Merchants
  const sources = yield* ReportSources
  const horizon = yield* ListHorizon
  const ids = yield* NewIds

  /** Up to when the rows are complete: now, or an earlier moment while older rows are still being written. */
  const whole = Effect.fnUntraced(function* (account: Account, wanted: number) {
    const body = firstIdBody(wanted)
    const upTo = horizon.raisedTo("shown", account) >= body ? body : yield* horizon.raise("shown", account, body)
    return upTo >= body ? { below: body, asOf: wanted } : { below: `${upTo}0`, asOf: millisOfId(upTo) }
  })

  const ofDays = Effect.fnUntraced(function* (account: Account, query: CreateReport, zone: Zone, daysMax: number) {
    const from = yield* dayFrom("from", query.from)
    const to = query.to === undefined ? from : yield* dayFrom("to", query.to)
    if (to < from)
      return yield* new InvalidField({ param: "to", problem: "must not be before from. Send the earlier day as from" })
    if (daysBetween(from, to) > daysMax) {
      const more = daysMax < reportDaysMax ? "; POST /v1/reports allows more" : ""
      return yield* new InvalidField({ param: "to", problem: `must be at most ${daysMax} days after from${more}` })
    }
    const [start, end] = [startOf(from, zone), startOf(dayAfter(to), zone)]
    const now = ids.corrected(yield* currentMillis)
    if (start > now) return yield* new InvalidField({ param: "from", problem: "must not be in the future" })
    const { asOf, below } = yield* whole(account, Math.min(end, now))
    // Just below the first id of the first day.
    return { from, to, above: firstIdBody(start).slice(0, -1), below, asOf, complete: asOf >= end }
  })

  /** From the payout before it until it was asked for, itself included. */
  const ofPayout = Effect.fnUntraced(function* (account: Account, payoutNo: string | undefined, zone: Zone) {
    const found = payoutNo === undefined ? undefined : yield* sources.payout(account, payoutNo)
    if (found === undefined) {
      return yield* new InvalidField({ param: "payout_no", problem: "must be the number of one of your payouts" })
    }
    const { before, currency, first, id } = found
    return {
      currencies: [currency],
      // The first payout has everything since the wallet's first movement.
      from: dayIn(millisOfId(before ?? first), zone),
      to: dayIn(millisOfId(id), zone),
      above: before === undefined ? "" : `${bodyOf(before)}0`,
      below: `${bodyOf(id)}0`,
      asOf: millisOfId(id),
      complete: true
    }
  })

  const ofMoment = Effect.fnUntraced(function* (account: Account, text: string | undefined, zone: Zone) {
    const now = ids.corrected(yield* currentMillis)
    const at = text === undefined ? now : readTimestamp(text)?.epochMilliseconds
    if (at === undefined) return yield* new InvalidField({ param: "at", problem: notMoment(text) })
    if (at > now) return yield* new InvalidField({ param: "at", problem: "must not be in the future" })
    const { asOf, below } = yield* whole(account, at)
    const day = dayIn(asOf, zone)
    return { from: day, to: day, above: "", below, asOf, complete: asOf >= at }
  })

  return Effect.fnUntraced(function* (account: Account, query: CreateReport, daysMax: number) {
    const misfit = misfitIn(query)
    if (misfit !== undefined) return yield* misfit
    const { time_zone } = yield* Effect.catchTags(merchants.find(account.merchantId), { MerchantNotFound: Effect.die })
    const timeZone = query.time_zone ?? time_zone
    const zone = zoneOf(timeZone)
    if (zone === undefined) return yield* new InvalidField({ param: "time_zone", problem: notZone })
    const isOfPayout = query.report === "payout" || query.payout_no !== undefined
    if (isOfPayout && (query.from ?? query.to) !== undefined) {
      return yield* new InvalidField({ param: "from", problem: "can't be combined with payout_no" })
    }
    const range = isOfPayout
      ? yield* ofPayout(account, query.payout_no, zone)
      : query.report === "frozen"
        ? yield* ofMoment(account, query.at, zone)
        : yield* ofDays(account, query, zone, daysMax)
    return {
      report: query.report,
      format: query.format ?? "csv",
      timeZone,
      // A journal of single movements has one closing balance.
      interval: isOfPayout || query.report === "transactions" ? "range" : (query.interval ?? "day"),
      currencies: query.currency === undefined ? Currency.literals : [query.currency],
      ...range
    } satisfies Terms
  })
})

type Zone = NonNullable<ReturnType<typeof zoneOf>>

export const notZone = "must be the name of a time zone, such as Europe/Berlin"

/** What of a request this kind of report does not take. */
const misfitIn = (query: CreateReport): InvalidField | undefined => {
  const { format = "csv", report } = query
  const unknown = Object.keys(query).find((name) => !isTaken(report, name))
  if (unknown !== undefined) {
    return new InvalidField({ param: unknown, problem: `is not a parameter of the ${report} report` })
  }
  if (!isJournal(format) || journaled.includes(report)) return undefined
  return new InvalidField({ param: "format", problem: `must be csv or jsonl for the ${report} report` })
}

const isTaken = (report: ReportKind, name: string): boolean =>
  name === "report" ||
  name === "format" ||
  name === "time_zone" ||
  (name === "currency" && report !== "payout") ||
  fieldsOf[report].includes(name)

const dayFrom = (param: string, text: string | undefined) => {
  const day = text === undefined ? undefined : readDay(text)
  return day === undefined
    ? Effect.fail(
        new InvalidField({ param, problem: text === undefined ? "is required" : "must be a day, as YYYY-MM-DD" })
      )
    : Effect.succeed(day)
}
