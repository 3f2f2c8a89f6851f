/** The disputes of the sandbox's bank (`sandbox_disputes`), and its reports about them. */
import { MerchantId, TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { DisputeReport, DisputeWord, StepAnswer } from "../../shared/channel/disputes.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { isLost } from "../../platform/postgres/trouble.ts"
import { sandboxChannel } from "./name.ts"
import { unreachableOnSqlError } from "./sandboxReach.ts"

export const DisputeRow = Schema.Struct({
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
export type DisputeRow = typeof DisputeRow.Type

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(DisputeRow))

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Without a row the dispute is not this bank's, and no live acquirer is connected. */
const firstRow = (rows: Rows) =>
  rows.pipe(
    Effect.flatMap(decodeRows),
    Effect.flatMap(([row]) => (row === undefined ? Effect.fail(new ChannelUnreachable()) : Effect.succeed(row))),
    Effect.catchTags({ SchemaError: Effect.die })
  )

/** The row of a statement that may be repeated. */
export const oneRow = (rows: Rows): Effect.Effect<DisputeRow, ChannelUnreachable> =>
  Effect.catchTags(firstRow(rows), unreachableOnSqlError)

/** The bank's answer, from the row that a step has written. */
export const stepTaken = (
  rows: Rows,
  answerOf: (row: DisputeRow) => StepAnswer
): Effect.Effect<StepAnswer, ChannelUnreachable> =>
  Effect.map(firstRow(rows), answerOf).pipe(
    Effect.catchIf(isLost, () => Effect.succeed<StepAnswer>({ _tag: "Unknown" })),
    Effect.catchTags(unreachableOnSqlError)
  )

export const wordOf = ({ state }: DisputeRow): DisputeWord => ({
  status: state,
  outcome: state === "won" || state === "lost" || state === "closed" ? state : undefined
})

export const reportOf = (row: DisputeRow): DisputeReport => ({
  ...wordOf(row),
  merchantId: row.merchant_id,
  mode: "sandbox",
  tradeNo: row.trade_no,
  channel: sandboxChannel,
  processorDisputeId: row.processor_dispute_id,
  amount: row.amount,
  reason: row.reason,
  evidenceDueBy: row.due_by,
  openedAt: row.opened_at
})
