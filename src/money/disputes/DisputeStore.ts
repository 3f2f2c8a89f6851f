/**
 * Rows of disputes and of their evidence: found one by one or as lists show them, leased when the channel has to be
 * asked, and written as changes with the version that they replace. Never decides anything.
 */
import type { DisputeQuery } from "@coffer/contract/Disputes"
import { Evidence } from "@coffer/model/Evidence"
import { DisputeNo, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { Dispute, terms } from "@coffer/rules/dispute/Dispute"
import { type Kept, nothingKept } from "@coffer/rules/dispute/evidence"
import { nextCheckOf } from "@coffer/rules/dispute/nextCheck"
import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../../platform/commit/Change.ts"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import { makeOursOf } from "../../platform/postgres/ownNumbers.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along, type Search } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"
import { makeObjectChanges, makeObjectRows, type ObjectRows } from "../aggregate/objectRows.ts"

/** The evidence of the dispute, and the version of its row; 0 without evidence. */
export interface StoredEvidence {
  readonly kept: Kept
  readonly version: number
}

export class DisputeStore extends Context.Service<
  DisputeStore,
  ObjectRows<Dispute> &
    // When the channel is to be asked about them.
    DueRows<DisputeNo> &
    Pages.Lists<DisputeQuery, Dispute> & {
      readonly evidence: (disputeNo: DisputeNo) => Effect.Effect<StoredEvidence>
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

export const { insertion, replacement } = makeObjectChanges(disputes, (dispute, version, now) => ({
  version,
  nextCheckAt: nextCheckOf(dispute, now),
  checks: 0
}))

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
      isOwned: true,
      lease
    }
    const due = leasedRows(sql, queue, Schema.Struct({ dispute_no: DisputeNo }), ({ dispute_no }) => dispute_no)

    return DisputeStore.of({
      ...due,
      ...makeObjectRows(sql, disputes, { isId: Schema.is(DisputeNo) }),
      evidence,
      ...(yield* makeLists)
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

  return Pages.lists(pages, search)
})
