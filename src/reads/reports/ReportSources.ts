/**
 * The sources of reports: rows of the ledger and of the objects behind them, read in steps along one index each, so
 * that a step is short however long the ledger is (`platform/postgres/scans.ts` says why the ranges are written so).
 * It writes nothing.
 */
import { amountPaid } from "../../platform/postgres/orderKeys.ts"
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { bodyOf, prefixes } from "@coffer/model/Ids"
import { LedgerType } from "@coffer/model/Ledger"
import { Currency } from "@coffer/model/Money"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { type Head, headOf, noHead } from "@coffer/rules/reports/statement"
import { walletIdOf } from "@coffer/rules/wallet/Wallet"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeOrdersBehind, type OrdersBehind } from "../../platform/postgres/ownNumbers.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

/** Rows that one step reads. */
export const stepRows = 2_000

/** Bodies of ids, both outside. */
export interface Bounds {
  readonly above: string
  readonly below: string
}

export interface WalletOf {
  readonly account: Account
  readonly currency: Currency
}

const LedgerLine = Schema.Struct({
  id: Schema.String,
  sequence: Schema.Int,
  type: LedgerType,
  amount: Schema.Int,
  balance_before: Schema.Int,
  balance_after: Schema.Int,
  frozen_after: Schema.Int,
  reference_id: Schema.String,
  description: Schema.String,
  created_at: TimeColumn,
  hash: Schema.String
})
export type LedgerLine = typeof LedgerLine.Type

const FeeSums = Schema.Struct({
  method: Schema.NullOr(PaymentMethod),
  count: Schema.Int,
  volume: Schema.Int,
  fee: Schema.Int,
  last: Schema.String
})

const Hold = Schema.Struct({
  id: Schema.String,
  amount: Schema.Int,
  reference_id: Schema.String,
  trade_no: Schema.NullOr(Schema.String),
  out_trade_no: Schema.NullOr(Schema.String),
  created_at: TimeColumn,
  ended: Schema.Boolean
})

/** Types whose rows freeze money, the types that end each, and where the order is found. */
export const holds = [
  { kind: "dispute", type: "dispute_freeze", ends: ["dispute_unfreeze", "dispute_debit"], table: "disputes" },
  { kind: "payout", type: "payout_freeze", ends: ["payout_unfreeze", "payout_success"], table: undefined },
  { kind: "refund", type: "refund_freeze", ends: ["refund_unfreeze", "refund_debit"], table: "refunds" }
] as const

export const feeTypes = [
  { source: "payment", type: "fee_debit" },
  { source: "dispute", type: "dispute_fee" },
  { source: "payout", type: "payout_fee" }
] as const

const Inquiry = Schema.Struct({
  dispute_no: Schema.String,
  trade_no: Schema.String,
  out_trade_no: Schema.NullOr(Schema.String),
  created_at: TimeColumn,
  open: Schema.Boolean
})

export class ReportSources extends Context.Service<
  ReportSources,
  {
    /** The newest row of the wallet below this body. */
    readonly head: (wallet: WalletOf, below: string) => Effect.Effect<Head>
    /** Rows of the wallet, oldest first, at most {@link stepRows}. */
    readonly rows: (wallet: WalletOf, bounds: Bounds) => Effect.Effect<ReadonlyArray<LedgerLine>>
    /** Sums by method of the first rows of this type in the range, and the newest row in each sum. */
    readonly fees: (
      wallet: WalletOf,
      source: (typeof feeTypes)[number],
      bounds: Bounds
    ) => Effect.Effect<ReadonlyArray<typeof FeeSums.Type>>
    /** Rows that freeze money, newest first, and whether each has ended `before` this body. */
    readonly freezes: (
      wallet: WalletOf,
      hold: (typeof holds)[number],
      bounds: Bounds,
      before: string
    ) => Effect.Effect<ReadonlyArray<typeof Hold.Type>>
    readonly ordersBehind: OrdersBehind
    /** Disputes, newest first, and whether each was open and held nothing at that moment. */
    readonly inquiries: (
      wallet: WalletOf,
      bounds: Bounds,
      at: { readonly body: string; readonly millis: number }
    ) => Effect.Effect<ReadonlyArray<typeof Inquiry.Type>>
    /**
     * The ledger row of a payout, of the payout before it, and the first one of its wallet. Undefined if the account
     * has no such payout.
     */
    readonly payout: (
      account: Account,
      payoutNo: string
    ) => Effect.Effect<
      | {
          readonly currency: Currency
          readonly id: string
          readonly before: string | undefined
          readonly first: string
        }
      | undefined
    >
  }
