/**
 * Rows of disputes and of their evidence: found one by one or as lists show them, leased when the channel has to be
 * asked, and written as changes with the version that they replace. Never decides anything.
 */
import type { DisputeQuery } from "@coffer/contract/Disputes"
import { Evidence } from "@coffer/model/Evidence"
import { DisputeNo, prefixes } from "@coffer/model/Ids"
import { belongsTo, type Account } from "@coffer/model/Account"
import { Dispute, terms } from "@coffer/rules/dispute/Dispute"
import { type Kept, nothingKept } from "@coffer/rules/dispute/evidence"
import { nextCheckOf } from "@coffer/rules/dispute/nextCheck"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { CreatedRange } from "@coffer/rules/lists/created"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, type DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../../platform/commit/Change.ts"
import {
  type Backlog,
  backOff,
  type DueSandbox,
  leasedRows,
  type Outcomes
} from "../../platform/postgres/leasedRows.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import { makeOursOf } from "../../platform/postgres/ownNumbers.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along, isStorable, type Search } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"

/** A dispute and the version of its row. */
export interface StoredDispute {
  readonly dispute: Dispute
  readonly version: number
}

/** The evidence of the dispute, and the version of its row; 0 without evidence. */
export interface StoredEvidence {
  readonly kept: Kept
  readonly version: number
}

export class DisputeStore extends Context.Service<
  DisputeStore,
  {
    readonly load: (disputeNo: DisputeNo) => Effect.Effect<Option.Option<StoredDispute>>
    /** By platform number, then by the channel's; only among the account's disputes (silences: G11, G25). */
    readonly resolve: (account: Account, ref: string) => Effect.Effect<Option.Option<StoredDispute>>
    readonly byProcessorId: (
      account: Account,
      processorDisputeId: string
    ) => Effect.Effect<Option.Option<StoredDispute>>
    readonly evidence: (disputeNo: DisputeNo) => Effect.Effect<StoredEvidence>
    /** Newest first (spec: Endpoints, Disputes; List conventions). */
    readonly page: (
      account: Account,
      request: PageRequest,
      query: DisputeQuery
    ) => Effect.Effect<Page<Dispute>, InvalidField>
    readonly exported: (
      account: Account,
      created: CreatedRange,
      query: DisputeQuery
    ) => Effect.Effect<Pages.Exported<Dispute>>
    /** Disputes about which the channel is to be asked, leased by pushing their time ahead. */
    readonly leaseDue: (
      now: DateTime.Utc,
      limit: number,
      merchantId?: string
    ) => Effect.Effect<ReadonlyArray<DisputeNo>>
    /** When the first is due of each of these sandboxes. */
    readonly nextDueOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
    readonly noteOutcomes: (outcomes: Outcomes) => Effect.Effect<void>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
  }
>()("@coffer/disputes/DisputeStore") {}

export const disputes = table("disputes", {
  place: 40,
  listed: true,
  of: Dispute,
  extra: { version: Schema.Int, nextCheckAt: Schema.NullOr(Schema.DateTimeUtc), checks: Schema.Int },
  key: "disputeNo",
  version: "version",
  fixed: Struct.keys(terms),
  number: { field: "processorDisputeId" }
})

const storedOf = (row: typeof disputes.row.Type): StoredDispute => ({
  version: row.version,
  dispute: disputes.read(row)
})

const extraColumnsOf = (dispute: Dispute, version: number, now: DateTime.Utc) => ({
  version,
  nextCheckAt: nextCheckOf(dispute, now),
  checks: 0
})

const disputeEvidence = table("dispute_evidence", {
  place: 50,
  of: Schema.Struct({
    disputeNo: DisputeNo,
    version: Schema.Int,
    evidence: Evidence.fields.text,
    files: Evidence.fields.files,
    submitting: Schema.NullOr(Evidence),
    submittedAt: Schema.NullOr(Schema.DateTimeUtc),
    updatedAt: Schema.NullOr(Schema.DateTimeUtc)
  }),
  key: "disputeNo",
  version: "version"
})

/** A new dispute as a change. */
export const insertion = (dispute: Dispute): Change =>
  insert(disputes, dispute, extraColumnsOf(dispute, 1, dispute.createdAt))

/** The dispute after a decision, replacing the version that was read. */
export const replacement = (before: StoredDispute, after: Dispute, now: DateTime.Utc): Change =>
  update(disputes, before.version, after, extraColumnsOf(after, before.version + 1, now))

