/**
 * The buyer's bank in the sandbox, with its own tables: opens chargebacks, decides them, and repeats each report until
 * the service has processed it (docs/architecture.md, section 7). The service's calls to it are in
 * `sandboxDisputeDesk.ts`.
 */
import { isoText } from "@coffer/model/isoText"
import { InvalidField } from "@coffer/rules/InvalidField"
import { amountPaid } from "@coffer/rules/order/Hold"
import type { CreditedOrder } from "@coffer/rules/order/Order"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { Chargeback } from "../../shared/channel/Channel.ts"
import type { DisputeName, DisputeOutcome, DisputeReport } from "../../shared/channel/disputes.ts"
import { currentRequest } from "../../shared/idempotency/Answering.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { DisputeRow, oneRow, reportOf } from "./sandboxDisputeRows.ts"
import { sandboxReach, unreachableOnSqlError } from "./sandboxReach.ts"

export class SandboxDisputes extends Context.Service<
  SandboxDisputes,
  {
    /** The buyer disputes the payment. Returns the bank's report for the service. */
    /** Fails if the disputes of a payment together would exceed it. */
    readonly open: (
      order: CreditedOrder,
      chargeback: Chargeback
    ) => Effect.Effect<DisputeReport, ChannelUnreachable | InvalidField>
    /** The bank decides, or decides again. */
    readonly resolve: (
      dispute: Pick<DisputeName, "merchantId" | "processorDisputeId">,
      outcome: DisputeOutcome
    ) => Effect.Effect<DisputeReport, ChannelUnreachable>
    /**
     * The service has processed this report. Returns the bank's later decision, whose own report may have come before
     * this one: it has to be processed again.
     */
    readonly acknowledge: (report: DisputeReport) => Effect.Effect<Option.Option<DisputeReport>>
    /** Records that the reports of these disputes were tried. */
    readonly tried: (processorDisputeIds: ReadonlyArray<string>) => Effect.Effect<void>
    /** Reports that were not acknowledged in time. */
    readonly reports: DueRows<DisputeReport>
  }
>()("@coffer/sandbox/SandboxDisputes") {}

/** How long the bank waits before it reports again. */
const reportAgainAfter = "10 seconds"

export const layer = Layer.effect(
  SandboxDisputes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wakeups = yield* Wakeups
    const reach = yield* sandboxReach
    const insert = yield* makeInsert

    /** Wakes the worker that repeats reports, so that it schedules this one. */
    const reported = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
      Effect.map(oneRow(rows), (row) => {
        wakeups.raise("sandbox_reports")
        return reportOf(row)
      })

    const lease = sql`${reportAgainAfter}::text::interval`
    const reports = leasedRows(
      sql,
      {
        table: "sandbox_disputes",
        key: "processor_dispute_id",
        dueAt: "report_due_at",
        lease,
        again: lease,
        ofSandbox: (merchantId) => sql`merchant_id = ${merchantId}`
      },
      DisputeRow,
      reportOf
    )

    return SandboxDisputes.of({
      open: span("SandboxDisputes.open")(function* (order, chargeback) {
        yield* reach(order.merchantId)
        const rows = yield* sql.withTransaction(insert(order, chargeback)).pipe(Effect.catchTags(unreachableOnSqlError))
        return yield* reported(Effect.succeed(rows))
      }, sqlDefects),
      resolve: span("SandboxDisputes.resolve")(function* ({ merchantId, processorDisputeId }, outcome) {
        yield* reach(merchantId)
        const again = DateTime.addDuration(yield* currentTime, reportAgainAfter)
        return yield* reported(sql`update sandbox_disputes
          set state = ${outcome}, report_due_at = ${isoText(again)}::text::timestamptz
          where processor_dispute_id = ${processorDisputeId} returning *`)
      }, sqlDefects),
      acknowledge: span("SandboxDisputes.acknowledge")(
        function* ({ processorDisputeId, status }) {
          const isLast = sql`(state = ${status} or state not in ('won', 'lost', 'closed'))`
          const [row] = yield* sql`update sandbox_disputes
          set report_due_at = case when ${isLast} then null else report_due_at end
          where processor_dispute_id = ${processorDisputeId} returning *, ${isLast} as is_last`
          return row === undefined || row["is_last"] === true
            ? Option.none()
            : Option.some(reportOf(yield* oneRow(Effect.succeed([row]))))
        },
        Effect.catchTags({ ChannelUnreachable: Effect.die }),
        sqlDefects
      ),
      tried: reports.ended,
      reports
    })
  })
)

/** Inserts a dispute. A request that is sent again, because a crash lost its answer, finds the row of the first. */
const makeInsert = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* NewIds
  const { keep } = yield* Settings

  return Effect.fnUntraced(function* (order: CreditedOrder, { amount, evidenceDueBy, reason }: Chargeback) {
    const now = yield* currentTime
    const request = yield* currentRequest
    const since = DateTime.subtractDuration(now, keep.answers)
    const opened = yield* sql`select * from sandbox_disputes
      where request = ${request}::text and opened_at > ${isoText(since)}::text::timestamptz
        and amount = ${amount} and reason = ${reason}`
    if (opened.length > 0) return opened
    // Of two concurrent disputes the second counts the first.
    yield* sql`select pg_advisory_xact_lock(hashtext(${`dispute/${order.paymentId}`}))`
    const [disputed] = yield* sql<{ sum: string }>`select coalesce(sum(amount), 0)::text as sum from sandbox_disputes
      where trade_no = ${order.tradeNo} and payment_id = ${order.paymentId} and state not in ('won', 'closed')`
    const left = amountPaid(order) - Number(disputed!.sum)
    if (amount > left) {
      const problem = `exceeds the ${left} of the payment that is not disputed yet`
      return yield* new InvalidField({ param: "amount", problem })
    }
    const row = {
      processor_dispute_id: yield* ids.next("dp_"),
      trade_no: order.tradeNo,
      merchant_id: order.merchantId,
      payment_id: order.paymentId,
      amount,
      currency: order.currency,
      reason,
      state: "needs_response",
      due_by: evidenceDueBy === null ? null : DateTime.toDateUtc(evidenceDueBy),
      report_due_at: DateTime.toDateUtc(DateTime.addDuration(now, reportAgainAfter)),
      opened_at: DateTime.toDateUtc(now),
      request
    }
    return yield* sql`insert into sandbox_disputes ${sql.insert(row).returning("*")}`
  })
})
