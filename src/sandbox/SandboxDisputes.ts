/**
 * The buyer's bank in the sandbox, with books of its own: opens chargebacks, takes evidence until its deadline, writes
 * off what is conceded or not answered in time, and repeats a report until it was taken (docs/architecture.md,
 * section 7).
 */
import { MerchantId, TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { keptDuration } from "@coffer/rules/idempotency/claim"
import type { SettledOrder } from "@coffer/rules/order/Order"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { currentRequest } from "../idempotency/Answering.ts"
import { isoText, TimeColumn } from "../platform/runtime/codecs.ts"
import { leasedRows } from "../platform/postgres/leasedRows.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { Wakeups } from "../platform/commit/Wakeups.ts"
import { span } from "../platform/runtime/span.ts"
import { ChannelUnreachable } from "../channel/Channel.ts"
import {
  DisputeChannel,
  type DisputeName,
  type DisputeReport,
  type DisputeWord,
  type StepAnswer
} from "../channel/DisputeChannel.ts"
import { booksFail, sandboxReach } from "./sandboxReach.ts"

export type Outcome = "won" | "lost" | "closed"

export interface Chargeback {
  readonly amount: Minor
  readonly reason: string
  readonly evidenceDueBy: DateTime.Utc | null
}

export class SandboxDisputes extends Context.Service<
  SandboxDisputes,
  {
    /** The buyer goes to the bank. What is to be told to the service comes back. */
    readonly open: (order: SettledOrder, chargeback: Chargeback) => Effect.Effect<DisputeReport, ChannelUnreachable>
    /** The bank decides, or decides again. */
    readonly resolve: (
      dispute: Pick<DisputeName, "merchantId" | "processorDisputeId">,
      outcome: Outcome
    ) => Effect.Effect<DisputeReport, ChannelUnreachable>
    /** The service has taken the report of this dispute. */
    readonly acknowledge: (processorDisputeId: string) => Effect.Effect<void>
    /** Reports that were not taken in time, claimed for another try. */
    readonly claimReports: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<DisputeReport>>
    readonly nextReport: Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("@coffer/sandbox/SandboxDisputes") {}

/** How long the bank waits before it reports again. */
const reportAgainAfter = "10 seconds"
/** How long the bank takes to write off what was conceded. */
const concessionTakes = "5 seconds"

const Row = Schema.Struct({
  processor_dispute_id: Schema.String,
  trade_no: TradeNo,
  merchant_id: MerchantId,
  amount: Minor,
  reason: Schema.String,
  state: Schema.Literals(["needs_response", "under_review", "accepted", "won", "lost", "closed"]),
  due_by: Schema.NullOr(TimeColumn),
  submitted_at: Schema.NullOr(TimeColumn),
  lost_at: Schema.NullOr(TimeColumn),
  opened_at: TimeColumn
})
type Row = typeof Row.Type

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const wordOf = ({ state }: Row): DisputeWord => ({
  status: state,
  outcome: state === "won" || state === "lost" || state === "closed" ? state : undefined
})

const reportOf = (row: Row): DisputeReport => ({
  ...wordOf(row),
  merchantId: row.merchant_id,
  mode: "sandbox",
  tradeNo: row.trade_no,
  processorDisputeId: row.processor_dispute_id,
  amount: row.amount,
  reason: row.reason,
  evidenceDueBy: row.due_by,
  openedAt: row.opened_at
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* NewIds
  const wakeups = yield* Wakeups
  const reach = yield* sandboxReach

  /** The bank has the dispute, or it is not this bank's: no live acquirer is connected. */
  const one = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    rows.pipe(
      Effect.flatMap(decodeRows),
      Effect.flatMap(([row]) => (row === undefined ? Effect.fail(new ChannelUnreachable()) : Effect.succeed(row))),
      Effect.catchTags({ ...booksFail, SchemaError: Effect.die })
    )

  /** Whoever carries reports again is told when this one is due. */
  const reported = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.map(one(rows), (row) => {
      wakeups.raise("sandbox_reports")
      return reportOf(row)
    })

  const open = span("SandboxDisputes.open")(function* (order: SettledOrder, chargeback: Chargeback) {
    yield* reach(order.merchantId)
    const now = yield* DateTime.now
    const request = yield* currentRequest
    const row = {
      processor_dispute_id: yield* ids.next("dp_"),
      trade_no: order.tradeNo,
      merchant_id: order.merchantId,
      payment_id: order.paymentId,
      amount: chargeback.amount,
      currency: order.currency,
      reason: chargeback.reason,
      state: "needs_response",
      due_by: chargeback.evidenceDueBy === null ? null : DateTime.toDateUtc(chargeback.evidenceDueBy),
      report_due_at: DateTime.toDateUtc(DateTime.addDuration(now, reportAgainAfter)),
      opened_at: DateTime.toDateUtc(now),
      request
    }
    // Whoever sends a request again, whose answer a crash has lost, complains once.
    const since = DateTime.subtractDuration(now, keptDuration)
    const opened = sql`select * from sandbox_disputes
      where request = ${request}::text and opened_at > ${isoText(since)}::text::timestamptz
        and amount = ${row.amount} and reason = ${row.reason}`
    return yield* reported(
      Effect.flatMap(opened, (rows) =>
        rows.length > 0 ? Effect.succeed(rows) : sql`insert into sandbox_disputes ${sql.insert(row).returning("*")}`
      )
    )
  })

  const resolve = span("SandboxDisputes.resolve")(function* (
    { merchantId, processorDisputeId }: Pick<DisputeName, "merchantId" | "processorDisputeId">,
    outcome: Outcome
  ) {
    yield* reach(merchantId)
    const again = DateTime.addDuration(yield* DateTime.now, reportAgainAfter)
    return yield* reported(sql`update sandbox_disputes
      set state = ${outcome}, report_due_at = ${isoText(again)}::text::timestamptz
      where processor_dispute_id = ${processorDisputeId} returning *`)
  })

  /** The row as it is by now: conceded, or not answered in time, it is lost without anybody's doing. */
  const settled = ({ processorDisputeId }: DisputeName, now: DateTime.Utc) => {
    const at = sql`${isoText(now)}::text::timestamptz`
    return one(sql`update sandbox_disputes set state = case
        when state = 'accepted' and lost_at <= ${at} then 'lost'
        when state = 'needs_response' and due_by < ${at} then 'lost'
        else state end
      where processor_dispute_id = ${processorDisputeId} returning *`)
  }

  const submit = span("SandboxDisputes.submit")(function* (
    dispute: DisputeName
  ): Effect.fn.Return<StepAnswer, ChannelUnreachable> {
    yield* reach(dispute.merchantId)
    const now = yield* DateTime.now
    yield* settled(dispute, now)
    const row = yield* one(sql`update sandbox_disputes set
        submitted_at = case when state = 'needs_response' then ${isoText(now)}::text::timestamptz else submitted_at end,
        state = case when state = 'needs_response' then 'under_review' else state end
      where processor_dispute_id = ${dispute.processorDisputeId} returning *`)
    return row.submitted_at === null
      ? { _tag: "Refused", word: wordOf(row) }
      : { _tag: "Taken", status: "under_review" }
  })

  const accept = span("SandboxDisputes.accept")(function* (
    dispute: DisputeName
  ): Effect.fn.Return<StepAnswer, ChannelUnreachable> {
    yield* reach(dispute.merchantId)
    const now = yield* DateTime.now
    yield* settled(dispute, now)
    const lostAt = DateTime.addDuration(now, concessionTakes)
    const row = yield* one(sql`update sandbox_disputes set
        lost_at = case when state = 'needs_response' then ${isoText(lostAt)}::text::timestamptz else lost_at end,
        state = case when state = 'needs_response' then 'accepted' else state end
      where processor_dispute_id = ${dispute.processorDisputeId} returning *`)
    return row.lost_at === null ? { _tag: "Refused", word: wordOf(row) } : { _tag: "Taken", status: "accepted" }
  })

  const status = span("SandboxDisputes.status")(function* (dispute: DisputeName) {
    yield* reach(dispute.merchantId)
    return wordOf(yield* settled(dispute, yield* DateTime.now))
  })

  const reports = leasedRows(
    sql,
    { table: "sandbox_disputes", key: "processor_dispute_id", dueAt: "report_due_at" },
    Row
  )
  const reportAgain = (now: Statement.Fragment) => sql`report_due_at = ${now} + ${reportAgainAfter}::text::interval`

  const bank = SandboxDisputes.of({
    open,
    resolve,
    claimReports: (now, limit) =>
      sqlDefects(Effect.map(reports.claim(reportAgain, now, limit), (rows) => rows.map(reportOf))),
    acknowledge: reports.done,
    nextReport: sqlDefects(reports.next)
  })
  return Layer.merge(Layer.succeed(SandboxDisputes, bank), Layer.succeed(DisputeChannel, { submit, accept, status }))
})

/** The bank's own counter, and the channel that the service sees. */
export const layer = Layer.unwrap(make)