/** The evidence after a decision; the first makes the row. */
export const evidenceChange = (disputeNo: DisputeNo, before: StoredEvidence, kept: Kept): Change => {
  const { evidence, ...rest } = kept
  const after = { disputeNo, version: before.version + 1, evidence: evidence.text, files: evidence.files, ...rest }
  return before.version === 0 ? insert(disputeEvidence, after) : update(disputeEvidence, before.version, after)
}

const storedEvidenceOf = (row: typeof disputeEvidence.row.Type): StoredEvidence => {
  const { disputeNo: _, evidence: text, files, version, ...rest } = disputeEvidence.read(row)
  return { version, kept: { evidence: { text, files }, ...rest } }
}

export const layer = Layer.effect(
  DisputeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byNo = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: disputes.row,
      execute: (disputeNo) => sql`select * from disputes where dispute_no = ${disputeNo}`
    })
    const load = (disputeNo: string) => sqlDefects(Effect.map(byNo(disputeNo), Option.map(storedOf)))

    const findByProcessorId = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, id: Schema.String }),
      Result: disputes.row,
      execute: ({ id, merchantId, mode }) => sql`select * from disputes
        where merchant_id = ${merchantId} and mode = ${mode} and processor_dispute_id = ${id}`
    })
    const byProcessorId = (account: Account, id: string) =>
      isStorable(id)
        ? sqlDefects(Effect.map(findByProcessorId({ ...account, id }), Option.map(storedOf)))
        : Effect.succeed(Option.none<StoredDispute>())

    const resolve = Effect.fnUntraced(function* (account: Account, ref: string) {
      if (isDisputeNo(ref)) {
        const found = Option.filter(yield* load(ref), ({ dispute }) => belongsTo(account)(dispute))
        if (Option.isSome(found)) return found
      }
      return yield* byProcessorId(account, ref)
    })

    const findEvidence = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: disputeEvidence.row,
      execute: (disputeNo) => sql`select * from dispute_evidence where dispute_no = ${disputeNo}`
    })
    const evidence = (disputeNo: DisputeNo) =>
      sqlDefects(
        Effect.map(
          findEvidence(disputeNo),
          Option.match({ onNone: () => ({ kept: nothingKept, version: 0 }), onSome: storedEvidenceOf })
        )
      )

    // Under review the bank decides within days. Otherwise the waits back off: 30 s, 1 min … at most an hour.
    const growing = backOff(sql, "checks", { soon: 30, late: 3_600 })
    const lease = sql`case status when 'under_review' then interval '24 hours' else ${growing} end`
    const queue = {
      table: "disputes",
      key: "dispute_no",
      dueAt: "next_check_at",
      attempts: "checks",
      error: "check_error",
      lease
    }
    const due = leasedRows(sql, queue, numbered)

    return DisputeStore.of({
      load,
      resolve,
      byProcessorId,
      evidence,
      ...(yield* makeLists),
      leaseDue: (...args) =>
        sqlDefects(Effect.map(due.lease(...args), (rows) => rows.map(({ dispute_no }) => dispute_no))),
      nextDueOf: (merchantIds) => sqlDefects(due.nextOf(merchantIds)),
      noteOutcomes: due.note,
      nextDue: sqlDefects(due.next),
      backlog: (now) => sqlDefects(due.backlog(now))
    })
  })
)

/** Lists and exports. */
const makeLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pages = Pages.make(
    sql,
    {
      table: disputes,
      prefixOf: () => prefixes.dispute,
      called: "a dispute"
    },
    yield* ListHorizon
  )

  const oursOf = yield* makeOursOf

  const search = Effect.fnUntraced(function* (
    account: Account,
    { status, trade_no }: DisputeQuery
  ): Effect.fn.Return<Search> {
    if (trade_no !== undefined) {
      const orders = yield* oursOf(account, ["order"], trade_no)
      // An order has few disputes.
      const filters = status === undefined ? [] : [sql`status = ${status}`]
      return { path: along(...orders.map((one) => ({ trade_no: one }))), filters }
    }
    return { path: along(status === undefined ? {} : { status }), filters: [] }
  })

  return {
    page: (account: Account, request: PageRequest, query: DisputeQuery) =>
      Effect.flatMap(search(account, query), (found) => pages.page(account, request, found)),
    exported: (account: Account, created: CreatedRange, query: DisputeQuery) =>
      Effect.flatMap(search(account, query), (found) => pages.exported(account, created, found))
  }
})

const numbered = Schema.Struct({ dispute_no: DisputeNo })

const isDisputeNo = Schema.is(DisputeNo)
