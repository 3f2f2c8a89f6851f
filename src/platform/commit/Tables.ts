/**
 * The tables that business changes are written to, as the Transactor knows them: columns with their Postgres types, the
 * key, and the version that fences updates. What the columns mean is said in `migrations/`. Rows cross runners inside
 * messages, so a cell is plain data: a time is ISO text, JSON is its text.
 */

type ColumnType = "text" | "int4" | "int8" | "timestamptz" | "jsonb"
export type Cell = string | number | null
export type Row = Readonly<Record<string, Cell>>

export interface Table {
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly key: string
  /**
   * The column that an update changes, and the only value of it that the update replaces. A counter will do where each
   * update was decided on what is in the database. Where updates are decided on one another before the first of them
   * is written, it must be a value that says what it stands for: two runners count to the same number.
   */
  readonly version?: string
  /** Columns that never change after insert; an update leaves them out. */
  readonly fixed?: ReadonlyArray<string>
}

const table = <const T extends Table>(definition: T) => definition

const owner = { merchant_id: "text", mode: "text" } as const
const stamps = { created_at: "timestamptz", updated_at: "timestamptz" } as const

/**
 * In the order they are written, so that two transactions lock in the same order. Wallets come after what moves their
 * money: a step that was taken already is then stale, before the wallet is asked for what it no longer has.
 */
export const tables = {
  orders: table({
    key: "trade_no",
    version: "version",
    columns: {
      trade_no: "text",
      version: "int4",
      ...owner,
      out_trade_no: "text",
      amount: "int8",
      currency: "text",
      subject: "text",
      status: "text",
      fee: "int8",
      refunded_amount: "int8",
      payment_id: "text",
      payment_method: "text",
      refundable_until: "timestamptz",
      notify_url: "text",
      return_url: "text",
      metadata: "jsonb",
      receipt_email: "text",
      locale: "text",
      declines: "int4",
      stray_payments: "jsonb",
      stray_due_at: "timestamptz",
      refunding_amount: "int8",
      disputes_open: "int4",
      disputes_lost: "int8",
      paid_at: "timestamptz",
      due_at: "timestamptz",
      expires_at: "timestamptz",
      created_at: "timestamptz"
    },
    fixed: [
      "merchant_id",
      "mode",
      "out_trade_no",
      "amount",
      "currency",
      "subject",
      "notify_url",
      "return_url",
      "locale",
      "due_at",
      "expires_at",
      "created_at"
    ]
  }),
  refunds: table({
    key: "refund_no",
    version: "version",
    columns: {
      refund_no: "text",
      version: "int4",
      ...owner,
      out_refund_no: "text",
      trade_no: "text",
      payment_id: "text",
      request: "text",
      amount: "int8",
      requested_amount: "int8",
      currency: "text",
      reason: "text",
      status: "text",
      failure_reason: "text",
      metadata: "jsonb",
      notify_url: "text",
      next_check_at: "timestamptz",
      settled_at: "timestamptz",
      ...stamps
    },
    fixed: [
      "merchant_id",
      "mode",
      "out_refund_no",
      "trade_no",
      "payment_id",
      "request",
      "amount",
      "requested_amount",
      "currency",
      "reason",
      "notify_url",
      "created_at"
    ]
  }),
  disputes: table({
    key: "dispute_no",
    version: "version",
    columns: {
      dispute_no: "text",
      version: "int4",
      ...owner,
      trade_no: "text",
      processor_dispute_id: "text",
      amount: "int8",
      fee: "int8",
      currency: "text",
      status: "text",
      processor_status: "text",
      reason: "text",
      notify_url: "text",
      response: "jsonb",
      evidence_due_by: "timestamptz",
      next_check_at: "timestamptz",
      checks: "int4",
      opened_at: "timestamptz",
      closed_at: "timestamptz",
      ...stamps
    },
    fixed: [
      "merchant_id",
      "mode",
      "trade_no",
      "processor_dispute_id",
      "amount",
      "currency",
      "reason",
      "notify_url",
      "evidence_due_by",
      "opened_at",
      "created_at"
    ]
  }),
  dispute_evidence: table({
    key: "dispute_no",
    version: "version",
    columns: {
      dispute_no: "text",
      version: "int4",
      evidence: "jsonb",
      files: "jsonb",
      submitting: "jsonb",
      submitted_at: "timestamptz",
      updated_at: "timestamptz"
    }
  }),
  payouts: table({
    key: "payout_no",
    version: "version",
    columns: {
      payout_no: "text",
      version: "int4",
      ...owner,
      currency: "text",
      amount: "int8",
      fee: "int8",
      status: "text",
      reference: "text",
      ...stamps
    },
    fixed: ["merchant_id", "mode", "currency", "amount", "fee", "reference", "created_at"]
  }),
  wallets: table({
    key: "wallet_id",
    version: "version",
    columns: {
      wallet_id: "text",
      sequence: "int8",
      ...owner,
      currency: "text",
      available: "int8",
      frozen: "int8",
      reserved: "int8",
      total_revenue: "int8",
      total_fee: "int8",
      total_payout: "int8",
      total_refund: "int8",
      head_id: "text",
      head_hash: "text",
      version: "text",
      updated_at: "timestamptz"
    },
    fixed: ["merchant_id", "mode", "currency"]
  }),
  ledger: table({
    key: "id",
    columns: {
      id: "text",
      wallet_id: "text",
      sequence: "int8",
      ...owner,
      currency: "text",
      type: "text",
      amount: "int8",
      balance_before: "int8",
      balance_after: "int8",
      frozen_after: "int8",
      reference_id: "text",
      description: "text",
      created_at: "timestamptz",
      previous_hash: "text",
      hash: "text"
    }
  }),
  events: table({
    key: "id",
    columns: {
      id: "text",
      ...owner,
      type: "text",
      object_id: "text",
      trade_no: "text",
      body: "text",
      created_at: "timestamptz"
    }
  }),
  deliveries: table({
    key: "id",
    columns: {
      id: "text",
      event_id: "text",
      ...owner,
      endpoint_id: "text",
      url: "text",
      destination: "text",
      status: "text",
      attempts: "int4",
      next_attempt_at: "timestamptz",
      created_at: "timestamptz"
    }
  }),
  idempotency_keys: table({
    key: "id",
    version: "version",
    columns: {
      id: "text",
      version: "int4",
      ...owner,
      fingerprint: "text",
      state: "text",
      lease_until: "timestamptz",
      status: "int4",
      data: "text",
      created_at: "timestamptz"
    },
    fixed: ["merchant_id", "mode"]
  }),
  sandbox_payments: table({
    key: "payment_id",
    columns: {
      payment_id: "text",
      trade_no: "text",
      merchant_id: "text",
      method: "text",
      amount: "int8",
      currency: "text",
      state: "text",
      report_due_at: "timestamptz",
      created_at: "timestamptz"
    }
  })
} as const

export type Tables = typeof tables
export type TableName = keyof Tables

type CellOf<T extends ColumnType> = T extends "int4" | "int8" ? number | null : string | null

/** A row as it is written. */
export type RowOf<Name extends TableName> = {
  readonly [Column in keyof Tables[Name]["columns"]]: Tables[Name]["columns"][Column] extends ColumnType
    ? CellOf<Tables[Name]["columns"][Column]>
    : never
}
