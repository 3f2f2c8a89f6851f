/** Lines of reports (`Reports.ts`), and what a report says of itself. */
import { LedgerType } from "@coffer/model/Ledger"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import { orderBehind } from "./Balance.ts"
import { currency, instant, int, kind, minor, orNull, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

export const described = {
  time_zone: text("Time zone of the days, such as `Europe/Berlin`."),
  as_of: instant("Every movement before it is in the report, and none after: the range's end, or an earlier call."),
  complete: Schema.Boolean.annotate({ description: "Whether the whole range is in the past: nothing can be added." })
}

export const day = (description: string) => text(`${description}, as \`YYYY-MM-DD\` in the report's time zone.`)

export const statementSample = {
  object: "statement_line",
  currency: "USD",
  from: "2026-11-21",
  to: "2026-11-21",
  line: "payment_credit",
  count: 1,
  amount: 1999,
  available: 1999,
  frozen: 0,
  sequence: null,
  hash: null
} as const

export const StatementLine = withExample(
  Schema.Struct({
    object: kind("statement_line"),
    currency,
    from: day("The first day that the line covers"),
    to: day("Its last day"),
    line: Schema.Literals(["opening", ...LedgerType.literals, "closing"]).annotate({
      description: "`opening` and `closing` are balances. Each other line is the total of the movements of one type."
    }),
    count: int("Movements of the type; 0 for a balance."),
    amount: minor("The sum of the movements as the ledger shows them; 0 for a balance"),
    available: minor("The available balance, or its change by the movements"),
    frozen: minor("The frozen balance, or its change by the movements"),
    sequence: orNull(
      Schema.Int,
      "The place of the wallet's newest movement, 0 before the first; null if the line is not a balance."
    ),
    hash: orNull(
      Schema.String,
      "The hash of that movement, in hex: the head of the chain; null if the line is not a balance."
    )
  }).annotate({ identifier: "StatementLine", description: "One line of a wallet's statement." }),
  statementSample
)
export type StatementLine = typeof StatementLine.Encoded

export const TransactionLine = withExample(
  Schema.Struct({
    object: kind("transaction_line"),
    id: text("Number of the movement, as the ledger lists it."),
    sequence: int("Its place in the wallet."),
    type: LedgerType.annotate({ description: "The kind of movement." }),
    currency,
    amount: minor("The movement, negative when money leaves"),
    available: minor("Available balance after"),
    frozen: minor("Frozen balance after"),
    reference_id: text("Number of the order, refund, dispute or payout that caused it."),
    description: text("For people to read; do not parse it."),
    date: day("When it was booked"),
    created_at: instant("The same moment in UTC."),
    hash: text("The hash of the movement in the wallet's chain, in hex."),
    ...orderBehind,
    available_change: minor("Change of the available balance"),
    frozen_change: minor("Change of the frozen balance"),
    ...described
  }).annotate({ identifier: "TransactionLine", description: "One movement of a wallet." }),
  {
    object: "transaction_line",
    id: sampleIds.ledger,
    sequence: 1,
    type: "payment_credit",
    currency: "USD",
    amount: 1999,
    available: 1999,
    frozen: 0,
    reference_id: sampleIds.order,
    description: "Payment of the order",
    date: "2026-11-21",
    created_at: "2026-11-21T09:31:12.502Z",
    hash: "2b4c3b01a441bd7260f0a06e94c7c1301e0f2d4fc02148f04fb4c4e3b15c8dd7",
    trade_no: sampleIds.order,
    out_trade_no: "cart-4711",
    available_change: 1999,
    frozen_change: 0,
    time_zone: "Europe/Berlin",
    as_of: "2026-11-30T23:00:00.000Z",
    complete: true
  }
)
export type TransactionLine = typeof TransactionLine.Encoded

export const feeSample = {
  object: "fee_line",
  currency: "USD",
  source: "payment",
  payment_method: "card",
  count: 1,
  volume: 1999,
  fee: 88
} as const

export const FeeLine = withExample(
  Schema.Struct({
    object: kind("fee_line"),
    currency,
    source: Schema.Literals(["payment", "dispute", "payout"]).annotate({
      description: "The kind of object for which the fee was charged."
    }),
    payment_method: orNull(PaymentMethod, "How the buyer paid; null for payouts."),
    count: int("How many were charged."),
    volume: minor("The total paid, disputed or paid out"),
    fee: minor("The sum of the fees")
  }).annotate({ identifier: "FeeLine", description: "The fees of one payment method." }),
  feeSample
)
export type FeeLine = typeof FeeLine.Encoded

export const frozenSample = {
  object: "frozen_line",
  currency: "USD",
  kind: "dispute",
  number: sampleIds.dispute,
  trade_no: sampleIds.order,
  amount: 1999,
  since: "2026-11-23T18:00:00.000Z",
  out_trade_no: "cart-4711"
} as const

export const FrozenLine = withExample(
  Schema.Struct({
    object: kind("frozen_line"),
    currency,
    kind: Schema.Literals(["dispute", "payout", "refund", "total"]).annotate({
      description:
        "The kind of object that holds the money. `total` is the frozen balance, the sum of the lines before it."
    }),
    number: orNull(Schema.String, "Number of the dispute, payout or refund; null for the total."),
    trade_no: orNull(Schema.String, "The order behind a dispute or a refund."),
    amount: minor("The amount that is held; 0 for an inquiry"),
    since: orNull(Schema.String.annotate({ format: "date-time" }), "Since when; null for the total."),
    out_trade_no: orNull(Schema.String, "Your own number of that order; null for a payout and for the total.")
  }).annotate({ identifier: "FrozenLine", description: "Money that is held, or an open dispute." }),
  frozenSample
)
export type FrozenLine = typeof FrozenLine.Encoded

export type ReportLine = StatementLine | TransactionLine | FeeLine | FrozenLine