>()("@coffer/reports/ReportSources") {}

export const layer = Layer.effect(
  ReportSources,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const along = makeAlong(sql)
    const rows = (wallet: WalletOf, bounds: Bounds, order: "asc" | "desc", limit: number) =>
      Effect.flatMap(
        sql`select id, sequence, type, amount, balance_before, balance_after, frozen_after, reference_id, description,
            created_at, encode(hash, 'hex') as hash
          from ledger where ${along(ofWallet(wallet), "id", inLedger(bounds), order)} limit ${limit}`,
        decodeRows
      )
    const inquiries = makeInquiries(sql)
    const payout = makePayout(sql)

    return ReportSources.of({
      head: (wallet, below) =>
        sqlDefects(
          Effect.map(rows(wallet, { above: "", below }, "desc", 1), ([row]) =>
            row === undefined ? noHead : headOf(row)
          )
        ),
      rows: (wallet, bounds) => sqlDefects(rows(wallet, bounds, "asc", stepRows)),
      fees: (wallet, { source, type }, bounds) =>
        sqlDefects(
          Effect.flatMap(
            sql`with read as materialized (select id, amount, reference_id from ledger
                where ${along(ofType(wallet, type), "id", inLedger(bounds), "asc")} limit ${stepRows})
              select c.payment_method as method, count(*)::int4 as count, coalesce(sum(c.amount), 0)::bigint as volume,
                (-sum(read.amount))::bigint as fee, max(read.id) as last
              from read left join lateral (${selectCharged(sql, source)} offset 0) c on true group by c.payment_method`,
            decodeFees
          )
        ),
      freezes: (wallet, { ends, table, type }, bounds, before) =>
        sqlDefects(
          Effect.flatMap(
            sql`with read as materialized (select id, amount, reference_id, created_at from ledger
                where ${along(ofType(wallet, type), "id", inLedger(bounds), "desc")} limit ${stepRows})
              select id, -amount as amount, reference_id, created_at,
                o.trade_no, o.out_trade_no,
                exists (select from (select id, type from ledger where reference_id = read.reference_id offset 0) e
                  where ${sql.in("type", ends)} and e.id < ${prefixes.ledger + before}) as ended
              from read left join lateral (${orderOf(sql, table)} offset 0) o on true order by id desc`,
            decodeHolds
          )
        ),
      ordersBehind: makeOrdersBehind(sql),
      inquiries: (...args) => sqlDefects(inquiries(...args)),
      payout: (account, payoutNo) => sqlDefects(payout(account, payoutNo))
    })
  })
)

/** A range of one index, which only the index on these columns has. */
const makeAlong =
  (sql: SqlClient.SqlClient) =>
  (values: Readonly<Record<string, string>>, id: string, range: Bounds, order: "asc" | "desc") => {
    const columns = [...Object.keys(values), id].map((column) => sql`${sql(column)}`)
    const [first, ...others] = Object.values(values)
    const rowAt = (bound: string) =>
      sql.csv([sql`(select ${first!})`, ...[...others, bound].map((value) => sql`${value}`)])
    const direction = sql.literal(order)
    return sql`(${sql.csv(columns)}) > (${rowAt(range.above)}) and (${sql.csv(columns)}) < (${rowAt(range.below)})
      order by ${sql.csv(columns.map((column) => sql`${column} ${direction}`))}`
  }

