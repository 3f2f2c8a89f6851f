/**
 * Rows of disputes, and of the evidence beside them: found one by one, claimed when the channel is to be asked, and
 * written as changes that carry the version they replace. Never decides anything.
 */
import { Evidence } from "@coffer/model/Evidence"
import { DisputeNo, MerchantId, Mode, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { Dispute, Response } from "@coffer/rules/dispute/Dispute"
import { type Kept, nothingKept } from "@coffer/rules/dispute/evidence"
import { nextCheckOf } from "@coffer/rules/dispute/nextCheck"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { isoText, isoTextOrNull, jsonText, TimeColumn } from "../platform/runtime/codecs.ts"
import { leasedRows } from "../platform/postgres/leasedRows.ts"
import { isOwnedBy, isStorable, type Owner } from "../platform/postgres/Pages.ts"
import type { RowOf } from "../platform/commit/Tables.ts"

/** A dispute and the version of its row. */
export interface StoredDispute {
  readonly dispute: Dispute
  readonly version: number
}

/** What is kept beside it, and the version of that row; 0 while there is none. */
export interface StoredEvidence {
  readonly kept: Kept
  readonly version: number
}

export class DisputeStore extends Context.Service<
  DisputeStore,
  {
    readonly load: (disputeNo: DisputeNo) => Effect.Effect<Option.Option<StoredDispute>>
    /** By platform number, then by the channel's; only among the owner's disputes (silences: G11, G25). */
    readonly resolve: (owner: Owner, ref: string) => Effect.Effect<Option.Option<StoredDispute>>
    readonly byProcessorId: (owner: Owner, processorDisputeId: string) => Effect.Effect<Option.Option<StoredDispute>>
    readonly evidence: (disputeNo: DisputeNo) => Effect.Effect<StoredEvidence>
    /** Disputes about which the channel is to be asked, claimed by pushing their time ahead. */
    readonly claimDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<DisputeNo>>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("@coffer/disputes/DisputeStore") {}

/** A new dispute as a change. */
export const insertion = (dispute: Dispute): Change =>
  insert("disputes", rowOf({ dispute, version: 1 }, dispute.createdAt))

/** The dispute after a decision, replacing the version that was read. */
export const replacement = (before: StoredDispute, after: Dispute, now: DateTime.Utc): Change =>
  update("disputes", rowOf({ dispute: after, version: before.version + 1 }, now), before.version)

/** The evidence after a decision; the first makes the row. */
export const evidenceChange = (disputeNo: DisputeNo, before: StoredEvidence, kept: Kept): Change => {
  const row = {
    dispute_no: disputeNo,
    version: before.version + 1,
    evidence: jsonText(kept.evidence.text),
    files: jsonText(kept.evidence.files),
    submitting: kept.submitting === null ? null : jsonText(kept.submitting),
    submitted_at: isoTextOrNull(kept.submittedAt),
    updated_at: isoTextOrNull(kept.updatedAt)
  }
  return before.version === 0 ? insert("dispute_evidence", row) : update("dispute_evidence", row, before.version)
}

export const layer = Layer.effect(
  DisputeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byNo = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: DisputeRow,
      execute: (disputeNo) => sql`select * from disputes where dispute_no = ${disputeNo}`
    })
    const load = (disputeNo: string) => sqlDefects(Effect.map(byNo(disputeNo), Option.map(storedOf)))

    const findByProcessorId = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, id: Schema.String }),
      Result: DisputeRow,
      execute: ({ id, merchantId, mode }) => sql`select * from disputes
        where merchant_id = ${merchantId} and mode = ${mode} and processor_dispute_id = ${id}`
    })
    const byProcessorId = (owner: Owner, id: string) =>
      isStorable(id)
        ? sqlDefects(Effect.map(findByProcessorId({ ...owner, id }), Option.map(storedOf)))
        : Effect.succeed(Option.none<StoredDispute>())

    const resolve = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      if (isDisputeNo(ref)) {
        const found = Option.filter(yield* load(ref), ({ dispute }) => isOwnedBy(owner)(dispute))
        if (Option.isSome(found)) return found
      }
      return yield* byProcessorId(owner, ref)
    })

    const findEvidence = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: EvidenceRow,
      execute: (disputeNo) => sql`select * from dispute_evidence where dispute_no = ${disputeNo}`
    })
    const evidence = (disputeNo: DisputeNo) =>
      sqlDefects(
        Effect.map(
          findEvidence(disputeNo),
          Option.match({ onNone: () => ({ kept: nothingKept, version: 0 }), onSome: storedEvidenceOf })
        )
      )

    const due = leasedRows(sql, { table: "disputes", key: "dispute_no", dueAt: "next_check_at" }, numbered)
    // Under review the bank takes its time. Else each look puts the next one off: 30 s, 1 min … at most an hour.
    const putOff = (now: Statement.Fragment) => sql`checks = checks + 1, next_check_at = ${now} +
      case status when 'under_review' then 86400 else least(30 * power(2, least(checks, 10)), 3600) end
      * interval '1 second'`

    return DisputeStore.of({
      load,
      resolve,
      byProcessorId,
      evidence,
      claimDue: (now, limit) =>
        sqlDefects(Effect.map(due.claim(putOff, now, limit), (rows) => rows.map(({ dispute_no }) => dispute_no))),
      nextDue: sqlDefects(due.next)
    })
  })
)

