/**
 * Rows of refunds: found one by one, claimed when they are due, and written as changes that carry the version they
 * replace. A refund that is void is found by its own number alone. Never decides anything.
 */
import { MerchantId, Mode, OutRefundNo, PaymentId, RefundNo, TradeNo } from "@coffer/model/Ids"
import { Metadata } from "@coffer/model/Metadata"
import { Currency, Minor } from "@coffer/model/Money"
import { Refund } from "@coffer/rules/refund/Refund"
import { nextCheck } from "@coffer/rules/refund/nextCheck"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { isoText, isoTextOrNull, jsonText, TimeColumn } from "../platform/runtime/codecs.ts"
import { leasedRows } from "../platform/postgres/leasedRows.ts"
import { isOwnedBy, isStorable, type Owner } from "../platform/postgres/Pages.ts"
import type { RowOf } from "../platform/commit/Tables.ts"

/** A refund and the version of its row. */
export interface StoredRefund {
  readonly refund: Refund
  readonly version: number
}

export class RefundStore extends Context.Service<
  RefundStore,
  {
    readonly load: (refundNo: RefundNo) => Effect.Effect<Option.Option<StoredRefund>>
    /** By platform number, then by the merchant's own; only among the owner's (silences: G11, G25). */
    readonly resolve: (owner: Owner, ref: string) => Effect.Effect<Option.Option<StoredRefund>>
    readonly byOutRefundNo: (owner: Owner, outRefundNo: string) => Effect.Effect<Option.Option<StoredRefund>>
    /** What an idempotency claim has made since. */
    readonly byRequest: (request: string, since: DateTime.Utc) => Effect.Effect<Option.Option<StoredRefund>>
    /** Refunds that are not settled and due, claimed by pushing their time ahead. */
    readonly claimDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<RefundNo>>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("@coffer/refunds/RefundStore") {}

export const insertion = (refund: Refund): Change => insert("refunds", rowOf({ refund, version: 1 }))

/** The refund after a decision, replacing the version that was read. */
export const replacement = (before: StoredRefund, after: Refund): Change =>
  update("refunds", rowOf({ refund: after, version: before.version + 1 }), before.version)

export const layer = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byNo = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: RefundRow,
      execute: (refundNo) => sql`select * from refunds where refund_no = ${refundNo}`
    })
    const load = (refundNo: string) => sqlDefects(Effect.map(byNo(refundNo), Option.map(storedOf)))

    const findByOutRefundNo = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, outRefundNo: Schema.String }),
      Result: RefundRow,
      execute: ({ merchantId, mode, outRefundNo }) => sql`select * from refunds
        where merchant_id = ${merchantId} and mode = ${mode} and out_refund_no = ${outRefundNo} and status <> 'void'`
    })
    const byOutRefundNo = (owner: Owner, outRefundNo: string) =>
      isStorable(outRefundNo)
        ? sqlDefects(Effect.map(findByOutRefundNo({ ...owner, outRefundNo }), Option.map(storedOf)))
        : Effect.succeed(Option.none<StoredRefund>())

    const findByRequest = SqlSchema.findOneOption({
      Request: Schema.Struct({ request: Schema.String, since: Schema.DateTimeUtcFromDate }),
      Result: RefundRow,
      execute: ({ request, since }) => sql`select * from refunds
        where request = ${request} and created_at > ${since} and status <> 'void' order by refund_no desc limit 1`
    })

    const resolve = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      if (isRefundNo(ref)) {
        const found = Option.filter(
          yield* load(ref),
          ({ refund }) => isOwnedBy(owner)(refund) && refund.status !== "void"
        )
        if (Option.isSome(found)) return found
      }
      return yield* byOutRefundNo(owner, ref)
    })

    const due = leasedRows(sql, { table: "refunds", key: "refund_no", dueAt: "next_check_at" }, numbered)
    // How often it was asked decides when it is asked again: nextCheck, here in SQL.
    const putOff = (now: Statement.Fragment) => sql`checks = checks + 1, next_check_at = ${now} +
      case when checks < ${nextCheck.often} then ${nextCheck.soonSeconds}
        else least(${nextCheck.soonSeconds} * power(2, least(checks - ${nextCheck.often}, 16)),
          ${nextCheck.lateSeconds}) end * interval '1 second'`

    return RefundStore.of({
      load,
      resolve,
      byOutRefundNo,
      byRequest: (request, since) => sqlDefects(Effect.map(findByRequest({ request, since }), Option.map(storedOf))),
      claimDue: (now, limit) =>
        sqlDefects(Effect.map(due.claim(putOff, now, limit), (rows) => rows.map(({ refund_no }) => refund_no))),
      nextDue: sqlDefects(due.next)
    })
  })
)

