/**
 * What a wallet is told: named movements, and the rows that are written with them. A message from another runner may
 * not bring what it likes: no row of a wallet or of a ledger, and no movement without the row of what moves the money.
 * Whether that is so in the database too is looked at when it is written (docs/decisions/0027).
 */
import type { LedgerType } from "@coffer/model/Ledger"
import { Movement } from "@coffer/rules/wallet/post"
import { Schema } from "effect"
import { ChangeSet, keyOf } from "../platform/commit/Change.ts"
import type { TableName } from "../platform/commit/Table.ts"

/** What moves money, by table. */
type SourceTable = "orders" | "refunds" | "disputes" | "payouts"

const sourceOf: Readonly<Record<LedgerType, SourceTable>> = {
  payment_credit: "orders",
  fee_debit: "orders",
  refund_freeze: "refunds",
  refund_debit: "refunds",
  refund_unfreeze: "refunds",
  dispute_freeze: "disputes",
  dispute_unfreeze: "disputes",
  dispute_debit: "disputes",
  dispute_fee: "disputes",
  payout_freeze: "payouts",
  payout_unfreeze: "payouts",
  payout_success: "payouts",
  payout_fee: "payouts"
}

/** Sources, what goes with them, and what is told of them. */
const brought: ReadonlySet<TableName> = new Set<TableName>([
  "orders",
  "refunds",
  "disputes",
  "dispute_evidence",
  "payouts",
  "events",
  "deliveries",
  "idempotency_keys",
  "sandbox_payments",
  "mails"
])

const fields = Schema.Struct({
  movements: Schema.Array(Movement),
  /** How much more is promised from now on; below zero, how much less. */
  reserve: Schema.Int,
  /** Written in the same transaction. A version in them makes the entry idempotent. */
  changes: ChangeSet
})

/** Checked where it comes from another runner. */
export const Entry = fields.check(
  Schema.makeFilter(({ changes, movements }) => {
    const foreign = changes.find(({ table }) => !brought.has(table))
    if (foreign !== undefined) return `a wallet takes no row of ${foreign.table} from another runner`
    const stray = movements.find(({ referenceId, type }) =>
      changes.every((change) => change.table !== sourceOf[type] || keyOf(change) !== referenceId)
    )
    return stray === undefined || `${stray.type} comes without the row of ${stray.referenceId}`
  })
)
export type Entry = typeof Entry.Type

export const noEntry: Entry = { movements: [], reserve: 0, changes: [] }