const numbered = Schema.Struct({ dispute_no: DisputeNo })

const isDisputeNo = Schema.is(DisputeNo)

// Rows ------------------------------------------------------------------------

/** A row as Postgres gives it; for this room alone. */
export const DisputeRow = Schema.Struct({
  dispute_no: DisputeNo,
  version: Schema.Int,
  merchant_id: MerchantId,
  mode: Mode,
  trade_no: TradeNo,
  processor_dispute_id: Schema.String,
  amount: Minor,
  fee: Schema.NullOr(Minor),
  currency: Currency,
  status: Schema.Literals([...Dispute.discriminants]),
  processor_status: Schema.String,
  reason: Schema.String,
  notify_url: Schema.NullOr(Schema.String),
  response: Schema.NullOr(Response),
  evidence_due_by: Schema.NullOr(TimeColumn),
  opened_at: TimeColumn,
  closed_at: Schema.NullOr(TimeColumn),
  created_at: TimeColumn,
  updated_at: TimeColumn
})
export type DisputeRow = typeof DisputeRow.Type

const storedOf = (row: DisputeRow): StoredDispute => ({ version: row.version, dispute: disputeOf(row) })

export const disputeOf = (row: DisputeRow): Dispute => {
  const terms = {
    disputeNo: row.dispute_no,
    tradeNo: row.trade_no,
    merchantId: row.merchant_id,
    mode: row.mode,
    processorDisputeId: row.processor_dispute_id,
    amount: row.amount,
    currency: row.currency,
    processorStatus: row.processor_status,
    reason: row.reason,
    evidenceDueBy: row.evidence_due_by,
    notifyUrl: row.notify_url,
    response: row.response,
    openedAt: row.opened_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at
  }
  switch (row.status) {
    case "needs_response":
    case "under_review":
      return { status: row.status, ...terms }
    case "won":
    case "lost":
    case "closed":
      // Written with its end by one change.
      return { status: row.status, ...terms, fee: row.fee, closedAt: row.closed_at! }
  }
}

const rowOf = ({ dispute, version }: StoredDispute, now: DateTime.Utc): RowOf<"disputes"> => {
  const end = "closedAt" in dispute ? dispute : undefined
  return {
    dispute_no: dispute.disputeNo,
    version,
    merchant_id: dispute.merchantId,
    mode: dispute.mode,
    trade_no: dispute.tradeNo,
    processor_dispute_id: dispute.processorDisputeId,
    amount: dispute.amount,
    fee: end?.fee ?? null,
    currency: dispute.currency,
    status: dispute.status,
    processor_status: dispute.processorStatus,
    reason: dispute.reason,
    notify_url: dispute.notifyUrl,
    response: dispute.response === null ? null : jsonText(dispute.response),
    evidence_due_by: isoTextOrNull(dispute.evidenceDueBy),
    next_check_at: isoTextOrNull(nextCheckOf(dispute, now)),
    checks: 0,
    opened_at: isoText(dispute.openedAt),
    closed_at: isoTextOrNull(end?.closedAt ?? null),
    created_at: isoText(dispute.createdAt),
    updated_at: isoText(dispute.updatedAt)
  }
}

const EvidenceRow = Schema.Struct({
  version: Schema.Int,
  evidence: Evidence.fields.text,
  files: Evidence.fields.files,
  submitting: Schema.NullOr(Evidence),
  submitted_at: Schema.NullOr(TimeColumn),
  updated_at: Schema.NullOr(TimeColumn)
})

const storedEvidenceOf = (row: typeof EvidenceRow.Type): StoredEvidence => ({
  version: row.version,
  kept: {
    evidence: { text: row.evidence, files: row.files },
    submitting: row.submitting,
    submittedAt: row.submitted_at,
    updatedAt: row.updated_at
  }
})
