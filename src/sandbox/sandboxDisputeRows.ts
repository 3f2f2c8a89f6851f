/** The disputes of the sandbox's bank (`sandbox_disputes`), and how it speaks about them. */
import { MerchantId, TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { ChannelUnreachable } from "../channel/Channel.ts"
import type { DisputeReport, DisputeWord } from "../channel/DisputeChannel.ts"
import { TimeColumn } from "../platform/runtime/codecs.ts"
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

/** The row of a statement. Without one the dispute is not this bank's, and no live acquirer is connected. */
export const oneRow = (
  rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<DisputeRow, ChannelUnreachable> =>
  rows.pipe(
    Effect.flatMap(decodeRows),
    Effect.flatMap(([row]) => (row === undefined ? Effect.fail(new ChannelUnreachable()) : Effect.succeed(row))),
    Effect.catchTags({ ...unreachableOnSqlError, SchemaError: Effect.die })
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
  processorDisputeId: row.processor_dispute_id,
  amount: row.amount,
  reason: row.reason,
  evidenceDueBy: row.due_by,
  openedAt: row.opened_at
})