const inLedger = ({ above, below }: Bounds): Bounds => ({
  above: prefixes.ledger + above,
  below: prefixes.ledger + below
})
const ofWallet = ({ account, currency }: WalletOf) => ({ wallet_id: walletIdOf({ ...account, currency }) })
const ofType = ({ account: { merchantId, mode }, currency }: WalletOf, type: LedgerType) => ({
  merchant_id: merchantId,
  mode,
  currency,
  type
})

/** The charged objects, as a table with the payment method and the amount of each. */
const selectCharged = (sql: SqlClient.SqlClient, source: (typeof feeTypes)[number]["source"]): Statement.Fragment => {
  switch (source) {
    case "payment":
      return sql`select o.payment_method, ${sql.literal(amountPaid)} as amount from orders o
        where o.trade_no = read.reference_id`
    case "dispute":
      return sql`select o.payment_method, d.amount from disputes d join orders o using (trade_no)
        where d.dispute_no = read.reference_id`
    case "payout":
      return sql`select null::text as payment_method, amount from payouts where payout_no = read.reference_id`
  }
}

/** The order behind a held object, if it has one. */
const orderOf = (sql: SqlClient.SqlClient, table: (typeof holds)[number]["table"]): Statement.Fragment => {
  switch (table) {
    case "disputes":
      return sql`select trade_no, out_trade_no from disputes where dispute_no = read.reference_id`
    case "refunds":
      return sql`select trade_no, out_trade_no from refunds where refund_no = read.reference_id`
    case undefined:
      return sql`select null::text as trade_no, null::text as out_trade_no`
  }
}

const makeInquiries = (sql: SqlClient.SqlClient) => {
  const along = makeAlong(sql)
  return (
    { account: { merchantId, mode }, currency }: WalletOf,
    { above, below }: Bounds,
    { body, millis }: { readonly body: string; readonly millis: number }
  ) => {
    const range = { above: prefixes.dispute + above, below: prefixes.dispute + below }
    const at = sql`${isoText(DateTime.makeUnsafe(millis))}::text::timestamptz`
    return Effect.flatMap(
      sql`with read as materialized (select dispute_no, trade_no, out_trade_no, created_at, closed_at, currency
          from disputes
          where ${along({ merchant_id: merchantId, mode }, "dispute_no", range, "desc")} limit ${stepRows})
        select dispute_no, trade_no, out_trade_no, created_at,
          currency = ${currency} and (closed_at is null or closed_at >= ${at}) and not exists (
            select from (select id, type from ledger where reference_id = read.dispute_no offset 0) e
            where e.type = 'dispute_freeze' and e.id < ${prefixes.ledger + body}) as open
        from read order by dispute_no desc`,
      decodeInquiries
    )
  }
}

const makePayout = (sql: SqlClient.SqlClient) => {
  const along = makeAlong(sql)
  return Effect.fnUntraced(function* ({ merchantId, mode }: Account, payoutNo: string) {
    if (!isStorable(payoutNo)) return undefined
    const [found] = yield* decodeFreezes(
      yield* sql`select id, currency from (select * from ledger where reference_id = ${payoutNo} offset 0) as l
        where type = 'payout_freeze' and merchant_id = ${merchantId} and mode = ${mode}`
    )
    if (found === undefined) return undefined
    const wallet = { account: { merchantId, mode }, currency: found.currency }
    const range = inLedger({ above: "", below: bodyOf(found.id) })
    const [before] = yield* decodeFreezes(
      yield* sql`select id, currency from ledger
        where ${along(ofType(wallet, "payout_freeze"), "id", range, "desc")} limit 1`
    )
    const [first] = yield* decodeFreezes(
      yield* sql`select id, currency from ledger where ${along(ofWallet(wallet), "id", range, "asc")} limit 1`
    )
    return { ...found, before: before?.id, first: first?.id ?? found.id }
  })
}

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(LedgerLine))
const decodeFees = Schema.decodeUnknownEffect(Schema.Array(FeeSums))
const decodeHolds = Schema.decodeUnknownEffect(Schema.Array(Hold))
const decodeInquiries = Schema.decodeUnknownEffect(Schema.Array(Inquiry))
const decodeFreezes = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String, currency: Currency })))