const numbered = Schema.Struct({ refund_no: RefundNo })

const isRefundNo = Schema.is(RefundNo)

// Rows ------------------------------------------------------------------------

/** A row as Postgres gives it; for this room alone. */
export const RefundRow = Schema.Struct({
  refund_no: RefundNo,
  version: Schema.Int,
  merchant_id: MerchantId,
  mode: Mode,
  out_refund_no: OutRefundNo,
  trade_no: TradeNo,
  payment_id: PaymentId,
  request: Schema.NullOr(Schema.String),
  amount: Minor,
  requested_amount: Schema.NullOr(Minor),
  currency: Currency,
  reason: Schema.NullOr(Schema.String),
  status: Schema.Literals([...Refund.discriminants]),
  failure_reason: Schema.NullOr(Schema.String),
  metadata: Metadata,
  notify_url: Schema.NullOr(Schema.String),
  settled_at: Schema.NullOr(TimeColumn),
  created_at: TimeColumn,
  updated_at: TimeColumn
})
export type RefundRow = typeof RefundRow.Type

const storedOf = (row: RefundRow): StoredRefund => ({ version: row.version, refund: refundOf(row) })

export const refundOf = (row: RefundRow): Refund => {
  const terms = {
    refundNo: row.refund_no,
    outRefundNo: row.out_refund_no,
    tradeNo: row.trade_no,
    merchantId: row.merchant_id,
    mode: row.mode,
    paymentId: row.payment_id,
    amount: row.amount,
    requestedAmount: row.requested_amount,
    currency: row.currency,
    reason: row.reason,
    metadata: row.metadata,
    notifyUrl: row.notify_url,
    request: row.request,
    createdAt: row.created_at,
    updatedAt: row.updated_at
  }
  switch (row.status) {
    case "reserved":
    case "pending":
    case "void":
      return { status: row.status, ...terms }
    // Each status was written with what belongs to it.
    case "succeeded":
      return { status: row.status, ...terms, settledAt: row.settled_at! }
    case "failed":
      return { status: row.status, ...terms, failureReason: row.failure_reason! }
  }
}

const rowOf = ({ refund, version }: StoredRefund): RowOf<"refunds"> => ({
  refund_no: refund.refundNo,
  version,
  merchant_id: refund.merchantId,
  mode: refund.mode,
  out_refund_no: refund.outRefundNo,
  trade_no: refund.tradeNo,
  payment_id: refund.paymentId,
  request: refund.request,
  amount: refund.amount,
  requested_amount: refund.requestedAmount,
  currency: refund.currency,
  reason: refund.reason,
  status: refund.status,
  failure_reason: refund.status === "failed" ? refund.failureReason : null,
  metadata: jsonText(refund.metadata),
  notify_url: refund.notifyUrl,
  next_check_at: isoTextOrNull(nextCheck.after(refund)),
  settled_at: refund.status === "succeeded" ? isoText(refund.settledAt) : null,
  created_at: isoText(refund.createdAt),
  updated_at: isoText(refund.updatedAt)
})
