/**
 * The published laws of the ledger (docs/ledger.md), and the form of a check: a statement that takes keys of one table
 * and returns the rows that violate the law. A statement sees a snapshot of the database, so concurrent writes do not
 * disturb it.
 */

/** The only place with the text of each law. */
export const laws = {
  I1: "The available amount is never below zero, unless a dispute forced it there.",
  I2:
    "The rows of a wallet are a chain without a gap: each starts with the balance with which the one before it " +
    "ended, and the wallet points to the last.",
  I3: "The available amount is the sum of the changes of all rows, and each row changes it as its type defines.",
  I4:
    "The frozen amount is what open refunds, disputes and payouts hold, and each hold ends once, in a return or a " +
    "debit. The promised amount is what refunds under way at the channel, and the fees of open payouts, will take.",
  I5:
    "Available and frozen together are revenue less fees, refunds, payouts and lost disputes, and each total is the " +
    "sum of its rows.",
  I6:
    "An order records exactly what its refunds and disputes took or hold. Its refunds together never exceed it, and " +
    "its status follows from them.",
  I7:
    "Each final state of an order, a refund or a dispute has exactly one event, and each payment exactly one credit " +
    "and one fee.",
  I8: "Nothing crosses from one merchant, environment or currency to another.",
  I9: "The chain of hashes is unbroken: no row was changed, removed or inserted later.",
  I10: "The audit log is a chain of hashes from its first entry on, without a gap.",
  I11:
    "Each chain still has the row that was its head when it was last anchored, with the same hash: nothing up to it " +
    "was removed or rewritten."
} as const

export type LawId = keyof typeof laws

/** The checked tables with their keys, in the order of a whole audit. */
export const subjects = {
  wallets: { key: "wallet_id", called: "wallets", slice: 50 },
  ledger: { key: "id", called: "ledger rows", slice: 2_000 },
  orders: { key: "trade_no", called: "orders", slice: 1_000 },
  refunds: { key: "refund_no", called: "refunds", slice: 1_000 },
  disputes: { key: "dispute_no", called: "disputes", slice: 1_000 },
  payouts: { key: "payout_no", called: "payouts", slice: 1_000 },
  events: { key: "id", called: "events", slice: 1_000 },
  audit_log: { key: "id", called: "audit entries", slice: 1_000 },
  anchors: { key: "chain", called: "anchored chains", slice: 1_000 }
} as const

export type Subject = keyof typeof subjects

export interface Check {
  readonly law: LawId
  readonly about: Subject
  /** `$1`: the keys, as text[]. Returns `key` and `detail`, which is null for a valid row. */
  readonly query: string
}

export interface Violation {
  readonly law: LawId
  readonly table: Subject
  readonly key: string
  /** The violation, to follow the row's name. */
  readonly detail: string
}
